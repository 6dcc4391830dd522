// A table's page part by part: what manifests say of columns and files, the preview, the table as it was; its URL, its keys,
// and its states while it waits, fails, or has nothing to show.
import { expect, test, type Page } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

const EPISODES = '/t/analytics/episodes'
const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the table’s page' }).getByRole('link', { name })
const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name })

test('[TP3] columns have statistics from manifests, and nothing moves when they come', async ({ page }) => {
  const workbench = new Workbench(page)
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/episodes/statistics?*', async (route) => {
    await held
    await route.continue()
  })
  await workbench.open(EPISODES)
  await expect(page.getByText(/^reading 6 manifests, [\d.]+ kB…$/)).toBeVisible()
  const header = page.getByRole('rowheader', { name: 'reward' })
  const before = await header.boundingBox()
  await workbench.screen('table-columns-waiting')
  release()
  const reward = row(page, /^7 reward/)
  await expect(reward).toContainText('0.9%')
  await expect(row(page, /^3 day/)).toContainText('2026-08-022026-09-30')
  // Files from before the column was added do not count it.
  await expect(
    row(page, /^12 operator/)
      .getByTitle(/the others do not say/)
      .first(),
  ).toBeVisible()
  await expect(workbench.receipt).toContainText('100,000 rows in 121 data files')
  expect((await header.boundingBox())?.y).toBe(before?.y)
  await workbench.screen('table-page')
  await workbench.expectAccessible()
})

test('[TP3] [TP4] [TP8] a table with a past: figures open by keyboard, and what changed is told', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open('/t/analytics/maintenance')
  const visitId = page.getByRole('button', { name: /^visit_id/ })
  await expect(row(page, /^1 visit_id/)).toContainText('≈ 5,221')
  await visitId.focus()
  await page.keyboard.press('Enter')
  await expect(visitId).toHaveAttribute('aria-expanded', 'true')
  const details = page.getByRole('group', { name: 'Details of visit_id' })
  await expect(details).toContainText(
    /distinct≈ 5,221different values, estimated by a sketch of snapshot \d+, an earlier one/,
  )
  await expect(details).toContainText('0 NULLs of 5,200 values, in all 12 data files')
  await expect(details).toContainText('1 position delete file takes away at most 5 rows')
  await expect(details).toContainText(
    /schema 1: widened, int → long, since the commit of 2026-09-08 05:00:11 UTC/,
  )
  await page.getByRole('button', { name: 'severity' }).click()
  await expect(page.getByRole('group', { name: 'Details of severity' })).toContainText(
    'in 8 of 12 data files; the others do not say',
  )
  await workbench.screen('table-column-open')
  await workbench.expectAccessible()
  await page.keyboard.press('Space')
  await expect(page.getByRole('group', { name: 'Details of severity' })).toHaveCount(0)

  await part(page, 'Details').click()
  const schemas = page.getByRole('region', { name: 'Table of schemas' }).getByRole('row')
  await expect(schemas.nth(1)).toContainText(
    /severity added, string.*cost widened, decimal\(8, 2\) → decimal\(12, 2\).*part dropped, was string/,
  )
  await expect(schemas.nth(2)).toContainText('done_by renamed, was technician')
  const specs = page.getByRole('region', { name: 'Table of partition specs' }).getByRole('row')
  await expect(specs.nth(1)).toContainText('day(opened_at), bucket[4](robot_id)current+ bucket[4](robot_id)')
  await expect(specs.nth(2)).toContainText('+ day(opened_at)− month(opened_at)')
  const orders = page.getByRole('region', { name: 'Table of sort orders' }).getByRole('row')
  await expect(orders.nth(1)).toContainText(
    '+ robot_id asc nulls-first+ opened_at desc nulls-last− opened_at asc nulls-first',
  )
  await workbench.screen('table-evolution')

  await part(page, 'Snapshots').click()
  await expect(row(page, /^late-entries branch/)).toContainText('1 commit beyond what is current')
  await expect(row(page, /^q3-close tag/)).toContainText('1 commit before what is current')

  await part(page, 'Files').click()
  await page.getByRole('button', { name: /^Details of .*00000-0-deletes/ }).click()
  const file = page.getByRole('group', { name: /^Details of .*00000-0-deletes/ })
  await expect(file).toContainText(/paths3:\/\/lake\/.*-deletes\.parquet/)
  await expect(file).toContainText('5that it takes away')
  await expect(file).toContainText(/added by\d+delete of 2026-10-01 08:20:31 UTC/)
})

test('[TP1] every part has an address, and Back leads to the part before', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open(EPISODES)
  for (const name of ['Snapshots', 'Files', 'Manifests', 'Details']) {
    await part(page, name).click()
    await expect(page).toHaveURL(new RegExp(`part=${name.toLowerCase()}$`))
    await expect(part(page, name)).toHaveAttribute('aria-current', 'page')
    await expect(page.getByRole('table').first()).toBeVisible()
    await workbench.screen(`table-${name.toLowerCase()}`)
    if (name !== 'Files') await workbench.expectAccessible()
  }
  await page.goBack()
  await expect(page.getByRole('columnheader', { name: 'manifest' })).toBeVisible()
})

