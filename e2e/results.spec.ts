// What can be done with the rows of a result, and what is said where they are not all rows.
import { expect, test, type Page } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

const ROBOTS = `SELECT i AS id, 'robot ' || (i % 7) AS name, (i * 37) % 101 AS score
FROM range(200) r(i)`
const toolbar = (page: Page) => page.getByRole('toolbar', { name: 'Result' })
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** Clicks a cell by its place on the canvas: the grid has no elements to click. */
async function clickCell(page: Page, x: number, row: number): Promise<void> {
  await expect(page.getByRole('button', { name: 'Find', exact: true })).toBeVisible()
  const box = await page.locator('.result-grid canvas').first().boundingBox()
  await page.mouse.click((box?.x ?? 0) + x, (box?.y ?? 0) + 44 + row * 24 + 12)
}

test.beforeEach(async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(ROBOTS)
  await expect(workbench.exactness).toHaveText('exact')
})

test('rows are sorted by exact value, and the result says so', async ({ page }) => {
  const workbench = new Workbench(page)
  await clickCell(page, 80, 0)
  await toolbar(page).getByRole('button', { name: 'Column id' }).click()
  await page.getByRole('menuitemcheckbox', { name: /Sort descending/ }).click()
  await expect(page.getByText('sorted by id descending')).toBeVisible()
  await workbench.expectCells(0, ['199'])
  await workbench.screen('sorted')
  await workbench.expectAccessible()
  await toolbar(page).getByRole('button', { name: 'Column id' }).click()
  await page.getByRole('menuitemcheckbox', { name: /Sort descending/ }).click()
  await workbench.expectCells(0, ['0'])
})

test('find steps through rows, leaves others out, and goes to a row', async ({ page }) => {
  const workbench = new Workbench(page)
  await clickCell(page, 80, 0)
  await page.keyboard.press('ControlOrMeta+f')
  await page.keyboard.type('ROBOT 3')
  await expect(page.getByText('29 rows hold it')).toBeVisible()
  await page.getByRole('checkbox', { name: 'Only these rows' }).check()
  await expect(page.getByText('29 of 200 rows shown')).toBeVisible()
  await workbench.expectCells(0, ['3', 'robot 3'])
  await workbench.screen('find')
  await workbench.expectAccessible()
  await page.getByRole('checkbox', { name: 'Only these rows' }).uncheck()
  await page.getByRole('textbox', { name: 'Go to row' }).fill('200')
  await page.keyboard.press('Enter')
  await expect(workbench.cell(0, 199)).toHaveText('199')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('textbox', { name: 'Find in the result' })).toHaveCount(0)
  // Exactly one value, from the menu of its cell.
  await clickCell(page, 180, 4)
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: /^Only rows with this value/ }).click()
  await expect(page.getByText(/^\d+ of 200 rows shown · where name is “robot \d”$/)).toBeVisible()
  await workbench.screen('only-this-value')
  await workbench.expectAccessible()
  await page.getByRole('button', { name: 'Show all rows' }).click()
  await expect(page.getByText('of 200 rows shown')).toHaveCount(0)
})

test('[RW3] copies say what they hold and how exact it is', async ({ page }) => {
  await clickCell(page, 80, 0)
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowDown')
  await toolbar(page).getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('menuitem', { name: /^CSV/ }).click()
  await expect(page.getByText('2 rows × 2 columns copied as CSV · exact')).toBeVisible()
  await expect.poll(() => clipboard(page)).toBe('id,name\r\n0,robot 0\r\n1,robot 1\r\n')
  // By keys alone, from the grid.
  await page.locator('.result-grid canvas').first().focus()
  await page.keyboard.press('ControlOrMeta+Shift+c')
  await page.getByRole('menuitem', { name: /^SQL IN list/ }).click()
  await expect.poll(() => clipboard(page)).toBe('(0, 1)')
  await page.locator('.result-grid canvas').first().focus()
  await page.keyboard.press('/')
  await expect(page.getByRole('menuitemcheckbox', { name: '2 name' })).toBeVisible()
})

/** Whether the grid offers to resize a column there, by its cursor. */
async function isEdge(page: Page, x: number, y: number): Promise<boolean> {
  await page.mouse.move(x, y)
  const canvas = page.locator('.result-grid canvas').first()
  return await canvas.evaluate(
    (element) =>
      new Promise<boolean>((resolve) =>
        requestAnimationFrame(() => resolve(element.style.cursor.endsWith('-resize'))),
      ),
  )
}

/** Right edges of the columns in view, in pixels of the window. */
async function columnEdges(page: Page): Promise<{ x: number[]; y: number }> {
  const box = (await page.locator('.result-grid canvas').first().boundingBox())!
  const y = box.y + 12
  const x: number[] = []
  for (let at = box.x + 60; at < box.x + 340; at += 5)
    if (at - (x.at(-1) ?? 0) > 20 && (await isEdge(page, at, y))) x.push(at)
  return { x, y }
}

