// Where somebody was in this result before: on the way back to a tab, or to the page, it begins there.
import { CompactSelection, type DataEditorRef, type GridSelection } from '@glideapps/glide-data-grid'
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { keepPlace, placeKey, placeOf, type Place } from '../../storage/places.ts'
import { ROW_HEIGHT_PX, SCROLL_HEIGHT_MAX_PX } from './ResultGrid.tsx'

export function selectionAt(place: Place | undefined): GridSelection {
  const selection: GridSelection = { columns: CompactSelection.empty(), rows: CompactSelection.empty() }
  if (place?.selected == null) return selection
  const { cell, range } = place.selected
  return { ...selection, current: { cell, range, rangeStack: [] } }
}

export function placeOfSelection({ current }: GridSelection): Pick<Place, 'selected'> {
  if (current === undefined) return { selected: null }
  const [column, row] = current.cell
  return { selected: { cell: [column, row], range: { ...current.range } } }
}

const nextFrames = (then: () => void): number => requestAnimationFrame(() => requestAnimationFrame(then))

export function usePlace(run: QueryRun, snapshot: RunSnapshot, grid: RefObject<DataEditorRef | null>) {
  const { tabId, startOffset } = run.source
  const key = placeKey(tabId, startOffset, snapshot.startedAtMs)
  const [place] = useState(() => placeOf(key))
  const keep = useCallback((change: Partial<Place>) => keepPlace(key, change), [key])
  // It is looked at now.
  useEffect(() => keep({}), [keep])
  // Taller than browsers scroll: by the row, once the grid is drawn, which it is when it tells what is in view.
  const isToGo = useRef(place !== undefined && snapshot.rowCount * ROW_HEIGHT_PX >= SCROLL_HEIGHT_MAX_PX)
  const onPlace = useCallback(
    (at: Pick<Place, 'topPx' | 'leftPx'>) => {
      if (!isToGo.current || place === undefined) {
        keep(at)
        return
      }
      isToGo.current = false
      const row = Math.round(place.topPx / ROW_HEIGHT_PX)
      nextFrames(() => grid.current?.scrollTo(0, row, 'vertical', 0, 0, { vAlign: 'start' }))
    },
    [place, keep, grid],
  )
  return { place, keep, onPlace }
}
