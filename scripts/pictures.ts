// Makes the pictures of the documents anew, in Chromium over the demo tables: run it when the face of the workbench has
// changed, and look at what it made.
//
//   npm run pictures [-- name…]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { buildWeb, ROOT, startProgram } from './programs.ts'

const EPISODES = `SELECT day, task, count(*) AS episodes, avg(reward) AS reward, sum(distance_m) AS distance_m, max(started_at) AS last_start
FROM iceberg.analytics.episodes
WHERE day >= DATE '2026-09-20'
GROUP BY ALL
ORDER BY day, reward DESC`
const FILTERED = `SELECT robot_id, avg(reward) AS reward
FROM iceberg.analytics.episodes
WHERE day >= DATE '2026-09-20' AND lower(task) = 'pick'
GROUP BY robot_id`
const BY_DAY = `SELECT day, sum(reward)::DECIMAL(18, 2) AS reward
FROM iceberg.analytics.episodes
GROUP BY day
ORDER BY day`

const receipt = (page: Page) => page.getByRole('region', { name: 'Receipt', exact: true })

async function openQueries(page: Page, sql: string): Promise<void> {
  await page.goto('/')
  await page.getByRole('treeitem', { name: 'analytics' }).click()
  await page.locator('.monaco-editor .view-lines').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(sql)
  await page.getByRole('slider', { name: /^Snapshot of/ }).waitFor()
}

async function run(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Enter')
  await receipt(page)
    .getByRole('status')
    .filter({ hasText: /^exact$/ })
    .waitFor()
}

const PICTURES: Record<string, (page: Page) => Promise<void>> = {
  'workbench-light': async (page) => {
    await openQueries(page, EPISODES)
    await run(page)
  },
  estimate: async (page) => {
    await openQueries(page, FILTERED)
    // Puts the suggestions away.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Alt+Enter')
    await page.getByRole('complementary', { name: 'What would be read', exact: true }).waitFor()
  },
  chart: async (page) => {
    await openQueries(page, BY_DAY)
    await run(page)
    await page.getByRole('button', { name: 'Chart', exact: true }).click()
    await page.getByRole('figure', { name: 'Chart' }).getByRole('img').waitFor()
  },
  'time-travel': async (page) => {
    await openQueries(page, EPISODES.replace("DATE '2026-09-20'", "DATE '2026-08-15'"))
    await page.getByRole('slider', { name: /^Snapshot of/ }).press('Home')
    await run(page)
    await receipt(page).getByText('as of an older snapshot').waitFor()
  },
  compare: async (page) => {
    await page.goto('/t/analytics/episodes?part=snapshots')
    await page
      .getByRole('button', { name: /^What changed in snapshot/ })
      .first()
      .click()
    const from = page.getByLabel('From')
    await from.waitFor()
    await from.selectOption({ index: (await from.locator('option').count()) - 1 })
    await page.getByRole('row', { name: /^All partitions/ }).waitFor()
  },
  'table-page': async (page) => {
    await page.goto('/t/analytics/episodes')
    await page.getByText('from manifests').waitFor()
  },
  'table-dark': async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto('/t/analytics/maintenance')
    await page.getByText('from manifests').waitFor()
    await page.getByRole('button', { name: /wear/ }).first().click()
  },
}

const directory = await mkdtemp(join(tmpdir(), 'lake-pictures-'))
try {
  await buildWeb()
  const args = ['--json', '--port=0', `--data=${directory}`, '--demo-scale=0.5']
  await using stack = await startProgram<{ url: string }>('scripts/start.ts', args, { env: {} })
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const asked = process.argv.slice(2)
  for (const [name, show] of Object.entries(PICTURES)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      baseURL: stack.ready.url,
    })
    const page = await context.newPage()
    await show(page)
    // Nothing is told by hovering, and what fades has faded.
    await page.mouse.move(1, 899)
    await page.waitForTimeout(500)
    await page.screenshot({ path: join(ROOT, `docs/images/${name}.png`) })
    await context.close()
  }
  await browser.close()
} finally {
  await rm(directory, { recursive: true, force: true })
}
