// Signing in, in a real browser: at a real identity provider and by a token, and what happens when a session ends.
import { expect, test, type Page } from '@playwright/test'
import { startGuardedStack, TOKEN, type GuardedStack } from './support/guarded-stack.ts'
import { storedBytes, storedCount } from './support/stored-results.ts'
import { Workbench } from './support/workbench.ts'

let stack: GuardedStack
test.beforeAll(async () => {
  stack = await startGuardedStack()
})
test.afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
})

/** The provider's two forms. */
async function fillProvider(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('x')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto(stack.url)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await fillProvider(page, name)
  await page.locator('.monaco-editor .view-lines').waitFor()
}

/** For as long as the page is there. */
const holdRows = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory()
    const folder = await root.getDirectoryHandle('spill')
    for await (const handle of folder.values())
      if (handle.kind === 'file' && !handle.name.endsWith('.record'))
        Object.assign(globalThis, { held: await handle.createWritable({ keepExistingData: true }) })
  })

test('[SI1] two people with different grants see different trees', async ({ browser }) => {
  const seen: Record<string, string[]> = {}
  for (const [name, table] of [
    ['ada', 'iceberg.analytics.robots'],
    ['bob', 'iceberg.models.runs'],
  ] as const) {
    const context = await browser.newContext()
    const page = await context.newPage()
    const refused: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) refused.push(message.text())
    })
    await signIn(page, name)
    const workbench = new Workbench(page)
    await expect(workbench.tree.getByRole('treeitem').first()).toBeVisible()
    seen[name] = await workbench.tree.getByRole('treeitem', { level: 1 }).allInnerTexts()
    await expect(page.getByRole('button', { name: `Signed in as ${name}@example.com` })).toBeVisible()
    await workbench.run(`SELECT count(*) AS n FROM ${table}`)
    await expect(workbench.exactness).toHaveText('exact')
    const other = name === 'ada' ? 'iceberg.models.runs' : 'iceberg.analytics.robots'
    await workbench.run(`SELECT * FROM ${other}`)
    await expect(workbench.alert).toContainText('NO_SUCH_TABLE')
    // The editor's workers and the grid live with the policy.
    expect(refused).toEqual([])
    await context.close()
  }
  expect(seen['ada']?.join()).toMatch(/analytics/)
  expect(seen['ada']?.join()).not.toMatch(/models/)
  expect(seen['bob']?.join()).toMatch(/models/)
  expect(seen['bob']?.join()).not.toMatch(/analytics/)
})

test('[SI1][SI3] a token signs in, and signing out shows nothing more in any window, and says where rows are left', async ({
  page,
  context,
}) => {
  await page.goto(`${stack.url}/t/analytics/robots`)
  await expect(page.getByRole('heading', { name: 'Lake Workbench' })).toBeVisible()
  await expect(page.getByText('robots')).toHaveCount(0)
  await page.getByLabel('Token').fill('lake_wrong')
  await page.getByRole('button', { name: 'Sign in with token' }).click()
  await expect(page.getByRole('alert')).toHaveText('This token is unknown or has expired.')
  const workbench = new Workbench(page)
  await workbench.screen('sign-in')
  await workbench.expectAccessible()
  await page.getByLabel('Token').fill(TOKEN)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'robots' })).toBeVisible()
  expect(await page.evaluate(() => document.cookie)).toBe('')

  await page.goto(stack.url)
  await workbench.run('SELECT 1 AS one')
  await workbench.expectCells(0, ['1'])
  await expect.poll(() => storedCount(page)).toBe(1)
  const second = await context.newPage()
  await second.goto(stack.url)
  await new Workbench(second).expectCells(0, ['1'])
  // A page that writes to the rows: the browser does not remove them meanwhile.
  const holder = await context.newPage()
  await holder.goto(`${stack.url}/livez`)
  await holdRows(holder)
  await page.getByRole('button', { name: 'Signed in as robot' }).click()
  await workbench.screen('user-menu')
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByLabel('Token')).toBeVisible()
  await expect(second.getByLabel('Token')).toBeVisible()
  await expect(page.getByRole('alert').first()).toContainText('rows of results are still on this computer')
  expect(await storedBytes(page)).toBeGreaterThan(0)
  await workbench.screen('rows-left')
  await workbench.expectAccessible()
  await holder.close()
  // The browser may let go of the file a little after the page has gone.
  const gone = page.getByText('The rows of results are gone from this computer.')
  await expect(async () => {
    if (!(await gone.isVisible()))
      await page.getByRole('button', { name: 'Remove them' }).click({ timeout: 1_000 })
    await expect(gone).toBeVisible({ timeout: 3_000 })
  }).toPass()
  expect(await storedBytes(page)).toBe(0)
  await page.goBack()
  await expect(page.getByLabel('Token')).toBeVisible()
})

test('[SI2] when the session ends, nothing is lost and the statement goes on', async ({ page, context }) => {
  await signIn(page, 'ada')
  const workbench = new Workbench(page)
  await workbench.run('SELECT robot_id FROM iceberg.analytics.robots ORDER BY 1')
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.type('SELECT count(*) AS kept FROM iceberg.analytics.robots')
  // What the page asks for while one types has been answered.
  await page.waitForLoadState('networkidle')
  await context.clearCookies({ name: 'lake-session' })
  await page.keyboard.press('ControlOrMeta+Enter')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  await workbench.screen('session-ended')
  await workbench.expectAccessible()
  await workbench.expectEditorText(/count\(\*\) AS kept/)

  const opened = page.waitForEvent('popup')
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  const popup = await opened
  // The provider still knows ada, and goes on without a form.
  await expect(dialog).toBeHidden()
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.page.getByTestId('glide-cell-1-0')).not.toHaveText('')
  await workbench.expectEditorText(/count\(\*\) AS kept/)
  await popup.close().catch(() => undefined)
})

test('[SI1] a failed sign-in says so, in the dark and in a narrow window too', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 560, height: 800 })
  await page.goto(`${stack.url}/api/v1/sign-in/callback?code=forged&state=forged`)
  await expect(page.getByRole('alert').first()).toContainText('did not succeed')
  expect(new URL(page.url()).search).toBe('')
  const workbench = new Workbench(page)
  await workbench.screen('sign-in-failed-560-dark')
  await workbench.expectAccessible()
})
