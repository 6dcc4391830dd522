// Measures the page of a table of very many files in Chromium: until its first page of files is drawn, until another order or another
// page of them is, what comes over the wire, and how long the page itself was held up.
//
//   npm run bench:files [-- --files 100000]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from '@playwright/test'
import { buildWeb, lakeEnvironment, startProgram, type LakeReady } from '../scripts/programs.ts'
import { makeManyFiles, MANY_FILES } from './many-files.ts'
import { machineFacts } from './report.ts'

const { values: options } = parseArgs({ options: { files: { type: 'string', default: '100000' } } })
const PATH = `/t/${MANY_FILES.namespace[0]}/${MANY_FILES.name}`
const directory = await mkdtemp(join(tmpdir(), 'lake-bench-files-'))

interface Step {
  what: string
  ms: number
  /** Of answers with the table's metadata, files, manifests or statistics, as sent. */
  bytes: number
  longestTaskMs: number
}

try {
  await main()
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function main(): Promise<void> {
  await buildWeb()
  const data = join(directory, 'lake')
  await makeManyFiles(data, Number(options.files))
  const lakeArgs = ['--data', data, '--no-demo']
  await using lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', lakeArgs, { env: {} })
  const env = {
    ...lakeEnvironment({ ...lake.ready, namespaces: MANY_FILES.namespace.slice() }),
    LAKE_HTTP_ADDR: '127.0.0.1:0',
    LAKE_LOG_LEVEL: 'warn',
  }
  await using server = await startProgram<{ url: string }>('apps/server/src/main.ts', [], { env })
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const page = await browser.newPage({ baseURL: server.ready.url, viewport: { width: 1440, height: 900 } })
  const steps = await measure(page)
  await browser.close()
  process.stdout.write(
    `npm run bench:files -- --files ${options.files}\n${JSON.stringify(machineFacts())}\n\n`,
  )
  for (const { what, ms, bytes, longestTaskMs } of steps)
    process.stdout.write(
      `| ${what} | ${Math.round(ms)} ms | ${(bytes / 1_000).toFixed(1)} kB | ${Math.round(longestTaskMs)} ms |\n`,
    )
}

async function measure(page: Page): Promise<Step[]> {
  let bytes = 0
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const wanted = new Set<string>()
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (/\/(files|manifests|statistics)(\?|$)/.test(request.url)) wanted.add(requestId)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (wanted.has(requestId)) bytes += encodedDataLength
  })
  await page.addInitScript(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { longTasks: tasks })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration)
    }).observe({ type: 'longtask' })
  })
  const steps: Step[] = []
  const step = async (what: string, act: () => Promise<unknown>, isDone: () => Promise<unknown>) => {
    bytes = 0
    await page.evaluate(() =>
      ((globalThis as unknown as { longTasks?: number[] }).longTasks ??= []).splice(0),
    )
    const start = performance.now()
    await act()
    await isDone()
    const ms = performance.now() - start
    const tasks = await page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks)
    steps.push({ what, ms, bytes, longestTaskMs: Math.max(0, ...tasks) })
  }
  const rows = page.getByRole('rowheader')
  const firstPath = () => rows.first().innerText()
  /** Drawn, and no longer the page before. */
  const another = (before: string) => async () => {
    await page.waitForFunction(
      (text) =>
        document.querySelector('.data-table-frame')?.getAttribute('aria-busy') === 'false' &&
        document.querySelector<HTMLElement>('tbody th')?.innerText !== text,
      before,
    )
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const shown = () => rows.first().waitFor()
  await step('first page of the files, nothing read yet', () => page.goto(`${PATH}?part=files`), shown)
  await step('again after a reload', () => page.reload(), shown)
  for (const [what, act] of [
    ['sorted by size', () => button('size')],
    ['sorted by rows', () => button('rows')],
    ['next page', () => button('Next page')],
    ['last page', () => button('Last page')],
    ['found by a part of the path', () => page.getByRole('searchbox').last().fill('ff.parquet')],
    ['back to the page before', () => page.goBack()],
  ] as const) {
    const before = await firstPath()
    await step(what, act, another(before))
  }
  await step('manifests', () => page.goto(`${PATH}?part=manifests`), shown)
  const figures = page.getByRole('row', { name: /^1 id/ }).getByText('%')
  await step(
    'statistics of the columns',
    () => page.goto(PATH),
    () => figures.first().waitFor(),
  )
  return steps
}
