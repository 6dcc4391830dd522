// Above a list: a text to find in paths and partitions, what else narrows it, and its pages. The list is asked when the text
// has rested.
import { Search } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { FIND_DELAY_MS, LIST_PAGE_ROWS } from '../../limits.ts'
import { PageTurner } from '../../ui/PageTurner.tsx'
import type { TableView } from './table-view.ts'

interface FindFieldProps {
  label: string
  find: string
  onFind: (find: string) => void
}

function FindField({ label, find, onFind }: FindFieldProps) {
  const [text, setText] = useState(find)
  const told = useRef(find)
  useEffect(() => {
    // The URL went elsewhere: Back, or another part of the page.
    if (told.current !== find) setText(find)
    told.current = find
  }, [find])
  useEffect(() => {
    if (text === told.current) return
    const timer = setTimeout(() => {
      told.current = text
      onFind(text)
    }, FIND_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text, onFind])
  return (
    <label className="search-field find-field">
      <Search size={14} aria-hidden />
      <span className="visually-hidden">{label}</span>
      <input
        type="search"
        value={text}
        placeholder={label}
        maxLength={200}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}

interface ListControlsProps {
  /** What the rows are, in the plural. */
  what: string
  view: TableView
  onView: (view: TableView) => void
  /** undefined until it is known. */
  rowCount: number | undefined
  children?: ReactNode
}

export function ListControls({ what, view, onView, rowCount, children }: ListControlsProps) {
  return (
    <div className="list-controls">
      <FindField
        label="Find in paths and partitions"
        find={view.find}
        onFind={(find) => onView({ ...view, find, page: 0 })}
      />
      {children}
      {rowCount !== undefined && (
        <PageTurner
          what={what}
          page={view.page}
          pageRows={LIST_PAGE_ROWS}
          rowCount={rowCount}
          onPage={(page) => onView({ ...view, page })}
        />
      )}
    </div>
  )
}
