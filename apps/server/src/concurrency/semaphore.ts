// Permits with a bounded queue: first come first served, except that background work waits behind everybody else and
// never holds more than its share of the permits.
import { AppError } from '@lake/core/errors.ts'
import { throwIfAborted } from './deadline.ts'

export interface Semaphore {
  /**
   * Waits for a permit and returns the function that gives it back (safe to call twice).
   * @param options.isBackground waits behind all that is not, and for a permit of the background's share
   * @throws AppError BUSY when the queue is full, CANCELLED or DEADLINE_EXCEEDED when `signal` aborts while waiting
   */
  acquire(signal: AbortSignal, options?: { readonly isBackground?: boolean }): Promise<() => void>
  readonly heldCount: number
  readonly waitingCount: number
}

interface Waiter {
  readonly isBackground: boolean
  grant(): void
}

/**
 * @param options.waitingMax how many may wait; the next one is refused with BUSY
 * @param options.backgroundMax permits that background work may hold at once; all of them where absent
 */
export function createSemaphore(options: {
  permitsMax: number
  waitingMax: number
  name: string
  backgroundMax?: number
}): Semaphore {
  const { permitsMax, backgroundMax = permitsMax } = options
  const waiters: Waiter[] = []
  let heldCount = 0
  let backgroundCount = 0

  const mayHold = (isBackground: boolean): boolean =>
    heldCount < permitsMax && (!isBackground || backgroundCount < backgroundMax)
  const take = (isBackground: boolean): (() => void) => {
    heldCount += 1
    if (isBackground) backgroundCount += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      heldCount -= 1
      if (isBackground) backgroundCount -= 1
      grantNext()
    }
  }
  const grantNext = (): void => {
    const next = waiters.find(({ isBackground }) => !isBackground) ?? waiters[0]
    if (next === undefined || !mayHold(next.isBackground)) return
    waiters.splice(waiters.indexOf(next), 1)
    next.grant()
  }

  return {
    acquire(signal, { isBackground = false } = {}) {
      throwIfAborted(signal)
      if (mayHold(isBackground)) return Promise.resolve(take(isBackground))
      if (waiters.length >= options.waitingMax) {
        return Promise.reject(
          new AppError('BUSY', `Too many are waiting for ${options.name}`, {
            details: { retryAfterMs: 1_000 },
          }),
        )
      }
      return new Promise<() => void>((resolve, reject) => {
        const onAbort = (): void => {
          waiters.splice(waiters.indexOf(waiter), 1)
          try {
            throwIfAborted(signal)
          } catch (error) {
            reject(error)
          }
        }
        const waiter: Waiter = {
          isBackground,
          grant() {
            signal.removeEventListener('abort', onAbort)
            resolve(take(isBackground))
          },
        }
        waiters.push(waiter)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
    get heldCount() {
      return heldCount
    },
    get waitingCount() {
      return waiters.length
    },
  }
}
