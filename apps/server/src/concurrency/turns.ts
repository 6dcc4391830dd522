// Turns of the event loop for long work: it gives way whenever the loop has been held for some milliseconds. All such work
// shares one allowance, since eight that each took their full time would hold the loop for the sum.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '@lake/core/scan/steps.ts'
import { throwIfAborted } from './deadline.ts'

/** Work that gives way together holds the loop for no longer than this, and one step of each. */
const TURN_MS = 8

export interface Turns {
  isDue(): boolean
  /** Lets others run. @throws the signal's reason */
  take(): Promise<void>
}

export interface LoopShare {
  /** Also checks the signal at once. */
  readonly createTurns: (signal: AbortSignal) => Turns
  /** Runs work to its end and lets others run between its steps. @throws what it throws, and the signal's reason */
  readonly runSteps: <Result>(steps: Steps<Result>, signal: AbortSignal) => Promise<Result>
}

export function createLoopShare(nowMs: () => number): LoopShare {
  /** When the first work of this turn of the loop asked; undefined before that. */
  let startedAtMs: number | undefined
  const start = (): number => {
    if (startedAtMs === undefined) {
      startedAtMs = nowMs()
      // Runs before whoever gives way in this turn, since those ask for their next one later.
      setImmediate(() => {
        startedAtMs = undefined
      })
    }
    return startedAtMs
  }
  const createTurns = (signal: AbortSignal): Turns => {
    throwIfAborted(signal)
    return {
      isDue: () => nowMs() - start() > TURN_MS,
      async take() {
        await nextTurn()
        throwIfAborted(signal)
      },
    }
  }
  return {
    createTurns,
    async runSteps(steps, signal) {
      const turns = createTurns(signal)
      for (;;) {
        const step = steps.next()
        if (step.done === true) return step.value
        if (turns.isDue()) await turns.take()
      }
    },
  }
}

/** That of this process. */
export const { createTurns, runSteps } = createLoopShare(() => performance.now())
