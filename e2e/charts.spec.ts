// A result as a chart: what is drawn is said in words, in both themes, and goes out with its receipt.
import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import { Workbench } from './support/workbench.ts'

const chart = (page: Page) => page.getByRole('figure', { name: 'Chart' })

test('[CH1] a chart by defaults that fit the columns, told in words', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run(
    'SELECT day, sum(reward)::DECIMAL(18,2) AS reward, count(*) AS episodes FROM iceberg.analytics.episodes GROUP BY day ORDER BY day',
  )
  await expect(workbench.exactness).toHaveText('exact')
  await page.getByRole('button', { name: 'Chart', exact: true }).click()
  await expect(chart(page).getByRole('img')).toHaveAccessibleName(/^Line of reward by day: \d+ rows drawn/)
  await expect(chart(page)).toContainText(
    /of \d+ loaded rows \(exact\)\. day from 20\d\d-\d\d-\d\d to 20\d\d-\d\d-\d\d; reward from/,
  )
  await workbench.screen('chart-line')
  await workbench.expectAccessible()
  await page.emulateMedia({ colorScheme: 'dark' })
  await workbench.screen('chart-line-dark')
  await workbench.expectAccessible()
  await page.emulateMedia({ colorScheme: 'light' })

  await chart(page).getByRole('combobox', { name: 'Chart' }).selectOption('Bars')
  await chart(page).getByRole('combobox', { name: 'Height' }).selectOption('average')
  await expect(chart(page).getByRole('img')).toHaveAccessibleName(/^Bars of average of reward by day/)
  await workbench.screen('chart-bars')
  await chart(page).getByRole('combobox', { name: 'Chart' }).selectOption('Scatter')
  await expect(chart(page).getByRole('img')).toHaveAccessibleName(/^Scatter of reward/)
  await workbench.screen('chart-scatter')
  await chart(page).getByRole('combobox', { name: 'Chart' }).selectOption('Histogram')
  await expect(chart(page).getByRole('img')).toHaveAccessibleName(/^Histogram of rows by/)
  await workbench.screen('chart-histogram')
  await workbench.expectAccessible()

  await page.setViewportSize({ width: 560, height: 760 })
  await workbench.screen('chart-560')
  await workbench.expectAccessible()
  await page.getByRole('button', { name: 'Chart', exact: true }).click()
  await expect(workbench.cell(0, 0)).toBeAttached()
})

test('[CH3] a saved chart holds what it was made from', async ({ page }) => {
  const workbench = new Workbench(page)
  await workbench.open()
  await workbench.run('SELECT model, count(*) AS n FROM iceberg.analytics.robots GROUP BY model')
  await expect(workbench.exactness).toHaveText('exact')
  await page.getByRole('button', { name: 'Chart', exact: true }).click()
  await expect(chart(page).getByRole('img')).toBeVisible()
  const save = async (kind: string): Promise<Buffer> => {
    const downloading = page.waitForEvent('download')
    await chart(page).getByRole('button', { name: 'Save chart' }).click()
    await page.getByRole('menuitem', { name: new RegExp(`^${kind}`) }).click()
    return readFileSync(await (await downloading).path())
  }
  const svg = (await save('SVG')).toString()
  expect(svg).toMatch(/exact · analytics\.robots @ \d{15,19} · Lake Workbench/)
  expect(svg).not.toContain('var(--')
  const png = await save('PNG')
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  expect(png.length).toBeGreaterThan(5_000)
})
