// What can be done with the rows of a result. Says beside it when what is shown is not the rows as they came.
import { localZone, chooseZone } from '../../ui/time-zone.ts'
import { MenuButton, type MenuItem } from '../../ui/MenuButton.tsx'
import { visibleName } from '../../ui/visible-text.ts'
import { COLUMN_MENU_MAX } from '../../limits.ts'
import { COPY_FORMATS, type CopyFormat } from './copy-formats.ts'
import type { ResultColumn } from './grid-columns.ts'
import { initialView, toggleHidden, type GridView } from './grid-view.ts'

/** As many can be seen at once. */
const COLUMNS_UNFILTERED_MAX = 10

interface ResultBarProps {
  columns: readonly ResultColumn[]
  view: GridView
  onView: (change: (view: GridView) => GridView) => void
  zone: string
  /** How many cells a copy takes: `200 cells`, `everything shown`. */
  copyText: string
  onCopy: (format: CopyFormat) => void
  onFind: () => void
  /** Of the column of the selected cell; empty where none is selected. */
  columnItems: readonly MenuItem[]
  columnName: string
  /** `sorted by amount, over the first 2,000,000 rows`; empty for rows as they came. */
  arrangement: string
  /** Where only rows with one value are shown. */
  onShowAll: (() => void) | undefined
}

function zoneItems(zone: string): MenuItem[] {
  return [...new Set(['UTC', localZone(), zone])].map((name) => ({
    label: name,
    detail: name === 'UTC' ? 'the same for everyone' : undefined,
    isChecked: name === zone,
    onSelect: () => chooseZone(name),
  }))
}

function shownItems({ columns, view, onView }: ResultBarProps): MenuItem[] {
  const items = view.order.slice(0, COLUMN_MENU_MAX).map((column): MenuItem => ({
    label: `${column + 1} ${visibleName(columns[column]?.name ?? '')}`,
    isChecked: !view.hidden.includes(column),
    keepsOpen: true,
    onSelect: () => onView((old) => toggleHidden(old, column)),
  }))
  const reset = { label: 'As they came', onSelect: () => onView(() => initialView(columns.length)) }
  return [reset, ...items]
}

export function ResultBar(props: ResultBarProps) {
  const { columns, view, zone, copyText, onCopy, onFind, columnItems, columnName } = props
  const { arrangement, onShowAll } = props
  const columnsText = view.hidden.length === 0 ? 'Columns' : `Columns (${view.hidden.length} hidden)`
  const hasZonedTimes = columns.some(
    ({ sqlType }) => sqlType.endsWith(' WITH TIME ZONE') && sqlType.startsWith('TIMESTAMP'),
  )
  return (
    <div className="result-bar" role="toolbar" aria-label="Result">
      <button type="button" className="button button-quiet" onClick={onFind}>
        Find
      </button>
      <MenuButton
        label="Copy"
        items={COPY_FORMATS.map((format) => ({
          label: format,
          detail: format === 'SQL IN list' ? 'distinct values of the first of the columns' : copyText,
          onSelect: () => onCopy(format),
        }))}
      >
        Copy
      </MenuButton>
      <MenuButton
        label={columnsText}
        items={shownItems(props)}
        filterLabel={columns.length > COLUMNS_UNFILTERED_MAX ? 'Filter columns' : undefined}
      >
        {columnsText}
      </MenuButton>
      <MenuButton label={`Column ${columnName}`} items={columnItems}>
        Column <span className="result-bar-name">{columnName}</span>
      </MenuButton>
      {hasZonedTimes && (
        <MenuButton label={`Time zone ${zone}`} items={zoneItems(zone)}>
          {zone}
        </MenuButton>
      )}
      <output className="result-arrangement" title={arrangement}>
        {arrangement}
      </output>
      {onShowAll !== undefined && (
        <button type="button" className="button button-quiet" onClick={onShowAll}>
          Show all rows
        </button>
      )}
    </div>
  )
}
