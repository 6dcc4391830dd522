// Runs and the browser's store: a run that has ended is put into it, and a tab whose page went away takes its runs up from
// there. Nothing is asked of the server for it.
import { useEffect, useSyncExternalStore } from 'react'
import { spillDisk } from '../storage/spill.ts'
import { ROWS_REMOVED_MS_MAX } from '../limits.ts'
import { holdRows, ifRowsFree, openWindowIds } from '../storage/window-life.ts'
import { lookedAtMsOf, placeKey } from '../storage/places.ts'
import { QueryRun } from './query-run.ts'
import { adoptRuns } from './run-registry.ts'
import { encodeSchema, withoutTickets } from './stored-record.ts'
import { StoredResults, type StoredResult } from './stored-results.ts'

/** Who is signed in, as the window has it that heard of it last: of windows that have it otherwise nothing is kept. */
const OWNER_KEY = 'lake.results-owner'
/** In place of who is signed in. */
const SIGNED_OUT = ''
const SHOWN_KEY = 'lake.shown-results'

const stored = new StoredResults({
  disk: spillDisk,
  locks: { hold: holdRows, ifFree: ifRowsFree, openWindowIds },
  lookedAtMs: ({ source: { tabId, startOffset }, startedAtMs, storedAtMs }) =>
    lookedAtMsOf(placeKey(tabId, startOffset, startedAtMs)) ?? storedAtMs,
})

/** `reading`: it is not known yet what there is. */
type StoreState = 'reading' | 'ready'
let state: StoreState = 'reading'
/** As it is told to other windows; null: nobody is known to be signed in. */
let owner: string | null = null
const listeners = new Set<() => void>()
const opening = new Set<string>()

function tell(): void {
  for (const listener of listeners) listener()
}

export const removeLeftRows = (): void => void stored.removeLeftRows()

/** Takes up what is there for who is signed in. @param tabIds null where it is not known which tabs there are */
export async function openStoredRuns(
  principal: string | null,
  tabIds: ReadonlySet<string> | null,
): Promise<void> {
  owner = JSON.stringify(principal)
  tellOwner(owner)
  await stored.open(principal, tabIds)
  state = 'ready'
  tell()
}

/** Nothing is there, or can be told to be: nobody is known to be signed in. */
export function skipStoredRuns(): void {
  if (state === 'ready') return
  state = 'ready'
  tell()
}

/**
 * Signing out: of everybody, in every window.
 * @returns whether nothing is left, within ROWS_REMOVED_MS_MAX
 */
export async function forgetStoredRuns(): Promise<boolean> {
  owner = null
  tellOwner(SIGNED_OUT)
  return await stored.removeAll(AbortSignal.timeout(ROWS_REMOVED_MS_MAX))
}

/** Somebody signed out in this browser, and nobody has signed in since. */
export function hasSignedOut(): boolean {
  try {
    return localStorage.getItem(OWNER_KEY) === SIGNED_OUT
  } catch {
    return false
  }
}

/** Calls back when somebody signs out in another window. */
export function onSignedOutElsewhere(listener: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === OWNER_KEY && newValue === SIGNED_OUT) listener()
  })
}

function tellOwner(text: string): void {
  try {
    localStorage.setItem(OWNER_KEY, text)
  } catch {
    // Then nothing is kept.
  }
}

/** False where somebody else has signed in meanwhile, or has signed out, in another window. */
function isOwnerSignedIn(): boolean {
  try {
    return owner !== null && localStorage.getItem(OWNER_KEY) === owner
  } catch {
    return false
  }
}

export const forgetTabOfStore = (tabId: string): void => void stored.removeTab(tabId)

/** Puts an ended run into the store. What failed is not kept; nor is what is too large, or not all here. */
export async function storeRun(run: QueryRun): Promise<void> {
  const { source, buffer, rows, snapshot } = run
  const { startedAtMs, endedAtMs, background } = snapshot
  const end = snapshot.state
  const isKept = end.kind === 'finished' || (end.kind === 'stopped' && buffer.rowCount > 0)
  if (!isKept || rows === null || buffer.schema === null) return
  if (!(await buffer.settle()) || !isOwnerSignedIn()) return
  const { tabId, sql, startOffset, startLine, pins, parameters, linkedFingerprint, groupId = '' } = source
  const isStored = await stored.store(
    rows,
    withoutTickets({
      groupId,
      source: {
        tabId,
        sql,
        startOffset,
        startLine,
        pins: [...pins],
        parameters: parameters && [...parameters],
        background: source.background,
        linkedFingerprint,
      },
      state: end,
      startedAtMs,
      endedAtMs: endedAtMs ?? startedAtMs,
      storedAtMs: Date.now(),
      background,
      schema: encodeSchema(buffer.schema),
    }),
  )
  if (isStored) rememberShown(tabId, groupId)
}

function shownGroups(): Record<string, unknown> {
  try {
    return JSON.parse(sessionStorage.getItem(SHOWN_KEY) ?? '{}') as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Which result this window shows in a tab, for its reload: another window may have run something else there since. */
function rememberShown(tabId: string, groupId: string): void {
  try {
    sessionStorage.setItem(SHOWN_KEY, JSON.stringify({ ...shownGroups(), [tabId]: groupId }))
  } catch {
    // Then it is what was run last in any window.
  }
}

/** The results of the text that this window showed in the tab, else of the one that ran last. */
function lastGroupOf(tabId: string): readonly StoredResult[] {
  const all = stored.of(tabId)
  const shown = shownGroups()[tabId]
  const groupId = all.find(({ record }) => record.groupId === shown)?.record.groupId
  const wanted = groupId ?? all.at(-1)?.record.groupId
  return all.filter(({ record }) => record.groupId === wanted)
}

async function runOf(result: StoredResult, signal: AbortSignal): Promise<QueryRun | null> {
  const { source, state: end, startedAtMs, endedAtMs, storedAtMs, background, groupId } = result.record
  const buffer = await stored.load(result, signal)
  const snapshot = { state: end, startedAtMs, endedAtMs, storedAtMs, background }
  return buffer && new QueryRun({ ...source, groupId }, null, { buffer, snapshot })
}

async function takeUp(tabId: string): Promise<void> {
  if (opening.has(tabId)) return
  opening.add(tabId)
  const { signal } = new AbortController()
  const runs: QueryRun[] = []
  for (const result of lastGroupOf(tabId)) {
    const run = await runOf(result, signal)
    if (run !== null) runs.push(run)
  }
  opening.delete(tabId)
  const [first] = runs
  if (adoptRuns(tabId, runs)) rememberShown(tabId, first?.source.groupId ?? '')
  else for (const run of runs) run.putAside()
  tell()
}

/**
 * Takes up what the store has of a tab that shows no run.
 * @returns whether rows may still come from there
 */
export function useStoredRuns(tabId: string, isWanted: boolean): boolean {
  const isComing = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state === 'reading' || opening.has(tabId) || stored.of(tabId).length > 0,
  )
  const isThere = isComing && isWanted && state === 'ready'
  useEffect(() => {
    if (isThere) void takeUp(tabId)
  }, [isThere, tabId])
  return isComing
}
