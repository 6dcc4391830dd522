// The shown rows of a result, how they are arranged, what is looked for and selected in them, and copying the selection.
import type { DataEditorRef, GridSelection } from '@glideapps/glide-data-grid'
import { useCallback, useState, type ClipboardEvent, type RefObject } from 'react'
import { toApiError } from '../../api/api-error.ts'
import { EXAMINED_ROWS_MAX } from '../../limits.ts'
import { exactnessOf } from '../../query-run/exactness.ts'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { isRunning } from '../../query-run/run-state.ts'
import { copyText } from '../../ui/copy-text.ts'
import { say } from '../../ui/notice.ts'
import { useZone } from '../../ui/time-zone.ts'
import type { CopyFormat } from './copy-formats.ts'
import { broughtAndCopied, copied, COPY_REFUSED, isAtHand } from './copy-selection.ts'
import type { ResultColumn } from './grid-columns.ts'
import { shownColumns, type GridView } from './grid-view.ts'
import { NO_SELECTION } from './ResultGrid.tsx'
import { selectedArea } from './selected-area.ts'
import { useCalmRowCount } from './use-calm-row-count.ts'
import { useFind } from './use-find.ts'
import { useGridKeys } from './use-grid-keys.ts'
import { useMatches } from './use-matches.ts'
import { placeOfSelection, selectionAt, usePlace } from './use-place.ts'
import { useRowOrder } from './use-row-order.ts'
import { useGridView } from './view-store.ts'

export interface ResultRowsProps {
  run: QueryRun
  snapshot: RunSnapshot
  columns: readonly ResultColumn[]
}

export function useResultRows(
  { run, snapshot, columns }: ResultRowsProps,
  frame: RefObject<HTMLElement | null>,
  grid: RefObject<DataEditorRef | null>,
) {
  const zone = useZone()
  const { place, keep, onPlace } = usePlace(run, snapshot, grid)
  const [view, setView] = useGridView(run.source.tabId, columns, place?.sort ?? null)
  const [selection, setSelection] = useState<GridSelection>(() => selectionAt(place))
  const onSelection = useCallback(
    (next: GridSelection) => {
      setSelection(next)
      keep(placeOfSelection(next))
    },
    [keep],
  )
  const find = useFind(grid, onSelection, frame)
  useGridKeys(frame)
  const { rowCount, state } = snapshot
  const isArriving = isRunning(state) && state.kind !== 'paused'
  const shown = shownColumns(view)
  const { buffer } = run
  const { search, only, isFilter } = find
  const told = useCalmRowCount(rowCount, isArriving)
  const found = useMatches({ buffer, columns, shown, search, only, rowCount: told })
  const order = useRowOrder({ buffer, columns, rowCount, isArriving, sort: view.sort, found, isFilter })
  const shownRowCount = order.rows?.length ?? rowCount
  const lookedAtCount = found.matches?.lookedAtCount ?? Math.min(rowCount, EXAMINED_ROWS_MAX)
  return {
    zone,
    view,
    setView,
    onView: (change: (view: GridView) => GridView) => {
      setSelection(NO_SELECTION)
      keep({ sort: change(view).sort, selected: null })
      setView(change)
    },
    // Of a part of the rows it would lead to another one of all.
    start: { place, onPlace: isFilter && (search !== '' || only !== null) ? undefined : onPlace },
    selection,
    onSelection,
    find,
    isArriving,
    shown,
    order,
    shownRowCount,
    lookedAtCount,
    /** Every row of the answer is here, and was looked at where something is looked for. */
    isWhole: exactnessOf(state, rowCount).tone === 'ok' && lookedAtCount >= rowCount,
    area: selectedArea(selection, shown.length, shownRowCount),
    selectedColumn: shown[selection.current?.cell[0] ?? selection.columns.first() ?? 0] ?? 0,
  }
}
export type ShownRows = ReturnType<typeof useResultRows>

/** Copies what is selected, and says what was copied. */
export function useCopy({ run, snapshot, columns }: ResultRowsProps, rows: ShownRows) {
  const { shown, order, shownRowCount, selection, zone, area } = rows
  const input = { run, snapshot, columns, shown, rows: order.rows, shownRowCount, selection, zone }
  const refuse = () => say(COPY_REFUSED, 'warn')
  const copyAs = async (format: CopyFormat) => {
    try {
      const made = await broughtAndCopied(format, input, new AbortController().signal)
      if (made === null) refuse()
      else if (await copyText(made.text)) say(made.words)
    } catch (error) {
      say(`Nothing was copied: ${toApiError(error).message}`, 'warn')
    }
  }
  return {
    copyAs,
    onCopyKey: (event: ClipboardEvent) => {
      if (area.isEverything) return
      event.preventDefault()
      // The clipboard of the event is open now and not later.
      if (!isAtHand(input)) {
        void copyAs('TSV')
        return
      }
      const made = copied('TSV', input)
      if (made === null) {
        refuse()
        return
      }
      event.clipboardData.setData('text/plain', made.text)
      say(made.words)
    },
  }
}
