// What can be done with one column of a result, for its header's menu and for the keyboard.
import type { MenuItem } from '../../ui/MenuButton.tsx'
import type { ResultColumn } from './grid-columns.ts'
import { toggleHidden, togglePinned, type GridView } from './grid-view.ts'

interface ColumnMenuInput {
  columns: readonly ResultColumn[]
  column: number
  view: GridView
  /** Why rows cannot be sorted here and now; undefined when they can. */
  sortRefusal: string | undefined
  onView: (change: (view: GridView) => GridView) => void
  onStats: (column: number) => void
  onCopyName: (name: string) => void
}

export function columnMenuItems(input: ColumnMenuInput): MenuItem[] {
  const { columns, column, view, sortRefusal, onView, onStats, onCopyName } = input
  const name = columns[column]?.name ?? ''
  const sorted = view.sort?.column === column ? view.sort : null
  const sort = (label: string, isDescending: boolean): MenuItem => {
    const isChecked = sorted?.isDescending === isDescending
    return {
      label,
      detail: sortRefusal ?? 'the loaded rows, in this browser',
      isChecked,
      isDisabled: sortRefusal !== undefined,
      onSelect: () => onView((old) => ({ ...old, sort: isChecked ? null : { column, isDescending } })),
    }
  }
  return [
    sort('Sort ascending', false),
    sort('Sort descending', true),
    {
      label: 'Pin at the left',
      isChecked: view.pinned.includes(column),
      onSelect: () => onView((old) => togglePinned(old, column)),
    },
    { label: 'Hide', onSelect: () => onView((old) => toggleHidden(old, column)) },
    { label: 'Statistics', onSelect: () => onStats(column) },
    { label: 'Copy name', onSelect: () => onCopyName(name) },
  ]
}
