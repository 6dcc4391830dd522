// Links: a statement that another person opens, and the same answer or an honest word about why it is not the same.
import { expect, test, type Page } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

const SQL =
  'SELECT task, count(*) AS n, sum(reward) AS reward\nFROM iceberg.analytics.episodes e\nGROUP BY task'

async function copiedLink(page: Page, item: string): Promise<string> {
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
  await expect(page.getByText(/^Link copied/)).toBeVisible()
  return page.evaluate(() => navigator.clipboard.readText())
}

test('[LK1] [LK2] a pinned link runs at its snapshots and says that the answer is identical', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(SQL)
  await expect(workbench.exactness).toHaveText('exact')
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await workbench.screen('link-menu')
  await workbench.expectAccessible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Link', exact: true })).toBeFocused()
  const link = await copiedLink(page, 'Copy link (pinned)')
  expect(new URL(link).pathname).toBe('/')

  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url() + (request.postData() ?? '')))
  await page.goto('about:blank')
  await page.goto(link)
  await expect(workbench.exactness).toHaveText('exact')
  await expect(page.getByRole('status', { name: 'Compared with the link' })).toHaveText('identical')
  await workbench.expectEditorText(SQL)
  expect(asked.some((text) => text.includes('link='))).toBe(false)
  expect(page.url()).not.toContain('#')
  await workbench.screen('link-identical')
  await workbench.expectAccessible()
})

test('[LK2] a link whose answer was other says so', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT random() AS chance, count(*) AS n FROM iceberg.analytics.robots')
  await expect(workbench.exactness).toHaveText('exact')
  const link = await copiedLink(page, 'Copy link (pinned)')
  await page.goto('about:blank')
  await page.goto(link)
  await expect(page.getByRole('status', { name: 'Compared with the link' })).toHaveText('differs')
  await workbench.screen('link-differs')
})

test('[LK2] a link to a snapshot that is gone says that it has expired', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT count(*) AS n FROM iceberg.analytics.robots')
  await expect(workbench.exactness).toHaveText('exact')
  const link = await copiedLink(page, 'Copy link (pinned)')
  const fragment = JSON.parse(
    Buffer.from(new URL(link).hash.slice('#link='.length), 'base64url').toString(),
  ) as { pins: { snapshotId: string }[] }
  fragment.pins[0]!.snapshotId = '4711'
  await page.goto('about:blank')
  await page.goto(`/#link=${Buffer.from(JSON.stringify(fragment)).toString('base64url')}`)
  await expect(workbench.alert).toContainText('NO_SUCH_SNAPSHOT')
  await expect(page.getByRole('status', { name: 'Compared with the link' })).toHaveText('expired')
  await workbench.screen('link-expired')
})

test('[LK4] a link to what is current waits for its reader, and a broken one says that it is broken', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(SQL)
  await expect(workbench.exactness).toHaveText('exact')
  const link = await copiedLink(page, 'Copy link (latest)')
  await page.goto('about:blank')
  await page.goto(link)
  await workbench.expectEditorText(SQL)
  await expect(page.getByText('Rows appear here')).toBeVisible()
  await page.goto('about:blank')
  await page.goto(link.slice(0, -7))
  await expect(page.getByText('The link was cut off or altered')).toBeVisible()
})

test('[LK5] the receipt writes the snapshots into the statement', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(SQL)
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  const panel = page.getByRole('complementary', { name: 'Receipt details' })
  await expect(panel).toContainText(/FROM iceberg\.analytics\.episodes e AT \(VERSION => \d{10,19}\)/)
  await expect(panel).toContainText(/fingerprint\s*f1[\w.:-]+/)
  await workbench.screen('receipt-reproduce')
  const sql = await panel.locator('.reproduce-sql').innerText()
  await workbench.run(`${sql} ORDER BY task`)
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.receipt).toContainText('analytics.episodes')
  await workbench.expectCells(0, ['charge'])
})
