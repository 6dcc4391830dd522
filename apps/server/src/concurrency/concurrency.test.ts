import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { AppError } from '@lake/core/errors.ts'
import { raceAbort, startDeadline } from './deadline.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { createSemaphore } from './semaphore.ts'
import { createSingleFlight } from './single-flight.ts'

const NEVER = new AbortController().signal

describe('semaphore', () => {
  it('grants in order, and refuses beyond its queue', async () => {
    const semaphore = createSemaphore({ permitsMax: 1, waitingMax: 2, name: 'tests' })
    const release = await semaphore.acquire(NEVER)
    const order: number[] = []
    const waiting = [1, 2].map(async (number) => {
      const free = await semaphore.acquire(NEVER)
      order.push(number)
      free()
    })
    await expect(semaphore.acquire(NEVER)).rejects.toMatchObject({
      code: 'BUSY',
      details: { retryAfterMs: 1_000 },
    })
    release()
    release()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2])
    expect([semaphore.heldCount, semaphore.waitingCount]).toEqual([0, 0])
  })

  it('[AD1] lets background work wait behind the rest, and hold no more than its share', async () => {
    const semaphore = createSemaphore({ permitsMax: 2, waitingMax: 9, name: 'tests', backgroundMax: 1 })
    const order: string[] = []
    const wait = async (name: string, isBackground: boolean): Promise<() => void> => {
      const release = await semaphore.acquire(NEVER, { isBackground })
      order.push(name)
      return release
    }
    const first = await wait('background 1', true)
    const second = wait('background 2', true)
    expect([semaphore.heldCount, semaphore.waitingCount]).toEqual([1, 1])
    const person = await wait('person 1', false)
    const other = wait('person 2', false)
    first()
    const releases = [await other, person]
    expect(order).toEqual(['background 1', 'person 1', 'person 2'])
    for (const release of releases) release()
    ;(await second)()
    expect(order.at(-1)).toBe('background 2')
    expect([semaphore.heldCount, semaphore.waitingCount]).toEqual([0, 0])
  })

  it('lets a waiter leave without losing the permit', async () => {
    const semaphore = createSemaphore({ permitsMax: 1, waitingMax: 2, name: 'tests' })
    const release = await semaphore.acquire(NEVER)
    const leaving = new AbortController()
    const left = semaphore.acquire(leaving.signal)
    const next = semaphore.acquire(NEVER)
    leaving.abort(new AppError('DEADLINE_EXCEEDED', 'late'))
    await expect(left).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    release()
    const free = await next
    free()
    expect(semaphore.heldCount).toBe(0)
  })
})

describe('deadline', () => {
  it('aborts with its own error, and follows its parent with the parent’s', async () => {
    using late = startDeadline(NEVER, 10, 'The test')
    await expect(raceAbort(new Promise(() => undefined), late.signal)).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      message: 'The test took longer than 10 ms',
    })
    const parent = new AbortController()
    using followed = startDeadline(parent.signal, 60_000, 'The test')
    parent.abort()
    await expect(raceAbort(new Promise(() => undefined), followed.signal)).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })
})

describe('mapConcurrently', () => {
  it('keeps the order and the bound', async () => {
    let running = 0
    let most = 0
    const results = await mapConcurrently(
      [5, 1, 4, 2, 3],
      2,
      async (item) => {
        running += 1
        most = Math.max(most, running)
        await sleep(item)
        running -= 1
        return item * 10
      },
      NEVER,
    )
    expect(results).toEqual([50, 10, 40, 20, 30])
    expect(most).toBe(2)
  })

  it('stops the others at the first failure and throws that one', async () => {
    const started: number[] = []
    const work = mapConcurrently(
      [0, 1, 2, 3],
      2,
      async (item, signal) => {
        started.push(item)
        if (item === 0) throw new AppError('OBJECT_MISSING', 'gone')
        await sleep(10_000, undefined, { signal })
      },
      NEVER,
    )
    await expect(work).rejects.toMatchObject({ code: 'OBJECT_MISSING' })
    expect(started).toEqual([0, 1])
  })
})

describe('single flight', () => {
  it('runs once for all, and anew after it has settled', async () => {
    const flights = createSingleFlight<number>()
    let runs = 0
    const work = async (): Promise<number> => {
      runs += 1
      await sleep(1)
      return runs
    }
    expect(await Promise.all([1, 2, 3].map(async () => await flights.run('k', work, NEVER)))).toEqual([
      1, 1, 1,
    ])
    expect(await flights.run('k', work, NEVER)).toBe(2)
    expect(flights.runningCount).toBe(0)
  })

  it('shares a failure and forgets it', async () => {
    const flights = createSingleFlight<number>()
    const failed = Promise.allSettled(
      [1, 2].map(
        async () => await flights.run('k', async () => await Promise.reject(new Error('no')), NEVER),
      ),
    )
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await flights.run('k', async () => await Promise.resolve(7), NEVER)).toBe(7)
  })
})
