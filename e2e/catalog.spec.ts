// Browsing: namespaces, tables, table pages, and what happens when they are not there.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test('a namespace opens to its tables, a table to its page, and Back returns', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.treeItem('analytics').click()
  await workbench.treeItem('episodes').click()
  await expect(page).toHaveURL(/\/t\/analytics\/episodes$/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('episodes')
  await expect(page.getByRole('rowheader', { name: 'episode_id' })).toBeVisible()
  await expect(page.getByText('decimal(12, 3)')).toBeVisible()
  await workbench.expectAccessible()
  await page.goBack()
  await expect(page.locator('.monaco-editor')).toBeVisible()
})

test('a snapshot id is copied whole', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open('/t/analytics/episodes?part=snapshots')
  const button = page.getByRole('button', { name: /^Copy snapshot id/ }).first()
  const id = /\d+/.exec((await button.getAttribute('aria-label')) ?? '')?.[0] ?? 'none'
  await button.click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  await expect.poll(async () => await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
})

test('the tree can be used by keyboard alone', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.treeItem('analytics').focus()
  await page.keyboard.press('ArrowRight')
  await expect(workbench.treeItem('episodes')).toBeVisible()
  await page.keyboard.press('e')
  await expect(workbench.treeItem('episodes')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(workbench.treeItem('episode_id')).toBeVisible()
  await workbench.screen('tree-columns')
  await page.keyboard.press('Space')
  await expect(page).toHaveURL(/episodes$/)
  // The menu of a row, and its name in the statement: by Enter, a double click and dragging.
  await workbench.treeItem('episodes').focus()
  await page.keyboard.press('Shift+F10')
  await expect(page.getByRole('menuitem')).toHaveText([
    /^Preview/,
    /^Query/,
    /^Insert name/,
    'Copy name',
    /^Open details/,
  ])
  await workbench.screen('tree-menu')
  await workbench.expectAccessible()
  await page.getByRole('menuitem', { name: 'Copy name' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('iceberg.analytics.episodes')
  await expect(workbench.treeItem('episodes')).toBeFocused()
  await page.keyboard.press('Enter')
  await workbench.expectEditorText('iceberg.analytics.episodes')
  await page.keyboard.type(' e, ')
  await workbench.treeItem('episode_id').dblclick()
  await workbench.expectEditorText('iceberg.analytics.episodes e, episode_id')
  await page.keyboard.type(' FROM ')
  await workbench.treeItem('robots').dblclick()
  await expect(page).toHaveURL(/\/$/)
  await workbench.expectEditorText('iceberg.analytics.episodes e, episode_id FROM iceberg.analytics.robots')
  await workbench.treeItem('episode_id').dragTo(page.locator('.monaco-editor .view-line').first(), {
    targetPosition: { x: 2, y: 8 },
  })
  await workbench.expectEditorText(/^episode_idiceberg\.analytics\.episodes/)
  await workbench.treeItem('robots').click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Preview/ }).click()
  await expect(page).toHaveURL(/robots\?part=preview$/)
})

test('a table is queried from its page', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open('/t/analytics/episodes')
  await page.getByRole('button', { name: 'Query this table' }).click()
  await expect(
    page.getByRole('tablist', { name: 'Queries' }).getByRole('tab', { selected: true }),
  ).toContainText('episodes')
  await workbench.expectEditorText(/FROM iceberg\.analytics\.episodes/)
})

test('a table’s page says how old its metadata is, and when the catalog could not be asked', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open('/t/analytics/robots')
  await expect(page.getByText('as the catalog had it')).toBeVisible()
  await page.route('**/namespaces/analytics/tables/robots', async (route) => {
    const response = await route.fetch()
    const table = (await response.json()) as object
    await route.fulfill({ response, json: { ...table, isStale: true, metadataAgeMs: 42_000 } })
  })
  await page.reload()
  await expect(page.getByText(/The catalog could not be reached: this is how it was 4\d s ago/)).toBeVisible()
  await workbench.screen('table-stale')
})

