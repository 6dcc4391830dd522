// Long work beside others, by a clock that only the work itself moves.
import { expect, test } from 'vitest'
import type { Steps } from '@lake/core/scan/steps.ts'
import { createLoopShare } from './turns.ts'

test('work that runs together shares the time of a turn', async () => {
  let nowMs = 0
  const { runSteps } = createLoopShare(() => nowMs)
  function* work(): Steps<string> {
    for (let step = 0; step < 30; step += 1) {
      nowMs += 1
      yield
    }
    return 'done'
  }
  // Milliseconds of work in each turn of the loop.
  const turns: number[] = []
  let isRunning = true
  let last = 0
  const watch = (): void => {
    turns.push(nowMs - last)
    last = nowMs
    if (isRunning) setImmediate(watch)
  }
  setImmediate(watch)
  const signal = new AbortController().signal
  const results = await Promise.all(Array.from({ length: 8 }, async () => await runSteps(work(), signal)))
  isRunning = false
  expect(results).toEqual(Array.from({ length: 8 }, () => 'done'))
  expect(nowMs).toBe(240)
  // The allowance with the steps that begin it and use it up, and one step of each of the others.
  expect(Math.max(...turns)).toBeLessThanOrEqual(8 + 2 + 7)
})

test('work ends where its statement does', async () => {
  const { runSteps } = createLoopShare(() => performance.now())
  const controller = new AbortController()
  function* endless(): Steps<never> {
    for (;;) yield
  }
  const running = runSteps(endless(), controller.signal)
  setImmediate(() => {
    controller.abort(new Error('stopped'))
  })
  await expect(running).rejects.toThrow('stopped')
})
