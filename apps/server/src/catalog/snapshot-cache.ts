// The cache of table loads, so that a burst of planning makes one catalog call.
//
// An entry is *fresh* for snapshotFreshMs after its successful load and answers by itself. After that it is only a
// fallback: the next reader loads anew, and the old entry answers (marked stale) if that load fails with a retryable
// error, until snapshotStaleIfErrorMs after its successful load. Loads are single flights per namespace and table;
// followers share the outcome and take no pending slot. No lock is held across I/O. A ticket's proof never comes here.
import { AppError, ERROR_CODES, isAppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { LIMITS } from '../limits.ts'
import type { LoadedTable, TableIdent } from './rest-catalog.ts'

export interface CachedTable {
  readonly table: LoadedTable
  readonly ageMs: number
  /** True when the catalog could not be reached and an older answer stands in. */
  readonly isStale: boolean
}

export interface SnapshotCache {
  /** Throws what the load throws, and BUSY before any I/O when too many distinct tables are being loaded. */
  load(ident: TableIdent, signal: AbortSignal): Promise<CachedTable>
  readonly size: number
}

export interface SnapshotCacheOptions {
  readonly load: (ident: TableIdent, signal: AbortSignal) => Promise<LoadedTable>
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

  const loadOrStale = async (key: string, ident: TableIdent, signal: AbortSignal): Promise<CachedTable> => {
    try {
      const table = await options.load(ident, signal)
      remember(key, table)
      options.onOutcome('loaded')
      return { table, ageMs: Math.max(0, clock.nowMs() - table.loadedAtMs), isStale: false }
    } catch (error) {
      const old = entries.get(key)
      const ageMs = old ? clock.nowMs() - old.loadedAtMs : Number.POSITIVE_INFINITY
      if (old && ageMs <= LIMITS.snapshotStaleIfErrorMs && isTransient(error)) {
        options.onOutcome('stale')
        return { table: old, ageMs, isStale: true }
      }
      // What the catalog has denied or removed must not come back from here.
      if (!isTransient(error)) entries.delete(key)
      options.onOutcome('failed')
      throw error
    }
  }

  return {
    async load(ident, signal) {
      const key = JSON.stringify([ident.namespace, ident.table])
      const known = entries.get(key)
      const ageMs = known ? clock.nowMs() - known.loadedAtMs : Number.POSITIVE_INFINITY
      if (known && ageMs >= 0 && ageMs < LIMITS.snapshotFreshMs) {
        remember(key, known)
        options.onOutcome('fresh')
        return { table: known, ageMs, isStale: false }
      }
      if (flights.isRunning(key)) options.onOutcome('shared')
      else if (flights.runningCount >= LIMITS.snapshotLoadsPendingMax) {
        throw new AppError('BUSY', 'Too many tables are being loaded at once', {
          details: { retryAfterMs: 1_000 },
        })
      }
      return await flights.run(key, (shared) => loadOrStale(key, ident, shared), signal)
    },
    get size() {
      return entries.size
    },
  }
}

/** Failures that say nothing about the table: the catalog was slow, away or overloaded. */
function isTransient(error: unknown): boolean {
  return isAppError(error) && ERROR_CODES[error.code].isRetryable
}
