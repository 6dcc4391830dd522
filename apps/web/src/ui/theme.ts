// Light, dark or as the system has it. The choice is an attribute on <html>; the tokens themselves are CSS.
import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'lake.theme'
const darkQuery = matchMedia('(prefers-color-scheme: dark)')
const contrastQuery = matchMedia('(prefers-contrast: more)')
const forcedQuery = matchMedia('(forced-colors: active)')
const listeners = new Set<() => void>()

function readChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(STORAGE_KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    // Without storage the system decides.
    return 'system'
  }
}

let choice: ThemeChoice = readChoice()

const notify = () => {
  for (const listener of listeners) listener()
}

function apply(): void {
  if (choice === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = choice
}

/** Applies the stored choice; called before the first render, so that nothing flashes. */
export function startTheme(): void {
  apply()
  for (const query of [darkQuery, contrastQuery, forcedQuery]) query.addEventListener('change', notify)
}

export function chooseTheme(next: ThemeChoice): void {
  choice = next
  apply()
  try {
    if (next === 'system') localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, next)
  } catch {
    // The choice then lasts as long as the page.
  }
  notify()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, () => choice)

export const isDarkNow = (): boolean => choice === 'dark' || (choice === 'system' && darkQuery.matches)

/** Names the colours that hold: where it is another one, what is drawn outside of CSS is to be drawn anew. */
export const useColors = (): string =>
  useSyncExternalStore(subscribe, () => [isDarkNow(), contrastQuery.matches, forcedQuery.matches].join(' '))
