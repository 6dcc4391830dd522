// The shell: results of tabs, keys that must not be lost to the browser, themes and narrow windows.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test('each tab keeps its own result', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT 111 AS a')
  await expect(workbench.exactness).toHaveText('exact')
  await page.getByRole('button', { name: 'New query' }).click()
  await expect(page.getByText('Rows appear here')).toBeVisible()
  await page.getByRole('region', { name: 'Asked last' }).getByRole('button', { name: 'SELECT 111' }).click()
  await workbench.expectEditorText('SELECT 111 AS a')
  await workbench.run('SELECT 222 AS b')
  await workbench.expectCells(0, ['222'])
  await page.getByRole('tab', { name: 'Query 1' }).click()
  await workbench.expectCells(0, ['111'])
})

test('both themes are readable, and the choice lasts', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run("SELECT 1 AS n, NULL AS nothing, '' AS empty, 'text' AS t")
  await expect(workbench.exactness).toHaveText('exact')
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.waitForTimeout(300)
  await workbench.screen('result-dark')
  await workbench.expectAccessible()
  await page.goto('/t/analytics/episodes')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(page.getByRole('rowheader', { name: 'episode_id' })).toBeVisible()
  await workbench.screen('table-page-dark')
  await workbench.expectAccessible()
})

for (const width of [1024, 560]) {
  test(`at ${width} px nothing is cut off`, async ({ page }) => {
    const workbench = new Workbench(page)
    await page.setViewportSize({ width, height: 760 })
    await workbench.open()
    await workbench.run('SELECT episode_id, day, task, reward FROM iceberg.analytics.episodes LIMIT 50')
    await expect(workbench.exactness).toHaveText('exact')
    await workbench.screen(`width-${width}`)
    await workbench.expectAccessible()
    if (width === 560) {
      await page.getByRole('button', { name: /^Catalog/ }).click()
      await workbench.treeItem('analytics').click()
      await expect(workbench.treeItem('episodes')).toBeVisible()
      await workbench.screen('width-560-catalog')
      await workbench.treeItem('episodes').click()
      await expect(page.getByRole('rowheader', { name: 'episode_id' })).toBeVisible()
      await workbench.screen('width-560-table')
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
}

test('an empty workbench says what to do, and is accessible', async ({ page }) => {
  const workbench = new Workbench(page)
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  await workbench.open()
  await expect(page.getByText('Rows appear here')).toBeVisible()
  await workbench.screen('empty')
  await workbench.expectAccessible()
  expect(problems).toEqual([])
})
