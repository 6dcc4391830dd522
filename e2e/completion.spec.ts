// Completion in the editor: common table expressions, signatures, and a catalog of 5,000 tables.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test('[ED5] columns of a common table expression, and the signature of a function', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type(
    'WITH best AS (SELECT robot_id, max(reward) AS top FROM iceberg.analytics.episodes GROUP BY 1)\nSELECT b. FROM best b',
  )
  for (let i = 0; i < ' FROM best b'.length; i++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Control+Space')
  const list = page.locator('.suggest-widget')
  await expect(list.getByRole('option', { name: /^top/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await workbench.type('SELECT date_trunc')
  await page.keyboard.type('(')
  const hints = page.locator('.parameter-hints-widget')
  await expect(hints).toContainText('date_trunc(part VARCHAR, timestamp')
  await workbench.screen('signature')
})

test('[ED2] a name among 5,000 tables is offered at once', async ({ page }) => {
  // Only the size of the catalog is made up: the list comes as the server would send it.
  await page.route('**/api/v1/namespaces/analytics/tables', async (route) => {
    const tables = ['pay\u202Eload', ...Array.from({ length: 5_000 }, (_, i) => `table_number_${i}`)]
    await route.fulfill({ json: { namespace: ['analytics'], tables, isTruncated: false } })
  })
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type('SELECT * FROM iceberg.analytics')
  await page.keyboard.type('.')
  const list = page.locator('.suggest-widget')
  await expect(list.getByRole('option').first()).toBeVisible()
  await page.keyboard.type('number_4999')
  await expect(list.getByRole('option', { name: /^table_number_4999/ })).toBeVisible()
  // A name that would be drawn from the right stands as it is, here and in the tree.
  for (let i = 0; i < 'number_4999'.length; i++) await page.keyboard.press('Backspace')
  await page.keyboard.type('pay')
  await expect(list.getByRole('option', { name: /^pay⟨U\+202E⟩load/ })).toBeVisible()
  await page.keyboard.press('Tab')
  await workbench.treeItem('analytics').click()
  await expect(workbench.treeItem('pay⟨U+202E⟩load')).toBeVisible()
  await workbench.screen('names-in-tree')
})
