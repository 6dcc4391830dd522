// What can be done with one cell of a result, for its context menu.
import { exactnessOf } from '../../query-run/exactness.ts'
import type { RunSnapshot } from '../../query-run/query-run.ts'
import { copyText } from '../../ui/copy-text.ts'
import type { MenuItem } from '../../ui/MenuButton.tsx'
import { say } from '../../ui/notice.ts'
import { visibleName, visibleText } from '../../ui/visible-text.ts'
import { displayText, type ResultColumn } from './grid-columns.ts'
import type { CellValue } from './row-search.ts'

interface CellMenuInput {
  columns: readonly ResultColumn[]
  /** As it is drawn, in the chosen zone. */
  text: string | null
  /** Its exact value, in UTC. */
  value: CellValue
  snapshot: RunSnapshot
  onOpen: () => void
  onStats: () => void
  onOnly: (value: CellValue) => void
}

const DETAIL_CHARS_MAX = 40

async function copyValue(text: string, { state, rowCount }: RunSnapshot): Promise<void> {
  if (await copyText(text)) say(`Value copied · ${exactnessOf(state, rowCount).text}`)
}

export function cellMenuItems(input: CellMenuInput): MenuItem[] {
  const { columns, text, value, snapshot, onOpen, onStats, onOnly } = input
  const name = visibleName(columns[value.column]?.name ?? '')
  const shownText = text === null ? 'NULL' : visibleText(displayText(text, DETAIL_CHARS_MAX))
  return [
    { label: 'Whole value', onSelect: onOpen },
    {
      label: 'Copy value',
      isDisabled: text === null,
      detail: text === null ? 'NULL has no text' : undefined,
      onSelect: () => void copyValue(text ?? '', snapshot),
    },
    {
      label: 'Only rows with this value',
      detail: `${name} is ${shownText === '' ? '""' : shownText}, of the loaded rows`,
      onSelect: () => onOnly(value),
    },
    { label: `Statistics of ${name}`, onSelect: onStats },
  ]
}
