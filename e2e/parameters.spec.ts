// Parameters: `$name` in the text, a typed value beside it.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test('[PA2] [PA3] values are typed, kept, exact, and errors stand where the text has them', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(
    'SELECT $n AS n, count(*) AS c FROM iceberg.analytics.episodes\nWHERE day >= $since AND steps > $n',
  )
  const strip = page.getByRole('region', { name: 'Parameters' })
  // Nothing runs without the values; the first that is missing has the focus.
  await expect(page.getByRole('status').filter({ hasText: 'Give $n, $since a value first.' })).toBeVisible()
  await expect(strip.getByLabel('$n')).toBeFocused()

  await strip.getByLabel('Type of n').selectOption('number')
  await strip.getByLabel('$n').fill('9.007199254740993')
  await strip.getByLabel('Type of since').selectOption('date')
  await strip.getByLabel('$since').fill('2026-09-20')
  await expect(page.getByRole('toolbar', { name: 'Run' })).toContainText('23 of 121 files')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.expectCells(0, ['9.007199254740993'])
  await workbench.screen('parameters')
  await workbench.expectAccessible()

  // The receipt reproduces the statement with its values.
  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  await expect(page.getByRole('complementary', { name: 'Receipt details' })).toContainText(
    "DATE '2026-09-20'",
  )

  await strip.getByLabel('$n').fill('ten')
  await expect(strip.getByLabel('$n')).toHaveAttribute('aria-invalid', 'true')
  await strip.getByLabel('$n').fill('10')
  await page.reload()
  await expect(strip.getByLabel('$n')).toHaveValue('10')

  await workbench.type('SELECT $since,\n  no_such_column FROM iceberg.analytics.robots')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(workbench.alert.getByRole('button', { name: 'Go to line 2' })).toBeVisible()
})
