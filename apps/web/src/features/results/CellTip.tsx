// What a cell or a header of the grid holds where the drawn text is not all of it: cut by the column's width, or on several lines.
// Shown beside the cell when the pointer rests on it; the pointer may go over it, and Escape puts it away.
import type { GridMouseEventArgs, Rectangle } from '@glideapps/glide-data-grid'
import { useCallback, useEffect, useRef, useState } from 'react'
import { CELL_TIP_CHARS_MAX } from '../../limits.ts'
import { countText } from '../../ui/format-quantity.ts'

const SHOW_DELAY_MS = 350
/** Long enough to move from the cell onto the tip. */
const HIDE_DELAY_MS = 200
const WIDTH_MAX_PX = 480
const HEIGHT_MAX_PX = 240
const GAP_PX = 2

interface Tip {
  text: string
  bounds: Rectangle
}

/**
 * @param textAt the whole text of a shown cell, up to one character more than a tip has; null where it is all drawn
 * @param headerAt name and type of a shown column; null where they are all drawn
 */
export function useCellTip(
  textAt: (place: number, row: number) => string | null,
  headerAt: (place: number) => string | null,
) {
  const [tip, setTip] = useState<Tip | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** A key was used since the pointer moved: the grid tells of a pointer that rests whenever it is drawn anew. */
  const isResting = useRef(false)
  const isShown = tip !== null
  const later = useCallback((next: Tip | null, delayMs: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setTip(next), delayMs)
  }, [])
  const hide = useCallback(() => {
    clearTimeout(timer.current)
    setTip(null)
  }, [])
  const keep = useCallback(() => clearTimeout(timer.current), [])
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    if (!isShown) return
    const onEscape = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
    addEventListener('keydown', onEscape, { capture: true })
    addEventListener('wheel', hide, { capture: true, passive: true })
    return () => {
      removeEventListener('keydown', onEscape, { capture: true })
      removeEventListener('wheel', hide, { capture: true })
    }
  }, [isShown, hide])
  useEffect(() => {
    const onKeyDown = () => {
      isResting.current = true
      hide()
    }
    const onPointerMove = () => {
      isResting.current = false
    }
    addEventListener('keydown', onKeyDown, { capture: true })
    addEventListener('pointermove', onPointerMove, { capture: true, passive: true })
    return () => {
      removeEventListener('keydown', onKeyDown, { capture: true })
      removeEventListener('pointermove', onPointerMove, { capture: true })
    }
  }, [hide])
  const onItemHovered = useCallback(
    (item: GridMouseEventArgs) => {
      if (isResting.current) return
      const isHeader = item.kind === 'header'
      const isCell = item.kind === 'cell'
      const [place, row] = isCell || isHeader ? item.location : [0, 0]
      const text = isCell ? textAt(place, row) : isHeader ? headerAt(place) : null
      if (text === null || !(isCell || isHeader)) later(null, HIDE_DELAY_MS)
      else later({ text, bounds: item.bounds }, isShown ? 0 : SHOW_DELAY_MS)
    },
    [textAt, headerAt, later, isShown],
  )
  return { tip, onItemHovered, hide, keep, hideSoon: () => later(null, HIDE_DELAY_MS) }
}

/** Below the cell, or above it where there is no room; within the window. */
function placeOf({ x, y, height }: Rectangle) {
  const left = Math.max(4, Math.min(x, innerWidth - WIDTH_MAX_PX - 4))
  const isBelow = y + height + HEIGHT_MAX_PX < innerHeight || y < innerHeight / 2
  return isBelow
    ? { left, top: y + height + GAP_PX, maxHeight: Math.min(HEIGHT_MAX_PX, innerHeight - y - height - 8) }
    : { left, bottom: innerHeight - y + GAP_PX, maxHeight: Math.min(HEIGHT_MAX_PX, y - 8) }
}

export function CellTip({ tip, keep, hideSoon }: ReturnType<typeof useCellTip>) {
  if (tip === null) return null
  const isCut = tip.text.length > CELL_TIP_CHARS_MAX
  return (
    <div
      className="cell-tip"
      role="tooltip"
      style={{ ...placeOf(tip.bounds), maxWidth: WIDTH_MAX_PX }}
      onPointerEnter={keep}
      onPointerLeave={hideSoon}
    >
      <div className="cell-tip-text">{isCut ? tip.text.slice(0, CELL_TIP_CHARS_MAX) : tip.text}</div>
      {isCut && (
        <div className="cell-tip-more">
          the first {countText(CELL_TIP_CHARS_MAX)} characters · Enter shows all
        </div>
      )}
    </div>
  )
}
