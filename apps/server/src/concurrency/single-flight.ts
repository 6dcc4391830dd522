// One running call per key; whoever asks meanwhile shares its outcome. The call belongs to its waiters: it goes on as
// long as one of them is left, so the first caller's cancellation never fails the others, and it is aborted when the
// last one has gone.
import { raceAbort, throwIfAborted } from './deadline.ts'

export interface SingleFlight<T> {
  /**
   * Joins the running call for `key`, or starts `work`. The signal given to `work` aborts when every waiter has left.
   * Outcomes are not kept: a call that starts after the running one has settled runs anew.
   */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>
  isRunning(key: string): boolean
  readonly runningCount: number
}

interface Flight<T> {
  readonly promise: Promise<T>
  readonly controller: AbortController
  waiterCount: number
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>()

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const controller = new AbortController()
    const promise = work(controller.signal)
    const flight: Flight<T> = { promise, controller, waiterCount: 0 }
    flights.set(key, flight)
    const forget = (): void => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    promise.then(forget, forget)
    return flight
  }

  return {
    async run(key, work, signal) {
      throwIfAborted(signal)
      const flight = flights.get(key) ?? start(key, work)
      flight.waiterCount += 1
      try {
        return await raceAbort(flight.promise, signal)
      } finally {
        flight.waiterCount -= 1
        if (flight.waiterCount === 0 && flights.get(key) === flight) {
          flights.delete(key)
          flight.controller.abort(signal.reason)
        }
      }
    },
    isRunning: (key) => flights.has(key),
    get runningCount() {
      return flights.size
    },
  }
}
