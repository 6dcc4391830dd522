// The dark theme, and a narrow window, in the states that a first look does not reach.
import { expect, test } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

test.use({ colorScheme: 'dark' })

test('panels, menus and dialogs are readable in the dark', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.type(
    'SELECT 1 AS a;\nSELECT episode_id, task, reward FROM iceberg.analytics.episodes LIMIT 300',
  )
  await page.keyboard.press('ControlOrMeta+Shift+Enter')
  await expect(page.locator('.statement-sign-ok')).toHaveCount(2)
  await page.getByRole('toolbar', { name: 'Result' }).getByRole('button', { name: 'Find' }).click()
  await page.keyboard.type('a')
  await page.getByRole('tab', { name: 'History' }).click()
  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  await expect(page.getByText(/rows hold it/)).toBeVisible()
  await workbench.screen('panels-dark')
  await workbench.expectAccessible()
  await page.getByRole('button', { name: 'Columns' }).click()
  await workbench.screen('menu-dark')
  await workbench.expectAccessible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('option').first()).toBeVisible()
  await workbench.screen('palette-dark')
  await workbench.expectAccessible()
})

test('with forced colours what is drawn on a canvas has the colours of the person too', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  // As at a zoom of 200 %: rows are in reach then too.
  await page.setViewportSize({ width: 720, height: 450 })
  const workbench = new Workbench(page)
  await workbench.open()
  for (let i = 0; i < 8; i++) await page.getByRole('button', { name: 'New query' }).click()
  await expect(page.getByRole('tab', { name: 'Query 9' })).toBeInViewport()
  await workbench.run('SELECT r AS n FROM range(8, 60) t(r)')
  await workbench.expectCells(0, ['8'])
  const canvas = page.locator('.result-grid canvas').first()
  await canvas.scrollIntoViewIfNeeded()
  expect((await canvas.boundingBox())?.height ?? 0).toBeGreaterThan(100)
  const ink = await canvas.evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement
    const pixels =
      (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? []
    const shades = new Set<number>()
    for (let at = 0; at < pixels.length; at += 4) shades.add(pixels[at] ?? 0)
    return [Math.min(...shades), Math.max(...shades)]
  })
  // Text and ground of the dark scheme that Chromium forces, and not one on itself.
  expect(ink).toEqual([0, 255])
  await workbench.screen('forced-colours')
})

test('at 560 px the tools of a result stay in reach', async ({ page }) => {
  const workbench = new Workbench(page)
  await page.setViewportSize({ width: 560, height: 800 })
  await workbench.open()
  await workbench.run('SELECT episode_id, started_at FROM iceberg.analytics.episodes LIMIT 50')
  await expect(workbench.exactness).toHaveText('exact')
  await page.getByRole('toolbar', { name: 'Result' }).getByRole('button', { name: 'Find' }).click()
  await workbench.screen('tools-560-dark')
  await workbench.expectAccessible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})

test('who asks for more contrast has 7 for every text, and who asks for less motion sees none', async ({
  page,
}) => {
  await page.emulateMedia({ contrast: 'more', reducedMotion: 'reduce' })
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run("SELECT NULL AS nothing, 'text' AS words, 1 AS n -- of all kinds\n")
  await workbench.expectCells(0, ['NULL', 'text', '1'])
  await page.getByRole('tab', { name: 'History' }).click()
  await workbench.receipt.getByRole('button', { name: 'Receipt' }).click()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await workbench.screen(`more-contrast-${colorScheme}`)
    await workbench.expectContrast()
  }
  // Drawn on a canvas and by the editor: they follow while the page is open.
  const faint = page.locator('.monaco-editor .view-line span', { hasText: 'of all kinds' }).last()
  await expect(faint).toHaveCSS('color', 'rgb(62, 66, 70)')
  await workbench.run('SELECT sum(a.range * b.range) AS s FROM range(1000000) a, range(1000000) b')
  await expect(workbench.stop).toBeVisible()
  const bar = page.locator('.progress-bar')
  await expect(bar).toHaveCSS('animation-name', 'none')
  const [barPx, wholePx] = await Promise.all(
    [bar, page.locator('.progress')].map((each) => each.boundingBox()),
  )
  expect(barPx?.width).toBe(wholePx?.width)
  const moving = () =>
    document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration) > 0)
      .length
  expect(await page.evaluate(moving)).toBe(0)
  await workbench.stop.click()
  await expect(workbench.exactness).toHaveText('cancelled after 0 rows')
})
