// Nothing that was written is lost: not by Ctrl S, a reload, a closed window, a killed browser, another window, a network
// that is away, or a page that was left open for a day.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { chromium, expect, test, type Page } from '@playwright/test'
import { storedCount, storedNames } from './support/stored-results.ts'
import { Workbench } from './support/workbench.ts'

const tabs = (page: Page) => page.getByRole('tablist', { name: 'Queries' }).getByRole('tab')
const editorShown = (page: Page) => page.locator('.monaco-editor .view-lines').waitFor()
const lastRun = (page: Page) => page.getByRole('region', { name: 'Last run' })

test('[ED6] the last key before a reload or a closed page is kept, and a closed tab comes back', async ({
  page,
  context,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type('SELECT 1 AS first_tab')
  await page.getByRole('button', { name: 'New query' }).click()
  await workbench.type("SELECT '😀' AS second_")
  await page.keyboard.type('tab')
  await page.reload()
  await expect(tabs(page)).toHaveCount(2)
  await editorShown(page)
  await workbench.expectEditorText("SELECT '😀' AS second_tab")
  await page.getByRole('tab', { name: 'Query 1' }).click()
  await workbench.expectEditorText('SELECT 1 AS first_tab')
  await page.getByRole('tab', { name: 'Query 1' }).press('Delete')
  await expect(tabs(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Reopen Query 1' }).click()
  await workbench.type('SELECT 2 AS d')
  await page.keyboard.type('ef')
  await page.close({ runBeforeUnload: true })
  const reopened = new Workbench(await context.newPage())
  await reopened.open()
  await expect(tabs(reopened.page)).toHaveText(['Query 2', 'Query 1'])
  await reopened.expectEditorText('SELECT 2 AS def')
})

test('[ED6] tabs of the time before the database are taken over, once', async ({ page }) => {
  await page.addInitScript(() => {
    const tab = (id: string, sql: string) => ({ id, title: `Old ${id}`, sql, pins: [] })
    const state = {
      open: [tab('a', 'SELECT 1'), tab('b', 'SELECT 2')],
      activeId: 'b',
      closed: [tab('c', 'SELECT 3')],
    }
    if (sessionStorage.getItem('seeded') === null) localStorage.setItem('lake.tabs.v1', JSON.stringify(state))
    sessionStorage.setItem('seeded', 'yes')
  })
  const workbench = new Workbench(page)
  await workbench.open()
  await expect(tabs(page)).toHaveText(['Old a', 'Old b'])
  await workbench.expectEditorText('SELECT 2')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('lake.tabs.v1'))).toBeNull()
  await page.getByRole('button', { name: 'Reopen Old c' }).click()
  await page.reload()
  await expect(tabs(page)).toHaveText(['Old a', 'Old b', 'Old c'])
})

test('[ED7][RS1] two windows show the same tabs and results, and neither loses what the other writes or shows', async ({
  page,
  context,
}) => {
  const first = new Workbench(page)
  await first.open()
  await first.run('SELECT 1 AS one')
  await expect.poll(() => storedCount(page)).toBe(1)
  const second = new Workbench(await context.newPage())
  const other = second.page
  await second.open()
  await second.expectEditorText('SELECT 1 AS one')
  await second.expectCells(0, ['1'])
  await expect(second.receipt).toContainText('from this browser’s store')
  await other.getByRole('button', { name: 'New query' }).click()
  await second.run('SELECT 2 AS two')
  await expect.poll(() => storedCount(page)).toBe(2)
  await expect(tabs(page)).toHaveCount(2)
  // In a tab whose result the other window shows too: that one keeps its rows for as long as it is there.
  const before = new Set(await storedNames(page))
  await first.run('SELECT 11 AS one')
  await first.expectCells(0, ['11'])
  await expect.poll(async () => (await storedNames(page)).some((name) => !before.has(name))).toBe(true)
  await expect.poll(() => storedCount(page)).toBe(2)
  await other.getByRole('tab', { name: 'Query 1' }).click()
  await second.expectCells(0, ['1'])
  await other.getByRole('tab', { name: 'Query 2' }).click()
  const sent: string[] = []
  context.on('request', (request) => {
    if (/\/api\/v1\/(flight-info|do-get|poll)/.test(request.url())) sent.push(request.url())
  })
  await Promise.all([page.reload(), other.reload()])
  await first.expectCells(0, ['11'])
  await second.expectCells(0, ['2'])
  await other.getByRole('tab', { name: 'Query 1' }).click()
  await second.expectCells(0, ['11'])
  await other.getByRole('tab', { name: 'Query 2' }).click()
  expect(sent).toEqual([])
  await first.type('SELECT 1 AS changed')
  await page.getByRole('tab', { name: 'Query 2' }).click()
  await first.expectEditorText('SELECT 2 AS two')
  await second.type('SELECT 2 AS later')
  await first.expectEditorText('SELECT 2 AS later')
  await second.page.getByRole('tab', { name: 'Query 1' }).press('Delete')
  await expect(tabs(page)).toHaveCount(1)
  await second.page.close()
  await page.reload()
  await expect(tabs(page)).toHaveText(['Query 2'])
  await first.expectCells(0, ['2'])
  await page.getByRole('button', { name: 'Reopen Query 1' }).click()
  await first.expectEditorText('SELECT 1 AS changed')
  await first.expectCells(0, ['11'])
})

test('[ED6] a browser that keeps nothing is told of, and leaving then asks', async ({ page }) => {
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('denied', 'SecurityError')
    }
  })
  const workbench = new Workbench(page)
  await workbench.open()
  await expect(page.getByRole('contentinfo')).toContainText('this browser keeps nothing for this page')
  await workbench.type('SELECT 1')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Kept until this page is closed: the browser did not store it.')).toBeVisible()
  await workbench.expectAccessible()
  const asked = page.waitForEvent('dialog')
  const closing = page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.accept()
  await closing
})

