// The cache of table loads, so that a burst of planning makes one catalog call.
//
// An entry is *fresh* for snapshotFreshMs after its successful load and answers by itself. After that it is only a
// fallback: the next reader loads anew, and the old entry answers (marked stale) if that load fails with a retryable
// error, until snapshotStaleIfErrorMs after its successful load. Loads are single flights per namespace and table;
// followers share the outcome and take no pending slot. No lock is held across I/O. A ticket's proof never comes here.
//
// Of a table there may be two entries: one with all snapshots and one with perhaps only those that refs name, which is
// small where the history is long. The latter never answers who asked for all.
import { AppError, ERROR_CODES, isAppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { LIMITS } from '../limits.ts'
import type { LoadedTable, SnapshotsLoaded, TableIdent } from './rest-catalog.ts'

export interface CachedTable {
  readonly table: LoadedTable
  readonly ageMs: number
  /** True when the catalog could not be reached and an older answer stands in. */
  readonly isStale: boolean
}

export interface SnapshotCache {
  /**
   * With all snapshots.
   * Throws what the load throws, and BUSY before any I/O when too many distinct tables are being loaded.
   */
  load(ident: TableIdent, signal: AbortSignal): Promise<CachedTable>
  /** As `load`, but snapshots that no branch or tag names may be absent: nothing follows from their absence. */
  loadRefs(ident: TableIdent, signal: AbortSignal): Promise<CachedTable>
  readonly size: number
}

export interface SnapshotCacheOptions {
  /** @param options.known an earlier load with the same `snapshots`, which may be so still */
  readonly load: (
    ident: TableIdent,
    options: { readonly snapshots: SnapshotsLoaded; readonly known: LoadedTable | undefined },
    signal: AbortSignal,
  ) => Promise<LoadedTable>
  readonly clock: Clock
  readonly onOutcome: (outcome: 'fresh' | 'loaded' | 'shared' | 'stale' | 'failed') => void
}

export function createSnapshotCache(options: SnapshotCacheOptions): SnapshotCache {
  const { clock } = options
  /** In order of use: the first key is the one used longest ago. */
  const entries = new Map<string, LoadedTable>()
  const flights = createSingleFlight<CachedTable>()

  const remember = (key: string, table: LoadedTable): void => {
    entries.delete(key)
    entries.set(key, table)
    const oldest = entries.keys().next()
    if (entries.size > LIMITS.snapshotsCachedMax && !oldest.done) entries.delete(oldest.value)
  }

  /** The youngest entry that holds enough. */
  const find = (ident: TableIdent, snapshots: SnapshotsLoaded): LoadedTable | undefined => {
    const whole = entries.get(keyOf(ident, 'all'))
    const small = snapshots === 'refs' ? entries.get(keyOf(ident, 'refs')) : undefined
    return small && small.loadedAtMs > (whole?.loadedAtMs ?? Number.NEGATIVE_INFINITY) ? small : whole
  }

  const loadOrStale = async (
    ident: TableIdent,
    snapshots: SnapshotsLoaded,
    signal: AbortSignal,
  ): Promise<CachedTable> => {
    try {
      const known = entries.get(keyOf(ident, snapshots))
      const table = await options.load(ident, { snapshots, known }, signal)
      remember(keyOf(ident, snapshots), table)
      options.onOutcome('loaded')
      return { table, ageMs: Math.max(0, clock.nowMs() - table.loadedAtMs), isStale: false }
    } catch (error) {
      const old = find(ident, snapshots)
      const ageMs = old ? clock.nowMs() - old.loadedAtMs : Number.POSITIVE_INFINITY
      if (old && ageMs <= LIMITS.snapshotStaleIfErrorMs && isTransient(error)) {
        options.onOutcome('stale')
        return { table: old, ageMs, isStale: true }
      }
      // What the catalog has denied or removed must not come back from here.
      if (!isTransient(error)) for (const kind of KINDS) entries.delete(keyOf(ident, kind))
      options.onOutcome('failed')
      throw error
    }
  }

  const load = async (
    ident: TableIdent,
    snapshots: SnapshotsLoaded,
    signal: AbortSignal,
  ): Promise<CachedTable> => {
    const known = find(ident, snapshots)
    const ageMs = known ? clock.nowMs() - known.loadedAtMs : Number.POSITIVE_INFINITY
    if (known && ageMs >= 0 && ageMs < LIMITS.snapshotFreshMs) {
      remember(keyOf(ident, known.snapshotsLoaded), known)
      options.onOutcome('fresh')
      return { table: known, ageMs, isStale: false }
    }
    const key = keyOf(ident, snapshots)
    if (flights.isRunning(key)) options.onOutcome('shared')
    else if (flights.runningCount >= LIMITS.snapshotLoadsPendingMax) {
      throw new AppError('BUSY', 'Too many tables are being loaded at once', {
        details: { retryAfterMs: 1_000 },
      })
    }
    return await flights.run(key, (shared) => loadOrStale(ident, snapshots, shared), signal)
  }

  return {
    load: async (ident, signal) => await load(ident, 'all', signal),
    loadRefs: async (ident, signal) => await load(ident, 'refs', signal),
    get size() {
      return entries.size
    },
  }
}

const KINDS: readonly SnapshotsLoaded[] = ['all', 'refs']

function keyOf({ namespace, table }: TableIdent, snapshots: SnapshotsLoaded): string {
  return JSON.stringify([namespace, table, snapshots])
}

/** Failures that say nothing about the table: the catalog was slow, away or overloaded. */
function isTransient(error: unknown): boolean {
  return isAppError(error) && ERROR_CODES[error.code].isRetryable
}
