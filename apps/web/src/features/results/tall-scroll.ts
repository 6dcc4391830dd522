// Jumps in a grid that is taller than browsers can scroll (33.5 million pixels, 1.4 million rows). The grid library maps
// the scroll bar to the whole height, and small steps to as many pixels; but to go to a row far away it scrolls by the
// whole distance, of which the browser has a seventh at ten million rows. So `scrollTo` of its scroller is mended: a far
// target becomes its place on the scroll bar, and what that rounds off is a small step.
import { useCallback, useRef, type RefObject } from 'react'

/** Up to here the library takes a step of the scroll bar as so many pixels, beyond it as a share of the height. */
const STEP_MAX_PX = 2_000

interface TallGrid {
  /** Of all rows and the header. */
  heightPx: () => number
  /** From the top of the first row to what is in view. */
  atPx: () => number
}

/** Waits until what was scrolled to is drawn. */
const drawn = () =>
  new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))

/** Mends `element.scrollTo`, which the grid library calls with the place of `scrollTop` plus the distance. */
function mendScrolling(element: HTMLElement, grid: TallGrid): void {
  const scrollTo = element.scrollTo.bind(element)
  const native = (top: number, left = element.scrollLeft) => scrollTo({ top, left })
  let jumpCount = 0
  const jump = async (target: number, left: number) => {
    const jumpId = (jumpCount += 1)
    const barPx = element.scrollHeight - element.clientHeight
    const top = (target / (grid.heightPx() - element.clientHeight)) * barPx
    // A near place on the bar would be taken for a small step: so it is come to from afar.
    if (Math.abs(top - element.scrollTop) <= STEP_MAX_PX) {
      native(top > barPx / 2 ? top - 3 * STEP_MAX_PX : top + 3 * STEP_MAX_PX, left)
      await drawn()
      if (jumpId !== jumpCount) return
    }
    native(top, left)
    await drawn()
    const rest = target - grid.atPx()
    if (jumpId === jumpCount && Math.abs(rest) >= 1 && Math.abs(rest) <= STEP_MAX_PX)
      native(element.scrollTop + rest)
  }
  element.scrollTo = ((options: ScrollToOptions) => {
    const { left = element.scrollLeft, top = element.scrollTop } = options
    const distance = top - element.scrollTop
    const isTall = grid.heightPx() > element.scrollHeight + STEP_MAX_PX
    if (!isTall || Math.abs(distance) <= STEP_MAX_PX) native(top, left)
    else {
      const lastPx = grid.heightPx() - element.clientHeight
      void jump(Math.min(Math.max(0, grid.atPx() + distance), lastPx), left)
    }
  }) as typeof element.scrollTo
}

/** Returns what is to be told of the rows in view, with the pixels of the first one that are out of it (not above 0). */
export function useTallScroll(frame: RefObject<HTMLElement | null>, heightPx: number, rowHeightPx: number) {
  const mended = useRef<Element | null>(null)
  const height = useRef(heightPx)
  const at = useRef(0)
  return useCallback(
    (firstRow: number, hiddenPx: number) => {
      height.current = heightPx
      at.current = firstRow * rowHeightPx - hiddenPx
      const element = frame.current?.querySelector<HTMLElement>('.dvn-scroller') ?? null
      if (element === null || element === mended.current) return
      mended.current = element
      mendScrolling(element, { heightPx: () => height.current, atPx: () => at.current })
    },
    [frame, heightPx, rowHeightPx],
  )
}