test('[ED6] storage that is full is told of, and what was not stored is stored when there is room', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await page.evaluate(() => {
    const whole = Object.getOwnPropertyDescriptor(IDBObjectStore.prototype, 'put')
    const broken = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    IDBObjectStore.prototype.put = broken
    Object.assign(globalThis, {
      makeRoom: () => Object.defineProperty(IDBObjectStore.prototype, 'put', whole ?? {}),
    })
  })
  await workbench.type('SELECT 1 AS kept')
  await expect(page.getByRole('contentinfo')).toContainText('not saved: the browser’s storage is full')
  await page.evaluate(() => (globalThis as unknown as { makeRoom: () => void }).makeRoom())
  await page.keyboard.type(' ')
  await expect(page.getByRole('contentinfo')).toContainText('saved')
  await page.reload()
  await editorShown(page)
  await workbench.expectEditorText('SELECT 1 AS kept ')
})

/** Places in results that the database has, without their ids. */
const keptPlaces = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const opening = indexedDB.open('lake.workbench')
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const reading = opening.result.transaction('layout').objectStore('layout').getAll()
    await new Promise((resolve) => reading.addEventListener('success', resolve))
    opening.result.close()
    return JSON.stringify(reading.result)
  })

const scrollTopOf = (page: Page): Promise<number> =>
  page.locator('.result-grid .dvn-scroller').evaluate((element) => Math.round(element.scrollTop))

/** A result of 5,000 rows, scrolled into its middle, with a cell selected there; all of it kept. */
async function leaveInTheMiddle(workbench: Workbench): Promise<void> {
  const { page } = workbench
  await workbench.run("SELECT r AS n, 'row ' || r AS text FROM range(5000) t(r)")
  await expect(workbench.exactness).toHaveText('exact')
  await page.locator('.result-grid .dvn-scroller').evaluate((element) => {
    element.scrollTop = 60_007
  })
  await expect(workbench.cell(1, 2_505)).toHaveText('row 2505')
  await page.locator('.result-grid').click({ position: { x: 80, y: 150 } })
  await expect.poll(() => storedCount(page)).toBe(1)
  await expect.poll(() => keptPlaces(page)).toContain('"topPx":60007')
  await expect.poll(() => keptPlaces(page)).toContain('"selected":{"cell":[0,2504]')
}

async function expectTheMiddle(workbench: Workbench): Promise<void> {
  await expect(workbench.cell(1, 2_505)).toHaveText('row 2505')
  await expect.poll(() => scrollTopOf(workbench.page)).toBe(60_007)
  await expect(workbench.cell(0, 2_504)).toHaveAttribute('aria-selected', 'true')
  await expect(workbench.exactness).toHaveText('exact')
}

const SLOW = 'SELECT sum(a.range * b.range) AS s FROM range(1000000) a, range(1000000) b'

