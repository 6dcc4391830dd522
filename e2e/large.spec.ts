// Results that are larger than memory, and longer than a browser can scroll.
import { createHash } from 'node:crypto'
import { expect, test, type Page } from '@playwright/test'
import { storedBytes } from './support/stored-results.ts'
import { Workbench } from './support/workbench.ts'

async function goToRow(page: Page, row: number): Promise<void> {
  const input = page.getByRole('textbox', { name: 'Go to row' })
  await input.fill(String(row))
  await input.press('Enter')
}

/** How many rows, with the header, assistive technology is told of first; 0 before it is told of any. */
async function watchFirstRows(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    new MutationObserver((_changes, observer) => {
      const told = document.querySelector('.result-grid [aria-rowcount]')?.getAttribute('aria-rowcount')
      if (!told) return
      document.body.dataset['firstRows'] = told
      observer.disconnect()
    }).observe(document.body, { childList: true, subtree: true })
  })
  return async () => await page.evaluate(() => Number(document.body.dataset['firstRows'] ?? 0))
}

test('10,000,000 rows are scrolled to the last one, and every jump lands on its row', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  const firstRows = await watchFirstRows(page)
  await workbench.run('SELECT r AS n FROM range(10000000) t(r)')
  await expect(workbench.exactness).toHaveText('exact', { timeout: 60_000 })
  // Screen readers had rows long before the last one came.
  await expect.poll(firstRows).toBeGreaterThan(1)
  expect(await firstRows()).toBeLessThan(10_000_000)
  await page.getByRole('toolbar', { name: 'Result' }).getByRole('button', { name: 'Find' }).click()
  for (const row of [10_000_000, 4_183_220, 9_999_999, 1, 7_654_321]) {
    await goToRow(page, row)
    await expect(workbench.cell(0, row - 1)).toHaveText(String(row - 1))
  }
  // By the wheel from there, and by the scroll bar to the end.
  const scroller = page.locator('.result-grid .dvn-scroller')
  await scroller.hover()
  await page.mouse.wheel(0, 240)
  await expect(workbench.cell(0, 7_654_325)).toHaveText('7654325')
  await scroller.evaluate((element) => {
    element.scrollTop = element.scrollHeight
  })
  await expect(workbench.cell(0, 9_999_999)).toHaveText('9999999')
  await workbench.screen('ten-million-rows')
  await workbench.expectAccessible()
})

test('[RW5] rows that outgrow memory lie on the disk, come back exact, and go with their result', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(
    "SELECT r AS n, md5(r::VARCHAR) AS hash, repeat('x', 6000) AS wide FROM range(25000) t(r)",
  )
  await expect(workbench.exactness).toHaveText('exact', { timeout: 60_000 })
  await expect.poll(() => storedBytes(page)).toBeGreaterThan(50e6)
  await page.getByRole('toolbar', { name: 'Result' }).getByRole('button', { name: 'Find' }).click()
  for (const row of [25_000, 5_000, 1]) {
    await goToRow(page, row)
    await expect(workbench.cell(0, row - 1)).toHaveText(String(row - 1))
    await expect(workbench.cell(1, row - 1)).toHaveText(
      createHash('md5')
        .update(String(row - 1))
        .digest('hex'),
    )
  }
  await workbench.run('SELECT 1 AS one')
  await workbench.expectCells(0, ['1'])
  // What is left is the one row, kept for a later page.
  await expect.poll(() => storedBytes(page)).toBeLessThan(5_000)
})
