// Time that passes only when nothing else can happen: whoever sleeps is woken in order, at once. A run of hours takes
// milliseconds and is the same each time.
import type { WorkerClock } from '../../src/statements/worker.ts'

interface Timer {
  readonly atMs: number
  readonly order: number
  readonly wake: () => void
}

export interface SimulatedTime extends WorkerClock {
  /** Lets time pass until `isDone`, or `untilMs` at most. @returns whether it is done */
  run(isDone: () => boolean, untilMs: number): Promise<boolean>
  /** Passes time without waking anybody. */
  jump(ms: number): void
}

export function createSimulatedTime(startMs: number): SimulatedTime {
  let nowMs = startMs
  let order = 0
  let timers: Timer[] = []
  const settle = async (): Promise<void> => {
    // Runs every promise reaction that is due, and those that follow from them.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    nowMs: () => nowMs,
    async sleep(ms, signal) {
      if (signal.aborted) return
      await new Promise<void>((resolve) => {
        const onAbort = (): void => {
          timers = timers.filter((other) => other !== timer)
          resolve()
        }
        const wake = (): void => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        }
        const timer: Timer = { atMs: nowMs + Math.max(0, ms), order: (order += 1), wake }
        timers.push(timer)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
    jump(ms) {
      nowMs += ms
    },
    async run(isDone, untilMs) {
      for (;;) {
        await settle()
        if (isDone()) return true
        let next: Timer | undefined
        for (const timer of timers)
          if (!next || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order))
            next = timer
        if (next === undefined || next.atMs > untilMs) {
          nowMs = Math.max(nowMs, untilMs)
          return false
        }
        timers = timers.filter((other) => other !== next)
        nowMs = Math.max(nowMs, next.atMs)
        next.wake()
      }
    },
  }
}