test('[ED8] a browser killed while a statement runs: tabs, text, rows where they were left, what became of the run', async ({
  baseURL,
}) => {
  const profile = await mkdtemp(join(tmpdir(), 'lake-profile-'))
  const launch = async () =>
    await chromium.launchPersistentContext(profile, {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
      ...(baseURL !== undefined && { baseURL }),
    })
  try {
    const killed = await launch()
    const before = new Workbench(await killed.newPage())
    await before.open()
    await leaveInTheMiddle(before)
    await before.page.getByRole('button', { name: 'New query' }).click()
    await before.run(`-- half of a thought\n${SLOW}`)
    await expect(before.stop).toBeVisible()
    await expect(before.page.getByRole('contentinfo')).toContainText('saved')
    // The whole browser by its profile's folder, which no other process names: no farewell to any page.
    const { stdout } = await promisify(execFile)('pgrep', ['-f', '--', `--user-data-dir=${profile}`])
    for (const pid of stdout.trim().split('\n')) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // One that has ended with its parent.
      }
    }
    await killed.close().catch(() => undefined)

    const browser = await launch()
    const after = new Workbench(await browser.newPage())
    await after.open()
    await expect(tabs(after.page)).toHaveCount(2)
    await after.expectEditorText(`-- half of a thought\n${SLOW}`)
    await expect(lastRun(after.page)).toContainText('was still running when its page went away')
    await expect(lastRun(after.page)).toContainText('The server has stopped it, and no rows were kept')
    await after.expectAccessible()
    await after.screen('killed-and-reopened')
    await after.page.getByRole('tab', { name: 'History' }).click()
    await expect(after.page.getByRole('region', { name: 'History' })).toContainText('ended with its page')
    await lastRun(after.page).getByRole('button', { name: 'Run again' }).click()
    await expect(after.stop).toBeVisible()
    await after.stop.click()
    await expect(after.exactness).toHaveText('cancelled after 0 rows')
    await after.page.getByRole('tab', { name: 'Query 1' }).click()
    await expectTheMiddle(after)
    await expect(after.receipt).toContainText('from this browser’s store')
    await browser.close()
  } finally {
    await rm(profile, { recursive: true, force: true })
  }
})

test('[ED8][RS2] a result survives its page: rows, place, receipt, export; what is damaged runs again; [ED9] leaving asks while one has run for a while', async ({
  page,
}) => {
  await page.clock.install()
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  const workbench = new Workbench(page)
  await workbench.open()
  await leaveInTheMiddle(workbench)
  await page.getByRole('button', { name: 'New query' }).click()
  await workbench.run('SELECT count(*) AS n FROM iceberg.analytics.robots')
  await expect(workbench.exactness).toHaveText('exact')
  await expect.poll(() => storedCount(page)).toBe(2)
  const answer = (await workbench.cell(0, 0).textContent()) ?? ''
  // A way to another tab and back ends where it began.
  await page.getByRole('tab', { name: 'Query 1' }).click()
  await expectTheMiddle(workbench)
  await page.getByRole('tab', { name: 'Query 2' }).click()

  const sent: string[] = []
  page.on('request', (request) => {
    if (/\/api\/v1\/(flight-info|do-get|poll|export)/.test(request.url())) sent.push(request.url())
  })
  await page.reload()
  await workbench.expectCells(0, [answer])
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.receipt).toContainText('analytics.robots @')
  await expect(workbench.receipt).toContainText('from this browser’s store')
  await workbench.expectAccessible()
  await workbench.screen('result-of-store')
  await page.getByRole('tab', { name: 'Query 1' }).click()
  await expectTheMiddle(workbench)
  await page.getByRole('tab', { name: 'Query 2' }).click()
  expect(sent).toEqual([])
  await workbench.exportPlannedAnew()

  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory()
    const folder = await root.getDirectoryHandle('spill')
    for await (const handle of folder.values()) {
      if (handle.kind !== 'file') continue
      const writing = await handle.createWritable({ keepExistingData: true })
      await writing.write({ type: 'write', position: 200, data: 'xx' })
      await writing.close()
    }
  })
  await page.reload()
  await expect(lastRun(page)).toContainText('gave 1 row in')
  await expect.poll(() => storedCount(page)).toBe(0)
  await workbench.screen('last-run')
  await lastRun(page).getByRole('button', { name: 'Run at the same snapshots' }).click()
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.receipt).toContainText('analytics.robots @')
  expect(asked).toEqual([])
  await workbench.run(SLOW)
  await expect(workbench.stop).toBeVisible()
  // Without running timers: one of the editor's fails where the page's clock is not the browser's.
  await page.clock.setSystemTime(Date.now() + 6_000)
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
})
