// Running statements: exact values, receipts, streaming, Stop, and failures at their place.
import { readFile } from 'node:fs/promises'
import { expect, test, type Page } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test('a statement gives exact rows and a receipt', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(
    'SELECT episode_id, day, started_at, reward, distance_m, notes\n' +
      'FROM iceberg.analytics.episodes\nORDER BY episode_id\nLIMIT 200',
  )
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.receipt).toContainText(/analytics\.episodes @ \d{4}…\d{4} · \w+ · committed/)
  await expect(workbench.receipt).toContainText(/\d+\/\d+ files · .+ of .+200 rows · /)
  await expect(workbench.cell(0, 1)).toBeAttached()
  await workbench.screen('result-light')
  await workbench.expectAccessible()

  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  const panel = page.getByRole('complementary', { name: 'Receipt details' })
  await expect(panel).toContainText(/snapshot id\s*\d{10,19}/)
  await expect(panel).toContainText(/files\s*\d+ read, \d+ skipped/)
  await expect(panel).toContainText('DuckDB')
  await workbench.screen('receipt-panel')
  await workbench.expectAccessible()
})

test('a filter on the partition column skips files, and the receipt says how many', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(
    "SELECT count(*) AS n, sum(distance_m) AS metres FROM iceberg.analytics.episodes WHERE day = DATE '2026-09-15'",
  )
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  await expect(page.getByRole('complementary', { name: 'Receipt details' })).toContainText(
    /files\s*[1-4] read, 1\d\d skipped/,
  )
  await workbench.screen('receipt-pruned')
})

test('values that other tools round or confuse are exact', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(`SELECT 9007199254740993::BIGINT AS big,
  12345678901234567890123456789012.345678::DECIMAL(38,6) AS amount,
  TIMESTAMP '9999-12-31 23:59:59.999999' AS late,
  TIMESTAMPTZ '2025-01-03 08:49:50.123456+00' AS zoned,
  0.1::FLOAT AS tenth, 'NaN'::DOUBLE AS nan`)
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.expectCells(0, [
    '9007199254740993',
    '12345678901234567890123456789012.345678',
    '9999-12-31 23:59:59.999999',
    '2025-01-03 08:49:50.123456+00',
    '0.1',
    'NaN',
  ])
  await workbench.run(`SELECT NULL::VARCHAR AS missing, '' AS empty, 'NULL' AS word,
  '\\x00\\xFF'::BLOB AS bytes, [1, NULL] AS list,
  {'id': 9007199254740993, 'name': 'x'} AS struct, MAP {'k': 1.50} AS map,
  170141183460469231731687303715884105727::HUGEINT AS huge`)
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.expectCells(0, [
    'NULL',
    '""',
    'NULL',
    '0x00ff',
    '[1, null]',
    '{"id": 9007199254740993, "name": "x"}',
    '{"k": 1.50}',
    '170141183460469231731687303715884105727',
  ])
  await workbench.screen('exact-values')
})

