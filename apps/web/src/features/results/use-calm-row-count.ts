// How many rows the grid is told of while they arrive. The grid library makes what assistive technology reads once nothing
// has changed for a fifth of a second, which would be never: so the count rests for longer than that between changes.
import { useEffect, useRef, useState } from 'react'
import { GRID_ROWS_TOLD_INTERVAL_MS } from '../../limits.ts'

/** The first rows and the last count at once, those between at intervals. */
export function useCalmRowCount(rowCount: number, isArriving: boolean): number {
  const [told, setTold] = useState(rowCount)
  const latest = useRef(rowCount)
  const isAtOnce = !isArriving || told === 0
  if (isAtOnce && told !== rowCount) setTold(rowCount)
  useEffect(() => {
    latest.current = rowCount
  }, [rowCount])
  useEffect(() => {
    if (isAtOnce) return
    const timer = setInterval(() => setTold(latest.current), GRID_ROWS_TOLD_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isAtOnce])
  return isAtOnce ? rowCount : told
}
