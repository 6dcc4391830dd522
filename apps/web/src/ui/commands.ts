// What can be done from the keyboard, by name: parts of the app put their commands here while they are shown, and the
// palette and the sheet of shortcuts list them.
import { useEffect, useSyncExternalStore } from 'react'

export interface Command {
  id: string
  title: string
  /** For people: `Ctrl ⇧ ⏎`. The part that owns the command also listens for it. */
  shortcut?: string | undefined
  run: () => void
}

const isMac = /mac/i.test(navigator.userAgent)

/** `Mod Shift Enter` in the signs of the person's machine. */
export function shortcutText(keys: string): string {
  const signs: Record<string, string> = isMac
    ? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '⏎' }
    : { Mod: 'Ctrl', Shift: '⇧', Enter: '⏎' }
  const parts = keys.split(' ').map((key) => signs[key] ?? key)
  return parts.join(isMac ? '' : ' ')
}

const groups = new Map<string, readonly Command[]>()
let all: readonly Command[] = []
const listeners = new Set<() => void>()

function publish(): void {
  all = [...groups.values()].flat()
  for (const listener of listeners) listener()
}

/** Offers commands while the component is mounted. `commands` must be stable between changes. */
export function useOfferedCommands(group: string, commands: readonly Command[]): void {
  useEffect(() => {
    groups.set(group, commands)
    publish()
    return () => {
      groups.delete(group)
      publish()
    }
  }, [group, commands])
}

export const useCommands = (): readonly Command[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => all,
  )