test('[NS1] columns of the same name keep their own values, and of any name can be told apart', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run("SELECT 1 AS id, 'x' AS id, 2.5::DECIMAL(4,2) AS id")
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.expectCells(0, ['1', 'x', '2.50'])
  // What is not seen in a name is shown, and copied as it is.
  await workbench.run(`SELECT 1 AS "pay\u202Eload\u200B", 2 AS "${'long '.repeat(60)}end"`)
  await expect(
    page.locator('.result-grid [role=columnheader]', { hasText: 'pay⟨U+202E⟩load⟨U+200B⟩' }),
  ).toBeAttached()
  await page
    .getByRole('toolbar', { name: 'Result' })
    .getByRole('button', { name: /^Column pay/ })
    .click()
  await page.getByRole('menuitem', { name: 'Copy name' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('pay\u202Eload\u200B')
  const grid = await page.locator('.result-grid canvas').first().boundingBox()
  await page.mouse.move((grid?.x ?? 0) + 300, (grid?.y ?? 0) + 20)
  await expect(page.getByRole('tooltip')).toContainText('long end')
  await workbench.screen('hidden-names')
  // `/` finds a column among many.
  const columns = Array.from({ length: 200 }, (_, i) => `${i} AS column_${i}`)
  await workbench.run(`SELECT ${columns.join(', ')}`)
  await expect(workbench.cell(0, 0)).toHaveText('0')
  await page.mouse.click((grid?.x ?? 0) + 60, (grid?.y ?? 0) + 56)
  await page.keyboard.press('/')
  await page.keyboard.type('column_17')
  await expect(page.getByRole('menuitemcheckbox')).toHaveCount(11)
  await workbench.screen('filter-columns')
  await workbench.expectAccessible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Columns (1 hidden)' })).toBeFocused()
})

test('a copied range is exact, with NULL and empty text apart', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run("SELECT 9007199254740993 AS a, NULL AS b, '' AS c, 'x y' AS d")
  await expect(workbench.exactness).toHaveText('exact')
  // The grid has its place once its tools stand above it.
  await expect(page.getByRole('button', { name: 'Find', exact: true })).toBeVisible()
  await workbench.expectCells(0, ['9007199254740993'])
  const box = await page.locator('.result-grid canvas').first().boundingBox()
  await page.mouse.click((box?.x ?? 0) + 80, (box?.y ?? 0) + 56)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('ControlOrMeta+c')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('9007199254740993\t\t""\tx y')
})

test('[RW7][RW8] Enter on a cell shows its whole value, laid out, or the start of one that is too long', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await workbench.open()
  const sql = `SELECT repeat('long ', 300) || 'end' AS text, {'a': [1.50, 9007199254740993]} AS nested,
'[' || repeat('{"n": 1.50},', 420000) || '{}]' AS big`
  await workbench.run(sql)
  await expect(workbench.exactness).toHaveText('exact')
  await expect(page.getByRole('button', { name: 'Find', exact: true })).toBeVisible()
  const box = await page.locator('.result-grid canvas').first().boundingBox()
  await page.mouse.click((box?.x ?? 0) + 80, (box?.y ?? 0) + 56)
  await page.keyboard.press('Enter')
  const viewer = page.getByRole('complementary', { name: 'Cell' })
  await expect(viewer).toContainText('long end')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const value = viewer.locator('pre')
  await expect(value).toHaveText('{\n  "a": [\n    1.50,\n    9007199254740993.00\n  ]\n}', {
    useInnerText: true,
  })
  await workbench.screen('cell-viewer')
  await workbench.expectAccessible()
  await viewer.getByRole('button', { name: 'Lay out' }).click()
  await expect(value).toHaveText('{"a": [1.50, 9007199254740993.00]}', { useInnerText: true })
  await page.locator('.result-grid canvas').first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(viewer).toContainText('first 100,000 of 5,040,004 characters')
  await workbench.screen('cell-viewer-long')
  await workbench.expectAccessible()
  const downloading = page.waitForEvent('download')
  await viewer.getByRole('button', { name: 'Save value' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('big-row-1.json')
  const whole = `[${'{"n": 1.50},'.repeat(420_000)}{}]`
  expect((await readFile(await download.path(), 'utf8')) === whole).toBe(true)
  await viewer.getByRole('button', { name: 'Copy value' }).click()
  await expect
    .poll(() => page.evaluate(async () => (await navigator.clipboard.readText()).length))
    .toBe(whole.length)
  // The keys were the grid's, also while the page was busy.
  await workbench.expectEditorText(sql)
})

const ENDLESS = 'SELECT e.episode_id, r.range AS n FROM iceberg.analytics.episodes e, range(100000) r'

/** Presses Stop; how long it takes until the page says that the server has ended the work. */
const stopMs = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const pressedAt = performance.now()
    const status = document.querySelector('[aria-label="Receipt"] output')
    const observer = new MutationObserver(() => {
      if (status?.textContent.startsWith('cancelled') === true) resolve(performance.now() - pressedAt)
    })
    if (status !== null) observer.observe(status, { childList: true, characterData: true, subtree: true })
    document.querySelector<HTMLButtonElement>('.button-stop')?.click()
    return promise
  })

