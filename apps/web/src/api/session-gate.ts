// A session that has ended while the page is in use: requests that were refused for that wait here until the person has
// signed in again, and go on. Nothing in the page is lost meanwhile.
//
// The gate is *open* until a request is refused; then it is *asking*, and the page shows how to sign in. Signing in opens it.
import { useSyncExternalStore } from 'react'

let opening: PromiseWithResolvers<void> | null = null
const listeners = new Set<() => void>()

function publish(next: PromiseWithResolvers<void> | null): void {
  opening = next
  for (const listener of listeners) listener()
}

/** Asks the person to sign in; resolves when that is done. Rejects when `signal` aborts. */
export function waitForSignIn(signal: AbortSignal): Promise<void> {
  if (opening === null) publish(Promise.withResolvers<void>())
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  void opening?.promise.then(resolve)
  if (signal.aborted) reject(signal.reason as Error)
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  return promise
}

/** Lets go on what waits. */
export function openGate(): void {
  const waiting = opening
  publish(null)
  waiting?.resolve()
}

export const useSignInAsked = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => opening !== null,
  )
