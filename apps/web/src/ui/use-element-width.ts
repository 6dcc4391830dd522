// The width that an element has now, for layout that CSS cannot decide.
import { useLayoutEffect, useState, type RefObject } from 'react'

/** CSS pixels; 0 before the first measurement. */
export function useElementWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}
