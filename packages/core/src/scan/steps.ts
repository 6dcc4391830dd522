// Work over very many items in steps, so that whoever runs it may let others run in between. Pure: the work knows no clock.

/** Each `next()` does one step: some work over at most `STEP_ITEMS` items. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Files or manifests of one step; a few milliseconds of work at most. */
export const STEP_ITEMS = 512

/** The items in runs of one step each. */
export function* stepsOf<Item>(items: readonly Item[]): Generator<readonly Item[], undefined, undefined> {
  for (let start = 0; start < items.length; start += STEP_ITEMS) yield items.slice(start, start + STEP_ITEMS)
}

/** All steps at once, where there are few items. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
