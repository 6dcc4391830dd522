// What was read of snapshots for table pages, kept while there is room. A snapshot does not change, so what is kept of it is
// exact; who may see it was asked before, at every request.
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import { startDeadline } from '../../concurrency/deadline.ts'
import { LIMITS } from '../../limits.ts'

export interface KeptContents<Content> {
  /**
   * What is kept under the key, or what `read` gives; callers of one key share one reading.
   * @throws AppError BUSY, DEADLINE_EXCEEDED and what `read` throws
   */
  get(key: string, read: (signal: AbortSignal) => Promise<Content>, signal: AbortSignal): Promise<Content>
}

/** @param sizeOf rows that a content holds; together they are bounded */
export function createKeptContents<Content>(sizeOf: (content: Content) => number): KeptContents<Content> {
  /** In order of use: the first is the one used longest ago. */
  const kept = new Map<string, Content>()
  let rowCount = 0
  const flights = createSingleFlight<Content>()
  const permits = createSemaphore({
    permitsMax: LIMITS.contentsReadAtOnceMax,
    waitingMax: LIMITS.contentsWaitingMax,
    name: 'reading a table’s manifests',
  })
  const forget = (key: string): void => {
    const content = kept.get(key)
    if (content !== undefined) rowCount -= sizeOf(content)
    kept.delete(key)
  }
  const keep = (key: string, content: Content): void => {
    forget(key)
    kept.set(key, content)
    rowCount += sizeOf(content)
    for (const oldest of kept.keys()) {
      if (rowCount <= LIMITS.contentRowsKeptMax) return
      forget(oldest)
    }
  }
  return {
    async get(key, read, signal) {
      const known = kept.get(key)
      if (known !== undefined) {
        keep(key, known)
        return known
      }
      const work = async (shared: AbortSignal): Promise<Content> => {
        using deadline = startDeadline(shared, LIMITS.contentsDeadlineMs, 'Reading the table’s manifests')
        const release = await permits.acquire(deadline.signal)
        try {
          const content = await read(deadline.signal)
          keep(key, content)
          return content
        } finally {
          release()
        }
      }
      return await flights.run(key, work, signal)
    },
  }
}
