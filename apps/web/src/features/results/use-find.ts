// Find: what is looked for, by its text or as one value, whether other rows are left out, and stepping through the rows that hold it.
import type { DataEditorRef, GridSelection } from '@glideapps/glide-data-grid'
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { NO_SELECTION } from './ResultGrid.tsx'
import type { CellValue } from './row-search.ts'

/** Ctrl F with the focus anywhere in `frame` opens it; elsewhere the key stays the browser's. */
function useFindKey(frame: RefObject<HTMLElement | null>, open: () => void): void {
  useEffect(() => {
    const element = frame.current
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
      event.preventDefault()
      open()
    }
    element?.addEventListener('keydown', onKeyDown)
    return () => element?.removeEventListener('keydown', onKeyDown)
  }, [frame, open])
}

export function useFind(
  grid: RefObject<DataEditorRef | null>,
  onSelection: (selection: GridSelection) => void,
  frame: RefObject<HTMLElement | null>,
) {
  const [isOpen, setOpen] = useState(false)
  const [search, setSearch] = useState('')
  const [isFilter, setFilter] = useState(false)
  const [only, setOnly] = useState<CellValue | null>(null)
  const at = useRef(-1)
  const gone = useRef(-1)
  const open = useCallback(() => setOpen(true), [])
  useFindKey(frame, open)
  const goToRow = (row: number) => {
    const range = { x: 0, y: row, width: 1, height: 1 }
    onSelection({ ...NO_SELECTION, current: { cell: [0, row], range, rangeStack: [] } })
    // The grid goes to a cell that was newly selected by itself; going there twice ends elsewhere.
    if (gone.current === row) grid.current?.scrollTo(0, row, 'vertical', 0, 0, { vAlign: 'center' })
    gone.current = row
  }
  const step = (by: 1 | -1, matches: Uint32Array | null) => {
    if (matches === null || matches.length === 0) return
    at.current = (at.current + by + matches.length) % matches.length
    goToRow(matches[at.current] ?? 0)
  }
  return {
    isOpen,
    search: isOpen ? search : '',
    text: search,
    isFilter: isFilter || only !== null,
    /** The one value whose rows are shown; null: any. */
    only,
    setOnly: (value: CellValue | null) => {
      at.current = -1
      onSelection(NO_SELECTION)
      grid.current?.scrollTo(0, 0, 'vertical')
      setOnly(value)
    },
    open,
    close: () => setOpen(false),
    setSearch: (text: string) => {
      at.current = -1
      setSearch(text)
    },
    setFilter,
    goToRow,
    step,
  }
}
