// Where a menu opens: under what it hangs from, or above it where there is little room below, and never beyond the window.

/** Where a menu hangs, in CSS pixels of the window. */
export interface MenuPlace {
  left: number
  top: number
  bottom: number
}

interface Size {
  width: number
  height: number
}

const GAP_PX = 4
/** With so much room below, a long menu scrolls there: above, its first line would move while it is filtered. */
const ROOMY_PX = 240

/** Insets from the window's edges in CSS pixels, and how high it may be; what does not fit scrolls in it. */
export function menuInsets(at: MenuPlace, menu: Size, page: Size) {
  const below = page.height - at.bottom - 2 * GAP_PX
  const above = at.top - 2 * GAP_PX
  const left = Math.max(GAP_PX, Math.min(at.left, page.width - menu.width - GAP_PX))
  return menu.height > below && above > below && below < ROOMY_PX
    ? { left, bottom: page.height - at.top + GAP_PX, maxHeight: above }
    : { left, top: at.bottom + GAP_PX, maxHeight: below }
}
