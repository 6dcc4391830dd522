// One short sentence about what just happened, shown in the status bar and read out: "link copied", "200 rows copied".
// Failures of statements are not notices; they stay where the result would be.
import { useSyncExternalStore } from 'react'
import { NOTICE_SHOWN_MS } from '../limits.ts'
import { visibleText } from './visible-text.ts'

export interface Notice {
  text: string
  tone: 'plain' | 'warn'
}

let notice: Notice | null = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function publish(next: Notice | null): void {
  notice = next
  for (const listener of listeners) listener()
}

/** Replaces the notice before it. */
export function say(text: string, tone: Notice['tone'] = 'plain'): void {
  clearTimeout(timer)
  publish({ text: visibleText(text), tone })
  timer = setTimeout(() => publish(null), NOTICE_SHOWN_MS)
}

export const useNotice = (): Notice | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => notice,
  )
