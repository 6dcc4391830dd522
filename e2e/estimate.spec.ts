// What Run would read, said while the statement is written, and why; and the same after the run.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

const SQL = `SELECT robot_id, avg(reward) FROM iceberg.analytics.episodes
WHERE day >= DATE '2026-09-20' AND lower(task) = 'pick' GROUP BY 1`

test('[WP1] [WP4] the preview tells the files and bytes, and the receipt agrees', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type(SQL)
  const bar = page.getByRole('toolbar', { name: 'Run' })
  await expect(bar).toContainText(/23 of 121 files · [\d,]+ rows at most · .* of ~.* · 4 of 12 columns/)
  await page.keyboard.press('Alt+Enter')
  const panel = page.getByRole('complementary', { name: 'What would be read', exact: true })
  const levels = panel.getByRole('list', { name: 'Files, level by level' }).getByRole('listitem')
  await expect(levels.last()).toContainText('Planned23')
  await expect(panel).toContainText("day >= '2026-09-20'Excludes")
  await expect(panel).toContainText("lower(task) = 'pick'A calculation stands around the column")
  await workbench.screen('estimate')
  await workbench.expectAccessible()
  await page.keyboard.press('Alt+Enter')
  await expect(panel).toBeHidden()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  const receipt = page.getByRole('complementary', { name: 'Receipt details' })
  await expect(receipt.getByRole('list', { name: 'Files, level by level' })).toContainText('Read23')
  await workbench.screen('receipt-waterfall')
})

test('[ED4] a column that does not exist is marked while it is written', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type('/* 😀 */ SELECT no_such\r\nFROM iceberg.analytics.robots -- end')
  await expect(page.locator('.squiggly-warning')).toBeVisible()
  const marked = await page.locator('.squiggly-warning').boundingBox()
  const named = await page.locator('.view-line').first().boundingBox()
  expect(marked!.y).toBeCloseTo(named!.y, -1)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('SELECT robot_id FROM iceberg.analytics.robots')
  await expect(page.locator('.squiggly-warning')).toHaveCount(0)
})
