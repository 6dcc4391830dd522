import { describe, expect, it } from 'vitest'
import type { Principal } from '@lake/core/access/principal.ts'
import { ANYBODY } from '@lake/core/access/principal.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { LIMITS } from '../limits.ts'
import { createQuotas } from './quotas.ts'

const principal = (id: string): Principal => ({ id, name: id, grants: [] })
const ada = principal('ada')
const bob = principal('bob')
const HOUR_MS = 3_600_000

function setUp(config: Partial<Parameters<typeof createQuotas>[0]>) {
  const clock = createManualClock(100 * HOUR_MS)
  const loose = { requestsPerMinuteMax: 1e9, statementsMax: 1e9, bytesPerDayMax: 1e18 }
  return { clock, quotas: createQuotas({ ...loose, ...config }, clock) }
}

const failure = (work: () => unknown): unknown => {
  try {
    work()
    return 'ok'
  } catch (error) {
    return error
  }
}

describe('[QU1] requests', () => {
  it('are bounded by the minute, each caller by itself, and come back with time', () => {
    const { quotas, clock } = setUp({ requestsPerMinuteMax: 60 })
    for (let count = 0; count < 60; count += 1) quotas.countRequest('ada')
    expect(failure(() => quotas.countRequest('ada'))).toMatchObject({
      code: 'BUSY',
      details: { retryAfterMs: 1_000 },
    })
    quotas.countRequest('bob')
    clock.advance(1_000)
    quotas.countRequest('ada')
    expect(failure(() => quotas.countRequest('ada'))).toMatchObject({ code: 'BUSY' })
    clock.advance(600_000)
    for (let count = 0; count < 60; count += 1) quotas.countRequest('ada')
    expect(failure(() => quotas.countRequest('ada'))).toMatchObject({ code: 'BUSY' })
  })

  it('are counted for a bounded number of callers, and a running statement is not forgotten', () => {
    const { quotas } = setUp({ statementsMax: 1 })
    quotas.enterStatement(ada)
    for (let count = 0; count <= LIMITS.quotaUsagesMax; count += 1) quotas.countRequest(`10.0.0.${count}`)
    expect(failure(() => quotas.enterStatement(ada))).toMatchObject({ code: 'BUSY' })
  })
})

describe('[QU1] statements', () => {
  it('run so many at once, and another may when one has ended', () => {
    const { quotas } = setUp({ statementsMax: 2 })
    const first = quotas.enterStatement(ada)
    quotas.enterStatement(ada)
    expect(failure(() => quotas.enterStatement(ada))).toMatchObject({
      code: 'BUSY',
      details: { retryAfterMs: LIMITS.statementRetryAfterMs },
    })
    quotas.enterStatement(bob)
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    quotas.enterStatement(ada)
    expect(failure(() => quotas.enterStatement(ada))).toMatchObject({ code: 'BUSY' })
  })

  it('are not counted where nobody signs in', () => {
    const { quotas } = setUp({ statementsMax: 1, bytesPerDayMax: 1 })
    for (let count = 0; count < 10; count += 1) quotas.enterStatement(ANYBODY).charge(1_000)
    expect(failure(() => quotas.enterStatement(ANYBODY))).not.toHaveProperty('code')
  })
})

describe('[QU1] bytes', () => {
  it('are bounded by the last 24 hours, and the answer says when they come back', () => {
    const { quotas, clock } = setUp({ bytesPerDayMax: 1_000 })
    const read = (bytes: number): void => {
      using statement = quotas.enterStatement(ada)
      statement.charge(bytes / 2)
      statement.charge(bytes)
    }
    read(600)
    clock.advance(2 * HOUR_MS)
    read(600)
    expect(failure(() => quotas.enterStatement(ada))).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { bytes: 1_200, bytesMax: 1_000, retryAfterMs: 22 * HOUR_MS },
    })
    quotas.enterStatement(bob)
    clock.advance(22 * HOUR_MS)
    read(1)
    expect(failure(() => quotas.enterStatement(ada))).not.toHaveProperty('code')
  })
})
