// Gives the focus to an element when it appears, where what had it before has gone; also within a dialog that opens.

/** For `ref`. */
export function focusHere(element: HTMLElement | null): void {
  element?.setAttribute('autofocus', '')
  element?.focus()
}
