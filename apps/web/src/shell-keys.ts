// Keys of the whole page. They are taken before any part of it sees them, and only those that no browser needs:
// Ctrl T, W, N, Tab and R are never bound.
import { useEffect, useLayoutEffect, useRef } from 'react'

export interface ShellActions {
  togglePalette: () => void
  toggleTree: () => void
  toggleResults: () => void
  showShortcuts: () => void
  save: () => void
  /** The tab at this place, from 0. */
  activateTab: (index: number) => void
  /** The tab beside the active one; round at the ends. */
  stepTab: (step: 1 | -1) => void
}

const ZONES = ['catalog', 'editor', 'results']
const FOCUSABLE: Record<string, string> = {
  catalog: '[role=treeitem][tabindex="0"], input, button',
  editor: '.native-edit-context, textarea',
  results: 'canvas[tabindex], .run-bar button',
}

/** Moves the focus from pane to pane: catalog, editor, result. */
export function cycleZones(step: 1 | -1): void {
  const at = ZONES.findIndex((zone) => document.activeElement?.closest(`[data-zone=${zone}]`) != null)
  for (let i = 1; i <= ZONES.length; i++) {
    const zone = ZONES[(Math.max(at, step === 1 ? -1 : 0) + step * i + ZONES.length * 2) % ZONES.length] ?? ''
    const target = document.querySelector<HTMLElement>(
      (FOCUSABLE[zone] ?? '')
        .split(', ')
        .map((selector) => `[data-zone=${zone}] ${selector}`)
        .join(', '),
    )
    if (target === null || target.closest('[hidden], [inert]') !== null) continue
    target.focus()
    return
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, [contenteditable], .sql-editor') !== null

/** What a key does, or null where it is not ours. */
function actionOf(event: KeyboardEvent, actions: ShellActions): (() => void) | null {
  const isMod = event.ctrlKey || event.metaKey
  const key = event.key.toLowerCase()
  if (event.key === 'F6') return () => cycleZones(event.shiftKey ? -1 : 1)
  // The palette under the keys that it has in other editors too.
  const isPalette = event.key === 'F1' || (isMod && event.shiftKey && !event.altKey && key === 'p')
  if (isPalette) return actions.togglePalette
  // Where the browser hands these over: most keep them for their own tabs.
  const isPage = event.ctrlKey && !event.shiftKey && !event.altKey
  if (isPage && key === 'pageup') return () => actions.stepTab(-1)
  if (isPage && key === 'pagedown') return () => actions.stepTab(1)
  if (isMod && !event.altKey && !event.shiftKey) {
    const bound: Record<string, () => void> = {
      k: actions.togglePalette,
      b: actions.toggleTree,
      j: actions.toggleResults,
      s: actions.save,
    }
    return bound[key] ?? null
  }
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1]
  if (event.altKey && !isMod && !event.shiftKey && digit !== undefined)
    return () => actions.activateTab(Number(digit) - 1)
  if (event.key === '?' && !isMod && !event.altKey && !isTyping(event.target)) return actions.showShortcuts
  return null
}

export function useShellKeys(actions: ShellActions): void {
  const current = useRef(actions)
  useLayoutEffect(() => {
    current.current = actions
  }, [actions])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = actionOf(event, current.current)
      if (action === null) return
      event.preventDefault()
      event.stopPropagation()
      action()
    }
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
}
