// What a person does and sees in the workbench, by role and name.
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'

const SCREENS = `${import.meta.dirname}/../../test-results/screens`

export class Workbench {
  readonly page: Page
  readonly tree: Locator
  readonly exactness: Locator
  readonly receipt: Locator
  readonly stop: Locator
  /** A failure of ours; the editor has live regions of its own. */
  readonly alert: Locator

  constructor(page: Page) {
    this.page = page
    this.tree = page.getByRole('tree', { name: 'Catalog' })
    this.receipt = page.getByRole('region', { name: 'Receipt', exact: true })
    this.exactness = this.receipt.getByRole('status')
    this.alert = page.getByRole('main').getByRole('alert')
    this.stop = page.getByRole('button', { name: 'Stop', exact: true })
  }

  async open(path = '/'): Promise<void> {
    await this.page.goto(path)
    if (path === '/') await this.page.locator('.monaco-editor .view-lines').waitFor()
  }

  treeItem(name: string): Locator {
    return this.tree.getByRole('treeitem', { name, exact: false }).first()
  }

  /** Replaces the text of the shown tab. */
  async type(sql: string): Promise<void> {
    await this.page.locator('.monaco-editor .view-lines').click()
    await this.page.keyboard.press('ControlOrMeta+a')
    await this.page.keyboard.insertText(sql)
  }

  async run(sql: string): Promise<void> {
    await this.type(sql)
    await this.page.keyboard.press('ControlOrMeta+Enter')
  }

  /** The accessible text of a cell; column and row count from 0. */
  cell(column: number, row: number): Locator {
    return this.page.getByTestId(`glide-cell-${column + 1}-${row}`)
  }

  async expectCells(row: number, texts: readonly string[]): Promise<void> {
    for (const [column, text] of texts.entries()) await expect(this.cell(column, row)).toHaveText(text)
  }

  /** The editor draws its text after the page has: asks until the text has come. */
  async expectEditorText(text: string | RegExp): Promise<void> {
    const shown = expect.poll(async () => await this.#editorText())
    await (typeof text === 'string' ? shown.toBe(text) : shown.toMatch(text))
  }

  async #editorText(): Promise<string> {
    const lines = await this.page.locator('.monaco-editor .view-line').allInnerTexts()
    return lines.join('\n').replaceAll('\u00a0', ' ')
  }

  /** Exports a result whose ticket is too old: it is planned again, at the same snapshots. */
  async exportPlannedAnew(): Promise<void> {
    await this.page.getByRole('button', { name: 'Export', exact: true }).click()
    await this.page.getByRole('menuitem', { name: /^CSV…/ }).click()
    const dialog = this.page.getByRole('dialog', { name: 'Export' })
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await dialog.getByRole('button', { name: 'Plan again at the same snapshots, and export' }).click()
    await expect(dialog.getByText('is whole')).toBeVisible()
    await this.page.keyboard.press('Escape')
  }

  async screen(name: string): Promise<void> {
    await this.page.screenshot({ path: `${SCREENS}/${name}.png` })
  }

  /** No violation of WCAG 2 A and AA that axe can find. */
  async expectAccessible(): Promise<void> {
    await this.#expectNoViolation(
      this.#axe()
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'])
        // Splitters stand between the landmarks by nature.
        .exclude('[role=separator]'),
    )
  }

  /** The contrast that AAA of WCAG 2 asks for. */
  async expectContrast(): Promise<void> {
    await this.#expectNoViolation(this.#axe().withRules(['color-contrast-enhanced']))
  }

  #axe(): AxeBuilder {
    return new AxeBuilder({ page: this.page })
  }

  async #expectNoViolation(axe: AxeBuilder): Promise<void> {
    const { violations } = await axe.analyze()
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)
    expect(found).toEqual([])
  }
}
