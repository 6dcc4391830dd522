// What changed between two snapshots of a table: from its page, and as the statement that says it.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test('[TV5] the changes of a commit are shown by partition, and are a statement that can be run', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open('/t/analytics/episodes?part=snapshots')
  const snapshots = page.getByRole('region', { name: /^Snapshots/ })
  await snapshots
    .getByRole('button', { name: /^What changed in snapshot/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { name: 'episodes: what changed' })).toBeVisible()
  const files = page.getByRole('region', { name: /^Files and rows/ })
  await expect(files.getByRole('row').nth(1)).toContainText('+')
  await expect(workbench.receipt).toContainText('analytics.episodes$files')
  await expect(workbench.exactness).toHaveText('exact')
  await expect(page.getByRole('region', { name: 'Commits' }).getByRole('listitem')).toHaveCount(1)
  await expect(page.getByRole('region', { name: 'Columns' })).toContainText('The schema is the same.')
  await workbench.screen('compare')
  await workbench.expectAccessible()

  // From the first snapshot: everything in between, the columns too.
  const from = page.getByLabel('From')
  await from.selectOption({ index: (await from.locator('option').count()) - 1 })
  await expect(files.getByRole('row', { name: /^All partitions/ })).toBeVisible()
  await workbench.screen('compare-all')
  await page.goBack()
  await expect(page.getByRole('region', { name: 'Commits' }).getByRole('listitem')).toHaveCount(1)

  await files.getByRole('button', { name: 'Open as SQL' }).click()
  await expect(page.getByRole('tab', { name: /episodes compared/ })).toBeVisible()
  await page.locator('.monaco-editor .view-lines').click()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(workbench.exactness).toHaveText('exact')
})

test('a table without partitions is compared as a whole', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT snapshot_id FROM iceberg.models."runs$snapshots" ORDER BY committed_at')
  await expect(workbench.exactness).toHaveText('exact')
  const id = await workbench.cell(0, 0).textContent()
  await page.goto(`/t/models/runs/compare/${id}/${id}`)
  await expect(page.getByRole('region', { name: /^Files and rows/ })).toContainText(
    'Both snapshots have the same files',
  )
  await page.goto('/t/models/runs/compare/1/2')
  await expect(page.getByRole('region', { name: /^Files and rows/ }).getByRole('alert')).toContainText(
    'snapshot',
  )
})