test('[TP2] files are sorted, searched and paged by keyboard, and a file opens as a query', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open(`${EPISODES}?part=files`)
  const pages = page.getByRole('navigation', { name: 'Pages of files' })
  await expect(pages).toContainText('1 to 100 of 121')
  await page.getByRole('button', { name: 'size' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('columnheader', { name: 'size' })).toHaveAttribute('aria-sort', 'descending')
  await expect(page).toHaveURL(/sort=bytes&order=desc$/)
  await pages.getByRole('button', { name: 'Next page' }).focus()
  await page.keyboard.press('Enter')
  await expect(pages).toContainText('101 to 121 of 121')
  await expect(page.getByRole('rowheader')).toHaveCount(21)
  await page.getByRole('searchbox', { name: 'Find in paths and partitions' }).fill('day = 2026-09-2')
  await expect(page.getByRole('rowheader')).toHaveCount(20)
  await expect(page).toHaveURL(/find=day/)
  await page.reload()
  await expect(page.getByRole('searchbox')).toHaveValue('day = 2026-09-2')
  await page.getByRole('searchbox').fill('nothing has this name')
  await expect(page.getByText('No file of the snapshot is so.')).toBeVisible()
  await page.goBack()
  await page
    .getByRole('button', { name: /^Query the rows of data/ })
    .first()
    .click()
  await workbench.expectEditorText(/WHERE _file = 's3:\/\//)
})

test('[TP5] a preview reads one row group of one file, and says so', async ({ page }) => {
  const workbench = new Workbench(page)
  const asked: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/do-get')) asked.push(request.postDataJSON())
  })
  await workbench.open('/t/analytics/telemetry')
  await part(page, 'Preview').click()
  await expect(workbench.exactness).toHaveText(/^first \d+ rows, total unknown$/)
  expect(asked).toEqual([{ ticket: expect.any(String) as unknown, isPreview: true }])
  await expect(workbench.cell(0, 0)).not.toBeEmpty()
  await workbench.screen('table-preview')
  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  const facts = page.getByRole('complementary', { name: 'Receipt details' })
  await expect(facts.getByText(/^1 read, \d+ skipped$/)).toHaveCount(2)
  await expect(facts.getByText('A preview: rows of one row group of one data file')).toBeVisible()
  await workbench.expectAccessible()
  // What was read is kept: coming back reads nothing.
  await part(page, 'Columns').click()
  await part(page, 'Preview').click()
  await expect(workbench.exactness).toHaveText(/^first/)
  expect(asked).toHaveLength(1)
  await page.getByRole('button', { name: 'Read on in a query' }).click()
  await workbench.expectEditorText(/FROM iceberg\.analytics\.telemetry/)
})

test('[TP6] the page as of a snapshot says so, in every part, and leads back', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open(`${EPISODES}?part=snapshots`)
  await row(page, /delete/)
    .getByRole('button', { name: /^Show the table as of/ })
    .click()
  const past = page.getByText('The table as of 2026-10-02 09:41:18 UTC, 2 commits before what is current')
  await expect(past).toBeVisible()
  await expect(page.getByText(/3 position delete files take away at most \d+ rows/)).toBeVisible()
  await expect(workbench.receipt).toContainText('as of an older snapshot')
  await workbench.screen('table-past')
  await workbench.expectAccessible()
  await part(page, 'Files').click()
  await expect(past).toBeVisible()
  await page.getByLabel('Which files').selectOption('deletes')
  await expect(page.getByRole('rowheader')).toHaveCount(3)
  await expect(page.getByRole('cell', { name: 'position deletes' }).first()).toBeVisible()
  await part(page, 'Preview').click()
  await expect(workbench.receipt).toContainText('as of an older snapshot')
  await page.getByRole('button', { name: 'Show what is current' }).click()
  await expect(page).toHaveURL(/part=preview$/)
  await expect(past).toHaveCount(0)
  await page.goto(`${EPISODES}?snapshot=1`)
  await expect(page.getByText('Snapshot 1 is not in the table any more')).toBeVisible()
})

test('[TP7] what fails says why and can be asked again, and an empty table says that it is one', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  let isBroken = true
  await page.route('**/episodes/files?*', (route) => (isBroken ? route.abort() : route.continue()))
  await workbench.open(`${EPISODES}?part=files`)
  await expect(workbench.alert).toContainText('The server could not be reached.')
  await workbench.screen('table-files-failed')
  isBroken = false
  await workbench.alert.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('rowheader')).toHaveCount(100)

  await page.route('**/api/v1/namespaces/analytics/tables/robots', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as Record<string, unknown>
    const empty = { ...body, currentSnapshotId: null, snapshots: [], refs: [] }
    await route.fulfill({ response, json: empty })
  })
  for (const name of ['preview', 'snapshots', 'files', 'manifests']) {
    await page.goto(`/t/analytics/robots?part=${name}`)
    await expect(page.getByText('Nothing has been committed to this table yet.')).toBeVisible()
  }
  await page.goto('/t/analytics/robots')
  await expect(page.getByRole('rowheader', { name: 'robot_id' })).toBeVisible()
})

for (const width of [1_024, 560]) {
  test(`the page fits a window of ${width} pixels`, async ({ page }) => {
    const workbench = new Workbench(page)
    await page.setViewportSize({ width, height: 800 })
    for (const name of width === 560 ? ['columns', 'preview', 'files'] : ['columns', 'files']) {
      await workbench.open(`${EPISODES}?part=${name}`)
      await expect(workbench.receipt).toContainText(/\d rows/)
      await workbench.screen(`table-${name}-${width}`)
      if (width === 560) await workbench.expectAccessible()
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
    }
  })
}
