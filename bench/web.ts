// Measures the built web app in Chromium against the local lake: first load, typing, decoding and drawing of rows,
// scrolling, memory. Nothing here is a test: figures are of this machine, with its load beside them.
//
//   npm run bench:web [-- --scale 1] [--large 10000000] [--results 24]
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { chromium, type BrowserContext, type CDPSession, type Page } from '@playwright/test'
import { listId, suggest, type ListItem } from '../apps/web/src/features/editor/completion-engine.ts'
import { buildWeb, lakeEnvironment, ROOT, startProgram, type LakeReady } from '../scripts/programs.ts'
import { machineFacts } from './report.ts'

/** Of the first column; those after it have greater ones, which all fit into a byte. */
const LARGE_MODULUS = 50

const { values: options } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    /** Rows of the large result, of 200 columns; 0 leaves it out. */
    large: { type: 'string', default: '0' },
    /** Results of 100 MB in as many tabs; 0 leaves them out. */
    results: { type: 'string', default: '0' },
  },
})
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
]
const ALL_ROWS = 'SELECT * FROM iceberg.analytics.episodes'

type Figures = [what: string, figure: string][]

const directory = await mkdtemp(join(tmpdir(), 'lake-bench-web-'))
try {
  await main()
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function main(): Promise<void> {
  await buildWeb()
  const lakeArgs = ['--data', join(directory, 'lake'), '--demo-scale', options.scale]
  await using lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', lakeArgs, { env: {} })
  const env = { ...lakeEnvironment(lake.ready), LAKE_HTTP_ADDR: '127.0.0.1:0', LAKE_LOG_LEVEL: 'warn' }
  await using server = await startProgram<{ url: string }>('apps/server/src/main.ts', [], { env })
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  // With a profile on the disk, as a person's: without one, Chromium gives a page a share of memory to store things in.
  const browser = await chromium.launchPersistentContext(join(directory, 'profile'), {
    executablePath,
    args: ARGS,
    viewport: { width: 1440, height: 900 },
    baseURL: server.ready.url,
  })
  let figures: Figures
  try {
    figures = await measured(browser)
  } finally {
    await browser.close()
  }
  process.stdout.write(
    `npm run bench:web -- ${process.argv.slice(2).join(' ')}\n${JSON.stringify(machineFacts())}\n\n`,
  )
  for (const [what, figure] of figures) process.stdout.write(`| ${what} | ${figure} |\n`)
}

async function measured(browser: BrowserContext): Promise<Figures> {
  const page = await browser.newPage()
  const devtools = await browser.newCDPSession(page)
  return [
    ...sizes(),
    ...(await firstLoad(page)),
    ...(await typing(page)),
    ...completion(),
    ...(await rows(page, devtools)),
    ...(await scrolling(page)),
    ...(options.large === '0' ? [] : await large(page, devtools, Number(options.large))),
    ...(options.results === '0' ? [] : await results(page, devtools, Number(options.results))),
  ]
}

/** Bytes over the wire: what every page needs, and what comes when the editor is shown. */
function sizes(): Figures {
  const assets = join(ROOT, 'apps/web/dist/assets')
  const sum = (matches: (name: string) => boolean): string => {
    const names = readdirSync(assets).filter(matches)
    const bytes = names.reduce(
      (total, name) => total + gzipSync(readFileSync(join(assets, name))).byteLength,
      0,
    )
    return `${Math.round(bytes / 1_000)} kB gzip`
  }
  // The page names them all: the entry, and what it imports.
  const page = readFileSync(join(ROOT, 'apps/web/dist/index.html'), 'utf8')
  return [
    ['first scripts', sum((name) => name.endsWith('.js') && page.includes(`/assets/${name}"`))],
    ['editor, loaded after them', sum((name) => /^SqlEditorView-.*\.js$/.test(name))],
    ['styles', sum((name) => name.endsWith('.css'))],
  ]
}

async function firstLoad(page: Page): Promise<Figures> {
  const start = performance.now()
  await page.goto('/')
  await page.getByRole('tree', { name: 'Catalog' }).waitFor()
  const usable = performance.now() - start
  await page.locator('.monaco-editor .view-lines').waitFor()
  return [
    ['catalog shown after', milliseconds(usable)],
    ['editor usable after', milliseconds(performance.now() - start)],
  ]
}

/** From the key to the next frame in which the text is painted. */
async function typing(page: Page): Promise<Figures> {
  await page.locator('.monaco-editor .view-lines').click()
  await page.evaluate(() => {
    const waits: number[] = []
    Object.assign(globalThis, { keyWaits: waits })
    addEventListener(
      'keydown',
      () => {
        const pressed = performance.now()
        requestAnimationFrame(() => setTimeout(() => waits.push(performance.now() - pressed)))
      },
      { capture: true },
    )
  })
  await page.keyboard.type(
    "SELECT robot_id, avg(reward) FROM iceberg.analytics.episodes WHERE day > DATE '2026-09-01'",
    {
      delay: 40,
    },
  )
  const waits = await page.evaluate(() => (globalThis as unknown as { keyWaits: number[] }).keyWaits)
  return [['key to paint, median and 95 %', quantiles(waits)]]
}

/** What the worker takes for one letter, among 5,000 tables of 300 columns, 64 of them in the statement. */
function completion(): Figures {
  const items = (name: string, count: number): ListItem[] =>
    Array.from({ length: count }, (_, index) => ({ name: `${name}_${index}`, type: 'long' }))
  const tables = items('table', 5_000)
  const lists = new Map<string, readonly ListItem[]>([
    [listId({ kind: 'tables', namespace: 'sales' }), tables],
    ...tables.map(({ name }): [string, readonly ListItem[]] => [
      listId({ kind: 'columns', namespace: 'sales', table: name }),
      items('column', 300),
    ]),
  ])
  const named = tables.slice(0, 64).map(({ name }) => `iceberg.sales.${name}`)
  const places = [
    { what: 'of tables', text: 'SELECT * FROM iceberg.sales.ta', word: 'ta' },
    { what: 'of columns', text: `SELECT * FROM ${named.join(', ')} WHERE co`, word: 'co' },
  ]
  return places.map(({ what, text, word }) => {
    const times = Array.from({ length: 20 }, () => {
      const start = performance.now()
      suggest({ text, offset: text.length, word }, lists, new Map())
      return performance.now() - start
    })
    return [`completion ${what}, median and 95 %`, quantiles(times)]
  })
}

async function rows(page: Page, devtools: CDPSession): Promise<Figures> {
  const heapBefore = await heapBytes(devtools)
  await page.locator('.monaco-editor .view-lines').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(ALL_ROWS)
  const start = performance.now()
  await page.keyboard.press('ControlOrMeta+Enter')
  const receipt = page.getByRole('region', { name: 'Receipt', exact: true })
  await page.getByTestId('glide-cell-1-0').waitFor({ state: 'attached' })
  const firstRow = performance.now() - start
  const exactness = receipt.getByRole('status')
  await exactness.filter({ hasText: 'exact' }).waitFor({ timeout: 300_000 })
  const elapsed = performance.now() - start
  const text = (await receipt.textContent()) ?? ''
  const rowCount = Number(/([\d,]+) rows/.exec(text)?.[1]?.replaceAll(',', ''))
  const heapGrown = (await heapBytes(devtools)) - heapBefore
  return [
    ['first cell in the accessible tree after', milliseconds(firstRow)],
    [`${rowCount} rows of 12 columns, all here after`, milliseconds(elapsed)],
    ['rows per second, decoded and kept', String(Math.round((rowCount * 1_000) / elapsed))],
    ['memory per million rows', `${Math.round(heapGrown / rowCount)} MB`],
  ]
}

/** Wheel by wheel through the result: the time between frames. */
async function scrolling(page: Page): Promise<Figures> {
  await page.evaluate(() => {
    const frames: number[] = []
    Object.assign(globalThis, { frames })
    let last = performance.now()
    const tick = (): void => {
      const now = performance.now()
      frames.push(now - last)
      last = now
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  const grid = page.locator('.results canvas').first()
  const box = await grid.boundingBox()
  if (box === null) return []
  await page.mouse.move(box.x + 200, box.y + 150)
  for (let i = 0; i < 120; i += 1) await page.mouse.wheel(0, 400)
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames)
  return [['frames while scrolling, median and 95 %', quantiles(frames)]]
}

/** So many rows of 200 columns: streamed past memory to the disk, then gone to and scrolled to the last one. */
async function large(page: Page, devtools: CDPSession, rowCount: number): Promise<Figures> {
  const heapBefore = await heapBytes(devtools)
  const columns = Array.from({ length: 200 }, (_, i) => `(r % ${LARGE_MODULUS + i})::UTINYINT AS c${i}`).join(
    ', ',
  )
  await page.locator('.monaco-editor .view-lines').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(`SELECT ${columns} FROM range(${rowCount}) t(r)`)
  const start = performance.now()
  await page.keyboard.press('ControlOrMeta+Enter')
  const exactness = page.getByRole('region', { name: 'Receipt', exact: true }).getByRole('status')
  await exactness.filter({ hasText: 'reading' }).waitFor()
  let heapMost = 0
  for (let said = 'reading'; said !== 'exact'; said = (await exactness.textContent()) ?? '') {
    if (!said.startsWith('reading')) throw new Error(`the large result did not come: ${said}`)
    heapMost = Math.max(heapMost, await heapBytes(devtools))
    // Each look collects garbage, which takes its time of the page.
    await page.waitForTimeout(5_000)
  }
  const elapsed = performance.now() - start
  const { usage = 0 } = await page.evaluate(() => navigator.storage.estimate())
  await page.getByRole('toolbar', { name: 'Result' }).getByRole('button', { name: 'Find' }).click()
  const jumps: number[] = []
  for (const row of [
    rowCount,
    1,
    Math.floor(rowCount / 2),
    rowCount - 1,
    Math.floor(rowCount / 3),
    rowCount,
  ]) {
    const jumpStart = performance.now()
    await page.getByRole('textbox', { name: 'Go to row' }).fill(String(row))
    await page.keyboard.press('Enter')
    const cell = page.getByTestId(`glide-cell-1-${row - 1}`)
    await cell
      .filter({ hasText: new RegExp(`^${(row - 1) % LARGE_MODULUS}$`) })
      .waitFor({ state: 'attached' })
    jumps.push(performance.now() - jumpStart)
  }
  await page.evaluate(() => ((globalThis as unknown as { frames: number[] }).frames.length = 0))
  return [
    [`${rowCount} rows of 200 columns, all here after`, milliseconds(elapsed)],
    ['… memory at most while they came', `${Math.round((heapMost - heapBefore) / 1e6)} MB`],
    ['… on the disk', `${Math.round(usage / 1e6)} MB`],
    ['… going to a row, until it is read out, median and 95 %', quantiles(jumps)],
    ...(await scrolling(page)).map(([what, figure]): [string, string] => [`… ${what}`, figure]),
  ]
}

/** Results of 100 MB each, in tabs of their own: what they hold together, the way back to one, and a reload. */
async function results(page: Page, devtools: CDPSession, count: number): Promise<Figures> {
  const exactness = page.getByRole('region', { name: 'Receipt', exact: true }).getByRole('status')
  const cell = page.getByTestId('glide-cell-2-3')
  const resultShown = async (i: number): Promise<void> =>
    await cell.filter({ hasText: new RegExp(`^${i}$`) }).waitFor({ state: 'attached' })
  const heapBefore = await heapBytes(devtools)
  let heapMost = 0
  for (let i = 0; i < count; i += 1) {
    await page.getByRole('button', { name: 'New query' }).click()
    await page.locator('.monaco-editor .view-lines').click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(`SELECT r AS n, ${i} AS result, repeat('x', 1000) FROM range(100000) t(r)`)
    await page.keyboard.press('ControlOrMeta+Enter')
    await resultShown(i)
    await exactness.filter({ hasText: 'exact' }).waitFor({ timeout: 60_000 })
    heapMost = Math.max(heapMost, await heapBytes(devtools))
  }
  const tabs = page.getByRole('tablist', { name: 'Queries' }).getByRole('tab')
  const start = performance.now()
  await tabs.nth(1).click()
  await resultShown(0)
  const back = performance.now() - start
  // The one that is shown last is among those that are kept.
  await tabs.nth(count).click()
  await resultShown(count - 1)
  const reloaded = performance.now()
  await page.reload()
  await resultShown(count - 1)
  return [
    [
      `${count} results of 100 MB in their tabs, memory at most`,
      `${Math.round((heapMost - heapBefore) / 1e6)} MB`,
    ],
    ['… back to the first of them, until it is read out', milliseconds(back)],
    ['… a reload with the last of them, until it is read out', milliseconds(performance.now() - reloaded)],
  ]
}

async function heapBytes(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize } = (await devtools.send('Runtime.getHeapUsage')) as {
    usedSize: number
    backingStorageSize?: number
  }
  return usedSize + (backingStorageSize ?? 0)
}

function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (share: number): string => milliseconds(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return `${at(0.5)}, ${at(0.95)}`
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
