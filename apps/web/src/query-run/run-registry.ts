// The last run of each tab. Results belong to their tab; the least recently started ones are dropped when there are
// too many (RESULTS_KEPT_MAX), but never one that is still running.
import { useSyncExternalStore } from 'react'
import { RESULTS_KEPT_MAX } from '../limits.ts'
import { QueryRun, type RunSnapshot, type RunSource } from './query-run.ts'
import { isRunning } from './run-state.ts'

const runs = new Map<string, QueryRun>()
const listeners = new Set<() => void>()

let runningIds: ReadonlySet<string> = new Set()

const notify = () => {
  const next = new Set([...runs].filter(([, run]) => isRunning(run.snapshot.state)).map(([id]) => id))
  if (next.size !== runningIds.size || [...next].some((id) => !runningIds.has(id))) runningIds = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Starts a statement for a tab, stopping that tab's run if one is still going. */
export function startRun(source: RunSource): QueryRun {
  const previous = runs.get(source.tabId)
  if (previous !== undefined) void previous.stop()
  const hasRows = previous !== undefined && previous.buffer.rowCount > 0
  const run = new QueryRun(source, hasRows ? previous : (previous?.previous ?? null))
  runs.delete(source.tabId)
  runs.set(source.tabId, run)
  run.subscribe(notify)
  for (const [tabId, kept] of runs) {
    if (runs.size <= RESULTS_KEPT_MAX) break
    if (!isRunning(kept.snapshot.state)) runs.delete(tabId)
  }
  notify()
  void run.start()
  return run
}

/** Forgets a closed tab's result and stops its run. */
export function dropRun(tabId: string): void {
  const run = runs.get(tabId)
  if (run === undefined) return
  void run.stop()
  runs.delete(tabId)
  notify()
}

export const useRun = (tabId: string): QueryRun | null =>
  useSyncExternalStore(subscribe, () => runs.get(tabId) ?? null)

const noop = () => () => undefined

export const useRunSnapshot = (run: QueryRun | null): RunSnapshot | null =>
  useSyncExternalStore(run?.subscribe ?? noop, () => run?.snapshot ?? null)

/** Ids of the tabs whose statement is running. */
export const useRunningTabs = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => runningIds)
