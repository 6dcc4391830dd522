// A stretch of a result's rows: what comes into memory and leaves it together.
import type { RecordBatch } from 'apache-arrow'

/** The batches of a stretch, whole and checked. Rejects rather than giving fewer rows. */
export type LoadRows = (signal: AbortSignal) => Promise<readonly RecordBatch[]>

export interface Stretch {
  readonly rowStart: number
  readonly rowCount: number
  byteCount: number
  /** Null while they are away. */
  batches: readonly RecordBatch[] | null
  /** Null where the rows cannot be had again. */
  load: LoadRows | null
  /** Whether it is from the store that they can. */
  isStored: boolean
  /** When it was last looked at, as a count of looks. */
  lookedAt: number
}

/** Neighbours as one stretch of the store. */
export const joined = (
  taken: readonly Stretch[],
  batches: readonly RecordBatch[],
  load: LoadRows,
): Stretch => ({
  rowStart: taken[0]?.rowStart ?? 0,
  rowCount: taken.reduce((sum, { rowCount }) => sum + rowCount, 0),
  byteCount: taken.reduce((sum, { byteCount }) => sum + byteCount, 0),
  batches,
  load,
  isStored: true,
  lookedAt: Math.max(...taken.map(({ lookedAt }) => lookedAt)),
})

/** Null where `signal` aborts first. */
export const untilAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> => {
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const onAbort = () => resolve(null)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
