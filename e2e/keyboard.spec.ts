// The whole job without a pointer: find a table, query it, look at a value, copy, read the receipt, share.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test('from a table to a shared answer, by keyboard alone', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  // Enter comes before the catalog has said which tables there are, and is not lost.
  const { promise: isAsked, resolve: answer } = Promise.withResolvers<void>()
  await page.route(/\/namespaces\/[^/]+\/tables(\?.*)?$/, async (route) => {
    await isAsked
    await route.continue()
  })
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('robots')
  await expect(page.getByText('Looking in the catalog…')).toBeVisible()
  await page.keyboard.press('Enter')
  answer()
  await expect(page.getByRole('heading', { level: 1, name: /robots/ })).toBeVisible()
  await page.getByRole('button', { name: 'Query this table' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.monaco-editor .view-lines').waitFor()
  for (let i = 0; i < 4 && !(await page.locator('[data-zone=editor] :focus').count()); i++)
    await page.keyboard.press('F6')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(workbench.exactness).toHaveText('exact')

  await page.keyboard.press('F6')
  await expect(page.locator('[data-zone=results] :focus')).toHaveCount(1)
  for (let i = 0; i < 12 && !(await page.locator('.result-grid :focus').count()); i++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Cell' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+c')
  await expect(page.getByText(/1 row × 1 column copied as TSV · exact/)).toBeVisible()

  const tabTo = async (name: string) => {
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Shift+Tab')
      const focused = await page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
      )
      if (focused?.trim() === name) return
    }
    throw new Error(`Shift Tab never reaches ${name}.`)
  }
  await tabTo('Receipt')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Receipt details' })).toBeVisible()
  await tabTo('Link')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^Link copied, pinned/)).toBeVisible()
  await workbench.screen('keyboard-only')
})
