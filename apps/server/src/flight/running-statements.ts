// The statements that stream right now, so that they can be stopped by their id.
import { AppError } from '@lake/core/errors.ts'

/** What redeems a ticket. */
export type RunVerb = 'do-get' | 'export'

export interface RunningStatements {
  /** Enters a run for one verb; the returned handle's signal aborts when the run is cancelled or `parent` aborts. */
  enter(statementId: string, verb: RunVerb, parent: AbortSignal): RunningStatement
  /**
   * Aborts every run of the statement, or those of one verb, and waits until they have ended or `waitMsMax` has passed.
   * @returns `notCancellable` when nothing runs, `cancelling` when some work has not ended in time
   */
  cancel(
    statementId: string,
    verb: RunVerb | undefined,
    waitMsMax: number,
  ): Promise<'cancelled' | 'cancelling' | 'notCancellable'>
  readonly count: number
}

/** Disposing it says that the work has ended. */
export interface RunningStatement extends Disposable {
  readonly signal: AbortSignal
}

interface Run {
  readonly verb: RunVerb
  readonly controller: AbortController
  readonly ended: Promise<void>
}

export function createRunningStatements(): RunningStatements {
  const runs = new Map<string, Set<Run>>()
  let count = 0

  return {
    enter(statementId, verb, parent) {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const run: Run = { verb, controller: new AbortController(), ended }
      const siblings = runs.get(statementId) ?? new Set<Run>()
      siblings.add(run)
      runs.set(statementId, siblings)
      count += 1
      return {
        signal: AbortSignal.any([parent, run.controller.signal]),
        [Symbol.dispose]() {
          if (!siblings.delete(run)) return
          if (siblings.size === 0) runs.delete(statementId)
          count -= 1
          end()
        },
      }
    },
    async cancel(statementId, verb, waitMsMax) {
      const found = [...(runs.get(statementId) ?? [])].filter(
        (run) => verb === undefined || run.verb === verb,
      )
      if (found.length === 0) return 'notCancellable'
      for (const run of found) run.controller.abort(new AppError('CANCELLED', 'The statement was stopped'))
      const { promise: timedOut, resolve } = Promise.withResolvers<'cancelling'>()
      const timer = setTimeout(resolve, waitMsMax, 'cancelling')
      try {
        const allEnded = Promise.all(found.map((run) => run.ended)).then(() => 'cancelled' as const)
        return await Promise.race([allEnded, timedOut])
      } finally {
        clearTimeout(timer)
      }
    },
    get count() {
      return count
    },
  }
}
