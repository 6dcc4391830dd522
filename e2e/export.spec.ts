// A result as a file: exact, whole or not at all, with its receipt.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test, type Download, type Page } from '@playwright/test'
import { GOLDEN_COLUMNS, GOLDEN_ROWS, GOLDEN_SQL } from '@lake/core/values/test/golden-values.ts'
import { storedCount } from './support/stored-results.ts'
import { Workbench } from './support/workbench.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Export' })
const ENDLESS = 'SELECT r, repeat(md5(r::VARCHAR), 8) AS t FROM range(500000000) t(r)'

async function openExport(page: Page, format: string): Promise<void> {
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: new RegExp(`^${format}…`) }).click()
  await expect(dialog(page)).toBeVisible()
}

const begin = (page: Page) => dialog(page).getByRole('button', { name: 'Export', exact: true }).click()

/** What was saved, by name. */
async function saved(downloads: readonly Download[]): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const download of downloads)
    files.set(download.suggestedFilename(), readFileSync(await download.path()))
  return files
}

function watchDownloads(page: Page): Download[] {
  const downloads: Download[] = []
  page.on('download', (download) => downloads.push(download))
  return downloads
}

const csvField = (text: string | null): string => {
  if (text === null) return ''
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
const GOLDEN_CSV = [GOLDEN_COLUMNS.map(({ name }) => name), ...GOLDEN_ROWS]
  .map((row) => `${row.map(csvField).join(',')}\r\n`)
  .join('')

const TIP_COLUMN_PX = 60

/** Makes every column of the shown result so narrow that hardly a value fits, and runs it again. */
async function narrowColumns(page: Page): Promise<void> {
  await page.getByRole('toolbar', { name: 'Result' }).getByRole('button', { name: 'Columns' }).click()
  for (let i = 0; i < 2; i += 1) await page.getByRole('menuitemcheckbox', { name: '1 id' }).click()
  await page.evaluate((width) => {
    const key = 'lake.grid-views.v1'
    const views = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<
      string,
      { order: number[]; widths: unknown }
    >
    for (const [id, view] of Object.entries(views))
      views[id] = { ...view, widths: Object.fromEntries(view.order.map((column) => [column, width])) }
    localStorage.setItem(key, JSON.stringify(views))
  }, TIP_COLUMN_PX)
  await expect.poll(() => storedCount(page)).toBe(1)
  await page.reload()
}

test('[XF2] the golden table is exact in the tips of cells that do not show all', async ({ page }) => {
  await page.setViewportSize({ width: 2_200, height: 900 })
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(GOLDEN_SQL)
  await expect(workbench.exactness).toHaveText('exact')
  await narrowColumns(page)
  await expect(workbench.exactness).toHaveText('exact')
  const tip = page.getByRole('tooltip')
  const box = await page.locator('.result-grid canvas').first().boundingBox()
  const markerPx = 22 + 8 * 2
  let count = 0
  for (const [row, texts] of GOLDEN_ROWS.entries())
    for (const [column, text] of texts.entries()) {
      if (text === null || (text.length < 10 && !/[\n\t]/.test(text))) continue
      const x = (box?.x ?? 0) + markerPx + (column + 0.5) * TIP_COLUMN_PX
      await page.mouse.move(x, (box?.y ?? 0) + 44 + row * 24 + 6)
      await expect
        .poll(() => tip.locator('.cell-tip-text').evaluate((element) => element.textContent))
        .toBe(text)
      count += 1
    }
  expect(count).toBeGreaterThan(30)
  await workbench.screen('cell-tip')
  await workbench.expectAccessible()
  await page.keyboard.press('Escape')
  await expect(tip).toHaveCount(0)
})

test('[XF2] the golden table is exact in the grid, the viewer, a copy, and every file', async ({ page }) => {
  // Seven files, each opened and saved.
  test.slow()
  await page.setViewportSize({ width: 6_400, height: 1_000 })
  const workbench = new Workbench(page)
  const downloads = watchDownloads(page)
  await workbench.open()
  await workbench.run(GOLDEN_SQL)
  await expect(workbench.exactness).toHaveText('exact')

  const lastCell = workbench.cell(GOLDEN_COLUMNS.length - 1, GOLDEN_ROWS.length - 1)
  await expect(lastCell).toBeAttached()
  const shown = await page.evaluate(
    ([columnCount, rowCount]) =>
      Array.from({ length: rowCount }, (_, row) =>
        Array.from(
          { length: columnCount },
          (_, column) =>
            document.querySelector(`[data-testid="glide-cell-${column + 1}-${row}"]`)?.textContent,
        ),
      ),
    [GOLDEN_COLUMNS.length, GOLDEN_ROWS.length] as const,
  )
  const drawn = (text: string | null): string =>
    text === null ? 'NULL' : text === '' ? '""' : text.replaceAll(/\r\n|\r|\n/g, '↵').replaceAll('\t', '⇥')
  expect(shown).toEqual(GOLDEN_ROWS.map((row) => row.map(drawn)))

  await page
    .getByRole('toolbar', { name: 'Result' })
    .getByRole('button', { name: 'Copy', exact: true })
    .click()
  await page.getByRole('menuitem', { name: /^CSV/ }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(GOLDEN_CSV)

  const box = await page.locator('.result-grid canvas').first().boundingBox()
  await page.mouse.click((box?.x ?? 0) + 80, (box?.y ?? 0) + 44 + 12)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Cell' })).toContainText('9223372036854775807')
  await page.getByRole('button', { name: 'Close cell' }).click()

  for (const [label, format] of [
    ['CSV', 'csv'],
    ['JSON lines', 'jsonl'],
    ['Parquet', 'parquet'],
    ['Arrow', 'arrow'],
    ['XLSX', 'xlsx'],
  ] as const) {
    downloads.length = 0
    await openExport(page, label)
    await begin(page)
    await expect(dialog(page).getByText(`is whole: ${GOLDEN_ROWS.length} rows`)).toBeVisible()
    if (format === 'parquet' || format === 'arrow' || format === 'xlsx')
      await dialog(page).getByRole('button', { name: 'Save receipt' }).click()
    await expect.poll(() => downloads.length).toBe(2)
    const files = await saved(downloads)
    const name = [...files.keys()].find((each) => !each.endsWith('.receipt.json'))
    expect(name).toMatch(new RegExp(`\\.${format}$`))
    const bytes = files.get(name ?? '') ?? Buffer.alloc(0)
    const receipt = JSON.parse(files.get(`${name}.receipt.json`)?.toString() ?? '') as {
      sql: string
      rowCount: number
      file: { byteCount: number; sha256: string }
    }
    expect(receipt).toMatchObject({
      sql: GOLDEN_SQL,
      rowCount: GOLDEN_ROWS.length,
      file: { byteCount: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
    })
    if (format === 'csv') expect(bytes.toString()).toBe(GOLDEN_CSV)
    if (format === 'jsonl')
      expect(bytes.toString().split('\n')[0]).toContain('{"id":"9223372036854775807","id_2":"12.34"')
    await dialog(page).getByRole('button', { name: 'Close' }).click()
  }
})

test.describe('over a table', () => {
  test.beforeEach(async ({ page }) => {
    const workbench = new Workbench(page)
    await workbench.open()
    await workbench.run('SELECT * FROM iceberg.analytics.robots ORDER BY robot_id')
    await expect(workbench.exactness).toHaveText('exact')
  })

  test('[XF3] by keyboard alone, with what the file is made from in sight', async ({ page }) => {
    const workbench = new Workbench(page)
    const downloads = watchDownloads(page)
    await page.getByRole('button', { name: 'Export', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await expect(dialog(page)).toContainText('The export holds all')
    await expect(dialog(page).getByRole('button', { name: 'Export', exact: true })).toBeFocused()
    await expect(dialog(page)).toContainText('analytics.robots')
    await workbench.screen('export')
    await workbench.expectAccessible()
    await page.emulateMedia({ colorScheme: 'dark' })
    await workbench.screen('export-dark')
    await workbench.expectAccessible()
    await page.emulateMedia({ colorScheme: 'light' })
    await dialog(page).getByRole('radio', { name: 'CSV' }).focus()
    await page.keyboard.press('ArrowDown')
    await expect(dialog(page).getByRole('radio', { name: 'JSON lines' })).toBeChecked()
    await dialog(page).getByRole('button', { name: 'Export', exact: true }).focus()
    await page.keyboard.press('Enter')
    await expect(dialog(page).getByText('is whole')).toBeVisible()
    await workbench.screen('export-done')
    await workbench.expectAccessible()
    await expect.poll(() => downloads.length).toBe(2)
    expect(downloads.map((download) => download.suggestedFilename())[0]).toMatch(/_robots-\d{15,19}\.jsonl$/)
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toBeHidden()
  })

  test('[XF1] a transfer that is cut saves nothing, and says so', async ({ page }) => {
    const workbench = new Workbench(page)
    const downloads = watchDownloads(page)
    await page.route('**/api/v1/export', async (route) => {
      const response = await route.fetch()
      const body = await response.body()
      await route.fulfill({ response, body: body.subarray(0, body.length - 40) })
    })
    await openExport(page, 'CSV')
    await begin(page)
    await expect(dialog(page).getByText('The file did not arrive whole.')).toBeVisible()
    await workbench.screen('export-cut')
    await workbench.expectAccessible()
    await page.unroute('**/api/v1/export')
    await begin(page)
    await expect(dialog(page).getByText('is whole')).toBeVisible()
    await expect.poll(() => downloads.length).toBe(2)
  })

  test('[XF3] an old ticket says what to do, and the same snapshots are read', async ({ page }) => {
    const error = { code: 'TICKET_EXPIRED', message: 'The ticket has expired', requestId: 'r' }
    await page.route(
      '**/api/v1/export',
      async (route) => await route.fulfill({ status: 410, json: { error } }),
      {
        times: 1,
      },
    )
    await openExport(page, 'Parquet')
    await begin(page)
    await expect(dialog(page).getByText('TICKET_EXPIRED')).toBeVisible()
    const planned = page.waitForRequest('**/api/v1/flight-info')
    await dialog(page).getByRole('button', { name: 'Plan again at the same snapshots, and export' }).click()
    const { pins } = (await planned).postDataJSON() as { pins: { table: string }[] }
    expect(pins.map(({ table }) => table)).toEqual(['robots'])
    await expect(dialog(page).getByText('is whole')).toBeVisible()
  })

  test('on a narrow screen', async ({ page }) => {
    const workbench = new Workbench(page)
    await page.setViewportSize({ width: 560, height: 760 })
    await openExport(page, 'CSV')
    await workbench.screen('export-560')
    await workbench.expectAccessible()
  })
})

test('[XF3] an export can be stopped, and holds more than the screen', async ({ page }) => {
  const workbench = new Workbench(page)
  const downloads = watchDownloads(page)
  await workbench.open()
  await workbench.run(ENDLESS)
  await expect(workbench.cell(0, 0)).toBeAttached()
  await workbench.stop.click()
  await expect(workbench.exactness).toHaveText(/^cancelled after/)
  await openExport(page, 'CSV')
  await expect(dialog(page)).toContainText(
    /On the screen: cancelled after [\d,]+ rows. The export holds all rows./,
  )
  await begin(page)
  await expect(dialog(page).getByText(/[\d,]+ rows · [\d.]+ [kM]B/)).toBeVisible()
  await workbench.screen('export-running')
  await workbench.expectAccessible()
  await dialog(page).getByRole('button', { name: 'Stop' }).click()
  await expect(dialog(page)).toContainText('Stopped; nothing was saved. The work on the server has ended.')
  expect(downloads).toEqual([])
})
