// Statements that outlive the page: run in the background, found again, opened without running.
import { chromium, expect, test } from '@playwright/test'
import { startOwnStack } from './support/own-stack.ts'
import { Workbench } from './support/workbench.ts'

const SQL = 'SELECT task, count(*) AS n FROM iceberg.analytics.episodes GROUP BY task ORDER BY task'
const LONG = `SELECT sum(hash(a.range, b.range)) FROM range(300000) a, range(100000) b,
  (SELECT count(*) FROM iceberg.analytics.episodes)`

test('[BG1] a statement runs in the background, and its result is opened again without running', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type(SQL)
  await page.getByRole('button', { name: 'Run in background' }).click()
  await expect(workbench.exactness).toHaveText('exact')
  const first = await workbench.cell(0, 0).textContent()

  await page.getByRole('tab', { name: 'Background' }).click()
  const list = page.getByRole('region', { name: 'Background statements' })
  const entry = list.getByRole('listitem').filter({ hasText: 'GROUP BY task' }).first()
  await expect(entry).toContainText('finished')
  await expect(entry).toContainText('kept for')
  await expect(entry).toContainText('analytics.episodes @')
  await entry.getByRole('button', { name: /SELECT task/ }).click()
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.cell(0, 0)).toHaveText(first ?? '')

  // It is exported from what is kept, and linked as any other.
  const exporting = page.waitForRequest((request) => request.url().endsWith('/export'))
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
  await expect(page.getByRole('dialog').getByText('is whole')).toBeVisible()
  const { ticket } = (await exporting).postDataJSON() as { ticket: string }
  expect(ticket).toMatch(/^result\./)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy link (pinned)' }).click()
  await expect(page.getByText(/^Link copied, pinned/)).toBeVisible()

  // The same statement at the same snapshots is answered by what is kept, and says so.
  await page.getByRole('button', { name: 'Run in background' }).click()
  await expect(workbench.receipt).toContainText(/kept result ·/)
  await workbench.expectAccessible()
  await workbench.screen('background')

  // [BG7] So is a plain run, and it can run anew.
  await workbench.run(SQL)
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.receipt).toContainText(/kept result ·/)
  await expect(workbench.cell(0, 0)).toHaveText(first ?? '')
  await page.getByRole('button', { name: 'Receipt', exact: true }).click()
  await expect(page.getByText('A kept result answers')).toBeVisible()
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await workbench.screen(`kept-${scheme}`)
  }
  await page.setViewportSize({ width: 560, height: 800 })
  await workbench.screen('kept-narrow')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Run anew' }).click()
  await expect(page.getByText(/kept result ·/)).toHaveCount(0)
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.cell(0, 0)).toHaveText(first ?? '')
})

test('[BG2] what runs can be taken to the background, and stopped from the list', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(LONG)
  // [BG6] Leaving would end it, so the browser asks, and the page says what is meant.
  await expect(page.getByText('stops when you leave')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continue in background' })).toBeVisible()
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await page.close({ runBeforeUnload: true })
  await expect(page.getByText('Leaving stops 1 statement here')).toBeVisible()
  expect(asked).toEqual(['beforeunload'])
  await page.getByRole('button', { name: 'Continue in background' }).click()
  await expect(page.getByText('goes on when you leave')).toBeVisible()
  await expect(page.getByRole('contentinfo')).toContainText('1 in background')
  await page.getByRole('tab', { name: 'Background' }).click()
  await page.getByRole('button', { name: /Stop the statement of/ }).click()
  await expect(
    page.getByRole('region', { name: 'Background statements' }).getByText('cancelled').first(),
  ).toBeVisible()
  await expect(workbench.exactness).toContainText('cancelled')
})

test('[BG5] a kept result of any size is paged through as the grid scrolls, and an altered part is an error', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  const fetched: string[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/do-get')) fetched.push(response.headers()['content-length'] ?? '')
  })
  await workbench.open()
  await workbench.type('SELECT range AS n, range * 2 AS twice FROM range(1300000)')
  await page.getByRole('button', { name: 'Run in background' }).click()
  await expect(workbench.exactness).toHaveText('exact', { timeout: 30_000 })
  await expect(workbench.receipt).toContainText('1,300,000 rows')
  // Five parts; what is looked at is one.
  await expect(workbench.cell(0, 5)).toHaveText('5')
  expect(fetched).toHaveLength(1)
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  const goTo = page.getByLabel('Go to row')
  for (const row of [400_000, 900_000]) {
    await goTo.fill(String(row))
    await goTo.press('Enter')
    await expect(workbench.cell(1, row - 1)).toHaveText(String((row - 1) * 2))
  }
  expect(fetched).toHaveLength(3)
  await workbench.expectAccessible()
  await workbench.screen('background-paged')

  await page.route('**/do-get', async (route) => {
    const response = await route.fetch()
    const body = await response.body()
    body[body.length >> 1]! ^= 1
    await route.fulfill({ response, body })
  })
  await goTo.fill('1300000')
  await goTo.press('Enter')
  await expect(workbench.alert).toContainText('RESULT_CORRUPT')
  await expect(workbench.exactness).toContainText('incomplete')
  await workbench.screen('background-corrupt')
})

test('[BG3] a statement is there, finished, after its browser was killed and the server restarted', async () => {
  test.setTimeout(120_000)
  await using stack = await startOwnStack()
  const launch = async () =>
    await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
  const sql =
    'SELECT sum(hash(range)) AS s FROM range(60000000), (SELECT count(*) FROM iceberg.analytics.episodes)'
  const killed = await launch()
  const before = new Workbench(await killed.newPage({ baseURL: stack.url }))
  await before.open()
  await before.type(sql)
  await before.page.getByRole('button', { name: 'Run in background' }).click()
  await expect(before.page.getByText('goes on when you leave')).toBeVisible()
  await killed.close()
  await stack.restart()

  const browser = await launch()
  const after = new Workbench(await browser.newPage({ baseURL: stack.url }))
  await after.open()
  await after.page.getByRole('tab', { name: 'Background' }).click()
  const entry = after.page.getByRole('region', { name: 'Background statements' }).getByRole('listitem')
  await expect(entry).toContainText('finished · 1 row', { timeout: 60_000 })
  await entry.getByRole('button', { name: /SELECT sum/ }).click()
  await expect(after.exactness).toHaveText('exact')
  await expect(after.receipt).toContainText('analytics.episodes @')
  await browser.close()
})
