// Permits with a bounded, fair queue.
import { AppError } from '@lake/core/errors.ts'
import { throwIfAborted } from './deadline.ts'

export interface Semaphore {
  /**
   * Waits for a permit, first come first served, and returns the function that gives it back (safe to call twice).
   * @throws AppError BUSY when the queue is full, CANCELLED or DEADLINE_EXCEEDED when `signal` aborts while waiting
   */
  acquire(signal: AbortSignal): Promise<() => void>
  readonly heldCount: number
  readonly waitingCount: number
}

interface Waiter {
  grant(): void
}

/** @param waitingMax how many may wait; the next one is refused with BUSY */
export function createSemaphore(options: {
  permitsMax: number
  waitingMax: number
  name: string
}): Semaphore {
  const waiters: Waiter[] = []
  let heldCount = 0

  const release = (): void => {
    const next = waiters.shift()
    if (next) next.grant()
    else heldCount -= 1
  }
  const releaseOnce = (): (() => void) => {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      release()
    }
  }

  return {
    acquire(signal) {
      throwIfAborted(signal)
      if (heldCount < options.permitsMax) {
        heldCount += 1
        return Promise.resolve(releaseOnce())
      }
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
          grant() {
            signal.removeEventListener('abort', onAbort)
            resolve(releaseOnce())
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