async function drag(page: Page, y: number, from: number, to: number): Promise<void> {
  await page.mouse.move(from, y)
  await page.mouse.down()
  await page.mouse.move((from + to) / 2, y, { steps: 4 })
  await page.mouse.move(to, y, { steps: 4 })
  await page.mouse.up()
}

test('columns are resized, moved, pinned and hidden, and the arrangement comes back with the next run', async ({
  page,
}) => {
  const workbench = new Workbench(page)
  await expect(workbench.cell(0, 1)).toHaveText('1')
  const { x, y } = await columnEdges(page)
  expect(x).toHaveLength(3)
  const [ofId, , ofScore] = x as [number, number, number]
  await drag(page, y, ofId, ofId + 60)
  await expect.poll(async () => await isEdge(page, ofScore + 60, y)).toBe(true)
  await drag(page, y, ofScore + 60 - 20, ofId)
  await workbench.expectCells(1, ['37', '1', 'robot 1'])
  await clickCell(page, 80, 1)
  await page.keyboard.press('End')
  await toolbar(page).getByRole('button', { name: 'Column name' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Pin at the left' }).click()
  await workbench.expectCells(1, ['robot 1', '37', '1'])
  await toolbar(page).getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: '2 name' }).click()
  await page.keyboard.press('Escape')
  await expect(toolbar(page).getByRole('button', { name: 'Columns (1 hidden)' })).toBeVisible()
  await workbench.expectCells(1, ['37', '1'])
  await page.reload()
  await page.locator('.monaco-editor .view-lines').waitFor()
  await workbench.run(ROBOTS)
  await expect(toolbar(page).getByRole('button', { name: 'Columns (1 hidden)' })).toBeVisible()
  await workbench.expectCells(1, ['37', '1'])
})

test('statistics of a column, by keyboard alone', async ({ page }) => {
  const workbench = new Workbench(page)
  await clickCell(page, 80, 0)
  await toolbar(page).getByRole('button', { name: 'Column id' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary', { name: 'Column statistics' })
  await expect(panel).toContainText(/greatest\s*199/)
  await expect(panel).toContainText(/distinct\s*200/)
  await expect(panel).toContainText('over the 200 loaded rows · exact')
  await workbench.screen('column-statistics')
  await workbench.expectAccessible()
  // From the grid, where keys go to the ends as in a spreadsheet.
  await page.getByRole('button', { name: 'Close statistics' }).click()
  await clickCell(page, 80, 3)
  await expect(page.locator('.result-grid :focus')).toHaveCount(1)
  await page.keyboard.press('End')
  await page.keyboard.press('Space')
  await expect(panel.getByRole('heading', { name: 'score' })).toBeVisible()
  await page.keyboard.press('Home')
  await page.keyboard.press('Control+ArrowDown')
  await expect(workbench.cell(0, 199)).toHaveText('199')
  await page.keyboard.press('Control+Home')
  await expect(workbench.cell(0, 0)).toHaveText('0')
  await page.keyboard.press('Space')
  await expect(panel.getByRole('heading', { name: 'id' })).toBeVisible()
})

test('[RW4] times with a zone move with the chosen zone, and others never', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ timezoneId: 'Asia/Kolkata', baseURL: baseURL ?? '' })
  const page = await context.newPage()
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(
    "SELECT TIMESTAMPTZ '2025-01-03 08:49:50.123456+00' AS zoned, TIMESTAMP '2025-01-03 08:49:50' AS plain",
  )
  await workbench.expectCells(0, ['2025-01-03 08:49:50.123456+00', '2025-01-03 08:49:50'])
  await toolbar(page).getByRole('button', { name: 'Time zone UTC' }).click()
  await page.getByRole('menuitemcheckbox', { name: /Calcutta|Kolkata/ }).click()
  await workbench.expectCells(0, ['2025-01-03 14:19:50.123456+05:30', '2025-01-03 08:49:50'])
  await workbench.screen('time-zone')
  await context.close()
})

test('[RW2] over a part of the rows, every tool says that it is a part', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.run('SELECT a.range AS n FROM range(100000) a, range(100000) b')
  // Not those of the result before, which stay until there are new ones.
  await expect(page.getByRole('toolbar', { name: 'Run' })).toContainText(/[1-9][\d,]* rows · /)
  await workbench.stop.click()
  await expect(workbench.exactness).toHaveText(/^cancelled after [\d,]+ rows$/)
  await clickCell(page, 80, 0)
  await toolbar(page).getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('menuitem', { name: /^TSV/ }).click()
  await expect(page.getByText(/1 row × 1 column copied as TSV · cancelled after [\d,]+ rows/)).toBeVisible()
  await toolbar(page).getByRole('button', { name: 'Find' }).click()
  await expect(page.getByText(/^looks in the first [\d,]+ rows$/)).toBeVisible()
  await page.getByRole('textbox', { name: 'Find in the result' }).fill('0')
  await expect(page.getByText(/^[\d,]+ rows hold it, of the first [\d,]+ rows$/)).toBeVisible()
  await workbench.screen('partial')
  await workbench.expectAccessible()
})
