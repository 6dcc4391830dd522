// A network that goes away and a page that was left open for a working day: nothing that was written or read is lost.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test('offline for a while: texts and results stay, a statement says why it failed, and all goes on', async ({
  page,
  context,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT 111 AS a')
  await workbench.expectCells(0, ['111'])
  await context.setOffline(true)
  await page.getByRole('button', { name: 'New query' }).click()
  await workbench.run('SELECT 222 AS written_offline')
  await expect(workbench.alert).toContainText('NETWORK')
  await workbench.expectAccessible()
  await workbench.screen('offline')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Saved as “Query 2”.')).toBeVisible()
  await page.getByRole('tab', { name: 'Query 1' }).click()
  await workbench.expectCells(0, ['111'])
  await context.setOffline(false)
  await page.getByRole('tab', { name: 'Query 2' }).click()
  await page.getByRole('button', { name: 'Run again' }).click()
  await workbench.expectCells(0, ['222'])
  await page.reload()
  await workbench.expectEditorText('SELECT 222 AS written_offline')
})

test('after eight hours: the result and its tools work, and an export plans anew at the same snapshots', async ({
  page,
}) => {
  await page.clock.install()
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT * FROM iceberg.analytics.robots ORDER BY robot_id')
  await expect(workbench.exactness).toHaveText('exact')
  const first = (await workbench.cell(0, 0).textContent()) ?? ''
  await page.clock.fastForward('08:00:00')
  await workbench.expectCells(0, [first])
  await expect(workbench.exactness).toHaveText('exact')
  // The server's clock is not moved: an old ticket is answered as one would be.
  const error = { code: 'TICKET_EXPIRED', message: 'The ticket has expired', requestId: 'r' }
  await page.route(
    '**/api/v1/export',
    async (route) => await route.fulfill({ status: 410, json: { error } }),
    {
      times: 1,
    },
  )
  await workbench.exportPlannedAnew()
  await workbench.run('SELECT 1 AS still_here')
  await workbench.expectCells(0, ['1'])
})