/** Stops what runs within a second; where the machine was busy just then, the same statement once or twice more. */
async function expectStopsSoon(workbench: Workbench, runAgain: () => Promise<void>): Promise<void> {
  for (const isLast of [false, false, true]) {
    const tookMs = await stopMs(workbench.page)
    await expect(workbench.exactness).toHaveText(/^cancelled after [\d,]+ rows$/)
    if (tookMs < 1_000) return
    if (isLast) expect(tookMs, 'three times').toBeLessThan(1_000)
    await runAgain()
  }
}

test('rows appear while the statement runs, and Stop keeps them and says so', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  const run = async (): Promise<void> => {
    await workbench.run(ENDLESS)
    await expect(workbench.cell(0, 0)).toBeAttached()
    await expect(workbench.stop).toBeVisible()
    await expect(page.getByRole('toolbar', { name: 'Run' })).toContainText(/rows · /)
  }
  await run()
  await workbench.screen('running')
  await workbench.expectAccessible()
  await expectStopsSoon(workbench, run)
  await workbench.screen('stopped')
  await workbench.run('SELECT 42 AS answer')
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.expectCells(0, ['42'])
})

test('Stop ends a statement that has sent nothing yet', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  const run = async (): Promise<void> => {
    await workbench.run('SELECT sum(a.range * b.range) AS s FROM range(1000000) a, range(1000000) b')
    await expect(workbench.stop).toBeVisible()
    // It runs by then, or is about to: both are stopped.
    await page.waitForTimeout(700)
  }
  await run()
  await expectStopsSoon(workbench, run)
  await expect(workbench.exactness).toHaveText('cancelled after 0 rows')
})

test('a stream that is cut is never shown as complete', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await page.route('**/api/v1/do-get', async (route) => {
    const response = await route.fetch()
    const body = await response.body()
    await route.fulfill({ response, body: body.subarray(0, Math.floor(body.length * 0.8)) })
  })
  await workbench.run('SELECT * FROM iceberg.analytics.robots')
  await expect(workbench.exactness).toHaveText(/^(incomplete · [\d,]+ rows|failed)$/)
  await expect(workbench.alert).toContainText('STREAM_INCOMPLETE')
  await workbench.screen('stream-cut')
})

/** Whether the squiggle covers exactly the given token, in pixels. */
async function squiggleCovers(page: Page, token: string): Promise<boolean> {
  await page.locator('.squiggly-error').first().waitFor()
  return page.evaluate((text) => {
    const walker = document.createTreeWalker(
      document.querySelector('.monaco-editor .view-lines') ?? document.body,
      NodeFilter.SHOW_TEXT,
    )
    const squiggle = document.querySelector('.squiggly-error')?.getBoundingClientRect()
    if (squiggle === undefined) return false
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = (node.textContent ?? '').indexOf(text)
      if (at === -1) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + text.length)
      const box = range.getBoundingClientRect()
      if (
        Math.abs(box.left - squiggle.left) < 3 &&
        Math.abs(box.right - squiggle.right) < 3 &&
        Math.abs(box.top - squiggle.top) < 8
      )
        return true
    }
    return false
  }, token)
}

