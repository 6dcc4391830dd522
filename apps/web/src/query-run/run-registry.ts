// The runs of each tab: the last statement's, or those of a whole text that was run at once. Results belong to their
// tab; the tabs that ran longest ago lose theirs when there are too many (RESULTS_KEPT_MAX), but never one that runs. What
// the browser's store has of them comes back when the tab is shown.
//
// The statements of a text run one after another, in order. The next starts when the one before has finished; one that
// fails or is stopped ends the row, and what was waiting is left out.
import { useSyncExternalStore } from 'react'
import { RESULTS_KEPT_MAX } from '../limits.ts'
import { QueryRun, type RunSnapshot, type RunSource } from './query-run.ts'
import { isRunning } from './run-state.ts'

export interface TabRuns {
  /** Started ones, in the order of the text; at least one. */
  runs: readonly QueryRun[]
  waiting: readonly RunSource[]
  /** The one whose result is shown. */
  shown: QueryRun
}

const tabs = new Map<string, TabRuns>()
const listeners = new Set<() => void>()
const runListeners = new Set<(run: QueryRun) => void>()

let runningIds: ReadonlySet<string> = new Set()

const isTabRunning = ({ runs }: TabRuns): boolean => runs.some((run) => isRunning(run.snapshot.state))

const notify = () => {
  const next = new Set([...tabs].filter(([, tab]) => isTabRunning(tab)).map(([id]) => id))
  if (next.size !== runningIds.size || [...next].some((id) => !runningIds.has(id))) runningIds = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function dropOldResults(): void {
  let count = [...tabs.values()].reduce((sum, { runs }) => sum + runs.length, 0)
  for (const [tabId, tab] of tabs) {
    if (count <= RESULTS_KEPT_MAX || tabs.size === 1) return
    if (isTabRunning(tab)) continue
    tabs.delete(tabId)
    for (const run of tab.runs) run.putAside()
    count -= tab.runs.length
  }
}

function watch(run: QueryRun): void {
  const { tabId } = run.source
  let { state } = run.snapshot
  run.subscribe(() => {
    const before = state
    state = run.snapshot.state
    if (before.kind === state.kind) return
    const tab = tabs.get(tabId)
    // A new value, so that those who show how statements went hear of it.
    if (tab !== undefined) tabs.set(tabId, { ...tab })
    for (const listener of runListeners) listener(run)
    if (!isRunning(state)) continueTab(run)
    notify()
  })
}

function begin(source: RunSource, previous: QueryRun | null): QueryRun {
  const run = new QueryRun(source, previous)
  watch(run)
  for (const listener of runListeners) listener(run)
  void run.start()
  return run
}

/** Starts the next waiting statement of the tab whose last run has ended. */
function continueTab(ended: QueryRun): void {
  const { tabId } = ended.source
  const tab = tabs.get(tabId)
  if (tab?.runs.at(-1) !== ended) return
  const [next, ...waiting] = tab.waiting
  if (next === undefined) return
  if (ended.snapshot.state.kind !== 'finished') {
    tabs.set(tabId, { ...tab, waiting: [] })
    return
  }
  const run = begin(next, null)
  tabs.set(tabId, { runs: [...tab.runs, run], waiting, shown: run })
}

/** Starts statements of one tab, the first at once, stopping what still runs there. Nothing happens for none. */
export function startRuns(sources: readonly RunSource[]): void {
  const groupId = crypto.randomUUID()
  const [first, ...waiting] = sources.map((source) => ({ ...source, groupId }))
  if (first === undefined) return
  const before = tabs.get(first.tabId)
  tabs.delete(first.tabId)
  for (const run of before?.runs ?? []) run.leave()
  const previous = before?.shown ?? null
  const hasRows = previous !== null && previous.buffer.rowCount > 0
  const shown = hasRows ? previous : (previous?.previous ?? null)
  if (previous !== null && !hasRows) previous.previous = null
  for (const old of before?.runs ?? []) if (old !== shown) old.close()
  const run = begin(first, shown)
  tabs.set(first.tabId, { runs: [run], waiting, shown: run })
  dropOldResults()
  notify()
}

export const startRun = (source: RunSource): void => startRuns([source])

/** Shows runs of an earlier page in a tab that has none; the last of them. Returns whether it had none. */
export function adoptRuns(tabId: string, runs: readonly QueryRun[]): boolean {
  const shown = runs.at(-1)
  if (shown === undefined || tabs.has(tabId)) return false
  for (const run of runs) watch(run)
  tabs.set(tabId, { runs, waiting: [], shown })
  dropOldResults()
  notify()
  return true
}

/** Shows the result of another statement of the same text. */
export function showRun(run: QueryRun): void {
  const tab = tabs.get(run.source.tabId)
  if (tab === undefined || !tab.runs.includes(run)) return
  tabs.set(run.source.tabId, { ...tab, shown: run })
  notify()
}

/** Shows the result before a statement that ended without an answer, which is forgotten. */
export function showPrevious(run: QueryRun): void {
  const { previous } = run
  const { tabId } = run.source
  if (previous === null || isRunning(run.snapshot.state) || tabs.get(tabId)?.shown !== run) return
  run.previous = null
  for (const old of tabs.get(tabId)?.runs ?? []) old.close()
  tabs.set(tabId, { runs: [previous], waiting: [], shown: previous })
  notify()
}

/** Stops what runs in a tab and leaves out what waits. */
export function stopTab(tabId: string): void {
  const tab = tabs.get(tabId)
  if (tab === undefined) return
  tabs.set(tabId, { ...tab, waiting: [] })
  for (const run of tab.runs) void run.stop()
  notify()
}

/** Puts a closed tab's results aside and stops its runs, but for those in the background. */
export function dropRun(tabId: string): void {
  for (const run of tabs.get(tabId)?.runs ?? []) {
    run.leave()
    run.putAside()
  }
  if (tabs.delete(tabId)) notify()
}

export const runningRuns = (): QueryRun[] =>
  [...tabs.values()].flatMap(({ runs }) => runs.filter((run) => isRunning(run.snapshot.state)))

/** Calls back for each run when it starts and whenever its state is another one, up to its end. */
export function onRunChange(listener: (run: QueryRun) => void): void {
  runListeners.add(listener)
}

export const useTabRuns = (tabId: string): TabRuns | null =>
  useSyncExternalStore(subscribe, () => tabs.get(tabId) ?? null)

const noop = () => () => undefined

export const useRunSnapshot = (run: QueryRun | null): RunSnapshot | null =>
  useSyncExternalStore(run?.subscribe ?? noop, () => run?.snapshot ?? null)

/** Ids of the tabs in which a statement is running. */
export const useRunningTabs = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => runningIds)