test('access to the files of a table is verified step by step', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open('/t/analytics/episodes?part=details')
  await page.getByRole('button', { name: 'Verify storage access' }).click()
  const section = page.getByRole('region', { name: 'Storage access' })
  await expect(section.getByRole('row')).toHaveCount(5)
  await expect(section.getByRole('cell', { name: 'ok', exact: true })).toHaveCount(4)
  await section.scrollIntoViewIfNeeded()
  await workbench.screen('storage-access')
  await workbench.expectAccessible()
})

test('a table opens by its full name, and a wrong name says what is wrong', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  const box = page.getByRole('search').getByRole('textbox')
  await box.fill('iceberg.analytics.robots')
  await box.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('robots')
  await box.fill('iceberg.analytics.no_such_table')
  await box.press('Enter')
  await expect(workbench.alert).toContainText('NO_SUCH_TABLE')
  await expect(page.getByRole('button', { name: 'Copy request id' })).toBeVisible()
  await workbench.screen('table-missing')
  await box.fill('not a name')
  await box.press('Enter')
  await expect(page.getByText('A full name looks like')).toBeVisible()
})

test('a list that fails can be retried', async ({ page }) => {
  const workbench = new Workbench(page)
  let isBroken = true
  await page.route('**/api/v1/namespaces/analytics/tables', (route) =>
    isBroken ? route.abort() : route.continue(),
  )
  await workbench.open()
  await workbench.treeItem('analytics').click()
  const retry = workbench.tree.getByRole('button', { name: 'Retry' })
  await expect(retry).toBeVisible()
  await expect(workbench.tree).toContainText('The server could not be reached.')
  await workbench.screen('tree-failure')
  isBroken = false
  await retry.click()
  await expect(workbench.treeItem('episodes')).toBeVisible()
})

test('with exact discovery nothing is listed, and tables that were opened make the tree', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  const listed: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/tables')) listed.push(request.url())
  })
  await page.route('**/api/v1/session', async (route) => {
    const response = await route.fetch()
    const session = (await response.json()) as Record<string, unknown>
    await route.fulfill({ response, json: { ...session, discovery: 'exact' } })
  })
  await workbench.open()
  await workbench.treeItem('analytics').click()
  await expect(workbench.treeItem('open a table by its full name')).toBeVisible()
  const box = page.getByRole('search').getByRole('textbox', { name: 'Open a table by its full name' })
  await box.fill('iceberg.analytics.robots')
  await box.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('robots')
  await expect(workbench.treeItem('robots')).toBeVisible()
  expect(listed).toEqual([])
})

test('very many tables are drawn in steps, and the keyboard goes on where they come', async ({ page }) => {
  await page.route(/\/namespaces\/analytics\/tables$/, async (route) => {
    const response = await route.fetch()
    const tables = Array.from({ length: 1_007 }, (_, i) => `t${String(i).padStart(4, '0')}`)
    await route.fulfill({ response, json: { ...((await response.json()) as object), tables } })
  })
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.treeItem('analytics').click()
  const tables = workbench.tree.getByRole('treeitem', { level: 2 })
  await expect(tables).toHaveCount(501)
  await expect(tables.last()).toHaveText('507 more tables: show some, or filter')
  await tables.first().focus()
  // The row before the next namespace stands for the others.
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(workbench.treeItem('t0500')).toBeFocused()
  await expect(tables).toHaveCount(1_001)
  await page.getByRole('textbox', { name: /^Filter tables/ }).fill('t1006')
  await expect(tables).toHaveText(['t1006'])
  await workbench.expectAccessible()
  // Low in the window: the menu opens where it is whole.
  await page.setViewportSize({ width: 1024, height: 240 })
  await tables.first().click({ button: 'right' })
  const menu = page.getByRole('menu').last()
  const box = (await page.locator('.menu:popover-open').boundingBox())!
  await expect(menu).toBeVisible()
  expect(box.y).toBeGreaterThanOrEqual(0)
  expect(box.y + box.height).toBeLessThanOrEqual(240)
})
