// Cancellation and time limits as AbortSignals. An abort's reason is the AppError that the waiter shall throw.
import { AppError } from '@lake/core/errors.ts'

/** A signal that follows `parent` and also aborts with DEADLINE_EXCEEDED after `timeoutMs`. Dispose it to stop the timer. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
}

/** @param what named in the message, as in "Reading the manifest list took longer than 30000 ms" */
export function startDeadline(parent: AbortSignal, timeoutMs: number, what: string): Deadline {
  const controller = new AbortController()
  const follow = (): void => {
    controller.abort(parent.reason)
  }
  const timer = setTimeout(() => {
    controller.abort(new AppError('DEADLINE_EXCEEDED', `${what} took longer than ${timeoutMs} ms`))
  }, timeoutMs)
  if (parent.aborted) follow()
  else parent.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      parent.removeEventListener('abort', follow)
    },
  }
}

/** The error that an aborted signal stands for: its reason where that is an AppError, CANCELLED otherwise. */
export function abortError(signal: AbortSignal): AppError {
  return signal.reason instanceof AppError
    ? signal.reason
    : new AppError('CANCELLED', 'The work was stopped', { cause: signal.reason })
}

/** Throws `abortError(signal)` when the signal has aborted. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal)
}

/** Settles as `promise` does, or rejects with `abortError` as soon as the signal aborts; the promise itself goes on. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  throwIfAborted(signal)
  let onAbort: () => void = () => undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(abortError(signal))
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
