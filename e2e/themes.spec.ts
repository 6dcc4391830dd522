// The dark theme, and a narrow window, in the states that a first look does not reach.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test.use({ colorScheme: 'dark' })

test('panels, menus and dialogs are readable in the dark', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type(
    'SELECT 1 AS a;\nSELECT episode_id, task, reward FROM iceberg.analytics.episodes LIMIT 300',
  )
  await page.keyboard.press('ControlOrMeta+Shift+Enter')
  await expect(page.locator('.statement-sign-ok')).toHaveCount(2)
  await page.getByRole('toolbar', { name: 'Result' }).getByRole('button', { name: 'Find' }).click()
  await page.keyboard.type('a')
  await page.getByRole('tab', { name: 'History' }).click()
  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  await expect(page.getByText(/rows hold it/)).toBeVisible()
  await workbench.screen('panels-dark')
  await workbench.expectAccessible()
  await page.getByRole('button', { name: 'Columns' }).click()
  await workbench.screen('menu-dark')
  await workbench.expectAccessible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('option').first()).toBeVisible()
  await workbench.screen('palette-dark')
  await workbench.expectAccessible()
})

test('at 560 px the tools of a result stay in reach', async ({ page }) => {
  const workbench = new Workbench(page)
  await page.setViewportSize({ width: 560, height: 800 })
  await workbench.open()
  await workbench.run('SELECT episode_id, started_at FROM iceberg.analytics.episodes LIMIT 50')
  await expect(workbench.exactness).toHaveText('exact')
  await page.getByRole('toolbar', { name: 'Result' }).getByRole('button', { name: 'Find' }).click()
  await workbench.screen('tools-560-dark')
  await workbench.expectAccessible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})
