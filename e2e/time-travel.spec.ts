// The rail of commits: dragging and arrow keys choose what a tab reads, and everything says so.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

const SQL = 'SELECT count(*) AS n FROM iceberg.analytics.episodes'

test('[TV2] [TV3] [TV6] [FR3] arrow keys on the rail read an older snapshot, End reads what is current', async ({
  page,
}) => {
  // The demo's tables say nothing of ages.
  await page.route(/\/tables\/episodes$/, async (route) => {
    const response = await route.fetch()
    const table = (await response.json()) as { properties: Record<string, string> }
    const properties = { ...table.properties, 'history.expire.max-snapshot-age-ms': '86400000' }
    await route.fulfill({ response, json: { ...table, properties } })
  })
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(SQL)
  await expect(workbench.exactness).toHaveText('exact')
  const now = await workbench.cell(0, 0).textContent()
  const rail = page.getByRole('slider', { name: 'Snapshot of analytics.episodes' })
  await expect(rail).toHaveAttribute('aria-valuetext', /^current, committed /)
  await rail.focus()
  await page.keyboard.press('Home')
  await expect(page.getByRole('region', { name: 'Editor' })).toContainText('analytics.episodes as of')
  await expect(rail).toHaveAttribute('aria-valuetext', /commits before current$/)
  const note = page.getByText('The table’s rules allow to remove snapshot')
  await expect(note).toContainText(/ALTER TABLE analytics.episodes CREATE TAG `keep_(\d+)` AS OF VERSION \1/)
  await workbench.expectAccessible()
  // Run without leaving the rail.
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(workbench.receipt).toContainText('as of an older snapshot')
  await expect(workbench.cell(0, 0)).not.toHaveText(now ?? '')
  await workbench.screen('time-travel')
  await page.getByRole('button', { name: 'Compare answers' }).click()
  await expect(page.getByRole('tab', { name: 'Query 1: changes' })).toBeVisible()
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.expectCells(0, ['-'])
  await workbench.expectCells(1, ['+', now ?? ''])
  await workbench.screen('answers-compared')
  await page.getByRole('tab', { name: 'Query 1', exact: true }).click()
  await rail.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(workbench.receipt).not.toContainText('as of an older snapshot')
  await workbench.expectCells(0, [now ?? ''])
})

test('[TV3] the thumb is dragged to a commit, and only when it is let go is it chosen', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type(SQL)
  const rail = page.getByRole('slider', { name: 'Snapshot of analytics.episodes' })
  const box = (await rail.boundingBox())!
  const middle = box.y + box.height / 2
  await page.mouse.move(box.x + box.width - 8, middle)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, middle, { steps: 4 })
  await expect(page.getByRole('region', { name: 'Time travel' })).toContainText('before current')
  await expect(page.getByRole('region', { name: 'Editor' })).not.toContainText('as of')
  await page.mouse.up()
  await expect(page.getByRole('region', { name: 'Editor' })).toContainText('analytics.episodes as of')
  await page.reload()
  await expect(page.getByRole('region', { name: 'Editor' })).toContainText('analytics.episodes as of')
})
