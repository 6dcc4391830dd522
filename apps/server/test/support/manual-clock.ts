// A clock that stands still until it is told.
import type { Clock } from '../../src/concurrency/clock.ts'

export interface ManualClock extends Clock {
  advance(ms: number): void
}

export function createManualClock(startMs = 1_000_000): ManualClock {
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    advance(ms) {
      nowMs += ms
    },
  }
}
