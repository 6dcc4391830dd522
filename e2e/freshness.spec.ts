// Tables that move on: what a result and a table page say about commits.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

interface TableBody {
  currentSnapshotId: string
  snapshots: { snapshotId: string; parentSnapshotId: string | null; summary: Record<string, string> }[]
}

test('a commit under a shown result is told, and Re-run reads what is current', async ({ page }) => {
  const workbench = new Workbench(page)
  await page.route('**/api/v1/namespaces/analytics/tables/robots', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as TableBody
    const [newest] = body.snapshots
    const rows = String(BigInt(newest?.summary['total-records'] ?? '0') + 18_402n)
    body.snapshots.unshift({
      ...newest!,
      snapshotId: '4711',
      parentSnapshotId: newest!.snapshotId,
      summary: { 'total-records': rows },
    })
    body.currentSnapshotId = '4711'
    await route.fulfill({ response, json: body })
  })
  await workbench.open()
  await workbench.run('SELECT count(*) AS n FROM iceberg.analytics.robots')
  await expect(workbench.exactness).toHaveText('exact')
  await expect(
    page.getByText('analytics.robots: 1 commit since (+18,402 rows, as its commits say)'),
  ).toBeVisible()
  await workbench.screen('data-moved')
  await workbench.expectAccessible()
  const planned = page.waitForRequest('**/api/v1/flight-info')
  await page.getByRole('button', { name: 'Re-run' }).click()
  expect((await planned).postDataJSON()).not.toHaveProperty('pins')
})

test('a table page says which figures are the writer’s, and whether the table is on time', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open('/t/analytics/episodes')
  await expect(page.getByText('rows, as the last commit says')).toBeVisible()
  // Its demo commits follow no rhythm, so there is no verdict.
  await expect(page.getByText(/usually every/)).toHaveCount(0)

  await page.route('**/api/v1/namespaces/analytics/tables/episodes', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as TableBody
    const [newest] = body.snapshots
    const quarterMs = 15 * 60_000
    const newestAtMs = Date.now() - 14 * 60_000
    const snapshots = Array.from({ length: 9 }, (_, i) => ({
      ...newest,
      snapshotId: i === 0 ? newest!.snapshotId : String(i),
      committedAtMs: newestAtMs - i * quarterMs,
    }))
    await route.fulfill({ response, json: { ...body, snapshots } })
  })
  await page.reload()
  await expect(page.getByText('usually every 15 min; last 14 min ago — on time')).toBeVisible()
  await workbench.screen('table-freshness')
  await workbench.expectAccessible()
})