test('an error is marked at its token, also after comments, emoji and other statements', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(
    "SELECT '😀;' AS first;\r\n-- café 😀\nSELECT episode_id, '😀' AS smile, no_such_column\nFROM iceberg.analytics.episodes",
  )
  await expect(workbench.alert).toContainText('SQL_BINDING')
  await expect(workbench.alert).toContainText('no_such_column')
  await expect.poll(async () => await squiggleCovers(page, 'no_such_column')).toBe(true)
  await workbench.screen('error-position')
  await workbench.expectAccessible()
  await page.getByRole('button', { name: 'Go to line 3' }).click()
  await page.keyboard.insertText('episode_id AS again, ')
  await workbench.expectEditorText(/episode_id AS again, no_such_column/)
  // And where a selection was run.
  await expect(page.locator('.squiggly-error')).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('Shift+Home')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(async () => await squiggleCovers(page, 'no_such_column')).toBe(true)
})

test('what would change something is refused', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('DROP TABLE iceberg.analytics.episodes')
  await expect(workbench.alert).toContainText('SQL_NOT_READ_ONLY')
  await workbench.screen('refused')
})

test('an empty answer says that it is one', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT episode_id FROM iceberg.analytics.episodes WHERE episode_id < 0')
  await expect(workbench.exactness).toHaveText('exact')
  await expect(page.getByText('the answer is empty')).toBeVisible()
})

test('an older snapshot is read as of then, and everything says so', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open('/t/analytics/episodes?part=snapshots')
  await page
    .getByRole('button', { name: /^Query as of snapshot/ })
    .last()
    .click()
  await expect(page.getByText(/analytics\.episodes as of 2026-08-22 02:15:07 UTC/)).toBeVisible()
  await workbench.run('SELECT count(*) AS n, max(day) AS last_day FROM iceberg.analytics.episodes')
  await expect(workbench.exactness).toHaveText('exact')
  await expect(workbench.cell(1, 0)).toHaveText('2026-08-21')
  await expect(workbench.receipt).toContainText('as of an older snapshot')
  await workbench.screen('time-travel')
  await workbench.expectAccessible()
  await page.getByRole('button', { name: 'Read what is current' }).click()
  await workbench.run('SELECT max(day) AS last_day FROM iceberg.analytics.episodes')
  await expect(workbench.cell(0, 0)).toHaveText('2026-09-30')
  await expect(workbench.receipt).not.toContainText('older')
})

test('completion knows aliases, tables and columns', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type('SELECT e. FROM iceberg.analytics.episodes e')
  await page.keyboard.press('Home')
  for (let i = 0; i < 'SELECT e.'.length; i++) await page.keyboard.press('ArrowRight')
  await page.keyboard.type('dist')
  const list = page.getByRole('listbox', { name: 'Suggest' })
  await expect(list.getByRole('option').first()).toContainText('distance_m')
  await workbench.screen('completion')
  await page.keyboard.press('Tab')
  await workbench.expectEditorText('SELECT e.distance_m FROM iceberg.analytics.episodes e')
  await workbench.type('SELECT * FROM iceberg.analytics')
  await page.keyboard.type('.')
  await expect(list.getByRole('option', { name: /robots/ })).toBeVisible()
})

test('the last result stays, dimmed, until the next one has rows', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT 7 AS seven')
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.run('SELECT no_such_column')
  await expect(workbench.alert).toContainText('no_such_column')
  await workbench.screen('failed-after-result')
  await workbench.expectAccessible()
  await page.getByRole('button', { name: 'Go back to it' }).click()
  await expect(workbench.exactness).toHaveText('exact')
  await workbench.expectCells(0, ['7'])
  await workbench.run('SELECT sum(a.range * b.range) AS s FROM range(1000000) a, range(1000000) b')
  await expect(page.getByText('the previous result, until there are new rows')).toBeVisible()
  await workbench.screen('previous-result')
  await page.keyboard.press('ControlOrMeta+.')
  await expect(workbench.exactness).toHaveText('cancelled after 0 rows')
  await expect(page.getByText('the previous result')).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(workbench.stop).toBeVisible()
  await page.keyboard.press('F6')
  await page.keyboard.press('Escape')
  await expect(workbench.exactness).toHaveText('cancelled after 0 rows')
})
