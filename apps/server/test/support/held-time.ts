// Time for what waits, told by the test.
import type { SteadyTime } from '../../src/concurrency/steady-time.ts'

/** Stands still until it is told to pass, so that no test depends on how quick the machine is. */
export function heldTime() {
  let nowMs = 1_000
  const waits = new Set<{ readonly dueMs: number; readonly isOver: () => void }>()
  const time: SteadyTime = {
    nowMs: () => nowMs,
    after(waitMs, isOver) {
      const wait = { dueMs: nowMs + waitMs, isOver }
      waits.add(wait)
      return () => waits.delete(wait)
    },
  }
  const pass = (ms: number): void => {
    nowMs += ms
    for (const wait of waits)
      if (wait.dueMs <= nowMs) {
        waits.delete(wait)
        wait.isOver()
      }
  }
  return { time, pass, waitCount: () => waits.size }
}
