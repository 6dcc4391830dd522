// The palette: one box that finds tables, columns, open tabs, saved and earlier queries, and commands. A dialog over
// the page; the focus goes back to where it was.
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { PALETTE_SHOWN_MAX } from '../../limits.ts'
import { rankItems, type PaletteItem } from './rank-items.ts'
import { visibleName, visibleText } from '../../ui/visible-text.ts'

const KIND_TEXT: Record<PaletteItem['kind'], string> = {
  table: 'table',
  column: 'column',
  tab: 'tab',
  saved: 'saved query',
  history: 'history',
  command: 'command',
}

interface PaletteListProps {
  id: string
  items: readonly PaletteItem[]
  index: number
  onPoint: (index: number) => void
  onChoose: (item: PaletteItem) => void
}

/* The keys are those of the box above; the entries are pointed at by aria-activedescendant and never focused. A native
   list has no way to show more than a text in each entry. */
/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events */
function PaletteList({ id, items, index, onPoint, onChoose }: PaletteListProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Found" className="palette-list">
      {items.map((item, i) => (
        <div
          key={item.id}
          id={`${id}-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={i === index}
          className="palette-item"
          onPointerMove={() => onPoint(i)}
          onClick={() => onChoose(item)}
        >
          <span className="palette-title" title={visibleName(item.title)}>
            {visibleName(item.title)}
          </span>
          <span className="palette-detail">{visibleText(item.detail)}</span>
          {item.shortcut !== undefined && <kbd>{item.shortcut}</kbd>}
          <span className="palette-kind">{KIND_TEXT[item.kind]}</span>
        </div>
      ))}
    </div>
  )
}
/* oxlint-enable */

interface PaletteProps {
  items: readonly PaletteItem[]
  /** More items are on their way. */
  isListing: boolean
  onClose: () => void
}

export function Palette({ items, isListing, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  /** Enter was pressed for what is not listed yet. */
  const [isAwaited, setAwaited] = useState(false)
  const id = useId()
  const shown = useMemo(() => rankItems(items, search, PALETTE_SHOWN_MAX), [items, search])
  const index = Math.min(at, shown.length - 1)

  useEffect(() => {
    const element = dialog.current
    const focused = document.activeElement
    element?.showModal()
    return () => {
      element?.close()
      if (focused instanceof HTMLElement) focused.focus()
    }
  }, [])
  useEffect(() => {
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, index])

  const choose = (item: PaletteItem | undefined) => {
    if (item === undefined) return
    onClose()
    // After the focus went back, so that a command may move it.
    setTimeout(item.run)
  }
  const [first] = shown
  useEffect(() => {
    if (isAwaited) choose(first)
    // When the awaited one comes; `choose` is new with every render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isAwaited, first])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && shown.length > 0) setAt((index + step + shown.length) % shown.length)
    else if (event.key === 'Enter') {
      setAwaited(shown.length === 0 && isListing)
      choose(shown[index])
    } else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} className="palette" aria-label="Command palette" onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-label="Search tables, columns, tabs, queries and commands"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length > 0 ? `${id}-${index}` : undefined}
        placeholder="Tables, columns, tabs, queries, commands"
        value={search}
        spellCheck={false}
        autoComplete="off"
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setSearch(event.target.value)
          setAt(0)
          setAwaited(false)
        }}
      />
      <PaletteList id={id} items={shown} index={index} onPoint={setAt} onChoose={choose} />
      {shown.length === 0 && (
        <p className="palette-none">{isListing ? 'Looking in the catalog…' : 'Nothing matches.'}</p>
      )}
    </dialog>
  )
}
