// Keys of the grid that open menus above it: forms of a copy, and the columns.
import { useEffect, type RefObject } from 'react'

/** Beginning of the name of the menu that a key opens; null where it is not ours. */
function menuOf(event: KeyboardEvent): string | null {
  const isMod = event.ctrlKey || event.metaKey
  if (isMod && event.shiftKey && !event.altKey && event.key.toLowerCase() === 'c') return 'Copy'
  return event.key === '/' && !isMod && !event.altKey ? 'Columns' : null
}

/** In the grid, Ctrl Shift C opens the menu of copies and `/` the columns. */
export function useGridKeys(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = frame.current
    const onKeyDown = (event: KeyboardEvent) => {
      const isInGrid = event.target instanceof Element && event.target.closest('.result-grid') !== null
      const name = isInGrid ? menuOf(event) : null
      if (name === null) return
      event.preventDefault()
      event.stopPropagation()
      element?.querySelector<HTMLElement>(`.result-bar [aria-haspopup=menu][aria-label^="${name}"]`)?.click()
    }
    element?.addEventListener('keydown', onKeyDown, { capture: true })
    return () => element?.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [frame])
}
