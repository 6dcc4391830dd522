import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { LIMITS } from '../limits.ts'
import { Secret } from '../observability/redaction.ts'
import { createSealer } from '../sealing/sealer.ts'
import { createEndedSessions } from './ended-sessions.ts'
import { createSessions, type SessionHolder } from './sessions.ts'
import { createSpentIds } from './spent-ids.ts'

const HOLDER: SessionHolder = { kind: 'oidc', subject: 's', name: 'ada', values: ['analysts'] }

function setUp(options: { byte?: number; purpose?: string } = {}) {
  const clock = createManualClock()
  const keys = [{ id: 'k', key: new Secret(Buffer.alloc(32, options.byte ?? 1).toString('base64')) }]
  const sealer = createSealer({ keys, purpose: options.purpose ?? 'session' })
  let idCount = 0
  const ended = createEndedSessions(clock)
  const sessions = createSessions({ sealer, clock, ended, createId: () => `id-${(idCount += 1)}` })
  return { clock, sessions, sealer }
}

describe('[AU5] a session', () => {
  it('opens where it was sealed for sessions, unaltered', () => {
    const { sessions } = setUp()
    const sealed = sessions.start(HOLDER)
    expect(sessions.open(sealed)?.holder).toEqual(HOLDER)
    for (const other of [setUp({ byte: 2 }), setUp({ purpose: 'do-get' }), setUp({ purpose: 'sign-in' })])
      expect(other.sessions.open(sealed)).toBeUndefined()
    for (const text of ['', 'x', sealed.slice(1), `${sealed}A`, sealed.toLowerCase()])
      expect(sessions.open(text)).toBeUndefined()
    const { sealer } = setUp()
    expect(sessions.open(sealer.seal('{"holder":{}}'))).toBeUndefined()
  })

  it('ends when it was not used, and after its life however much it was', () => {
    const { sessions, clock } = setUp()
    const sealed = sessions.start(HOLDER)
    clock.advance(LIMITS.sessionIdleMs - 1)
    expect(sessions.open(sealed)).toBeDefined()
    clock.advance(1)
    expect(sessions.open(sealed)).toBeUndefined()

    let used = sessions.start(HOLDER)
    let elapsedMs = 0
    for (; elapsedMs < LIMITS.sessionLifetimeMs; elapsedMs += LIMITS.sessionIdleMs / 2) {
      const session = sessions.open(used)
      expect(session, `after ${elapsedMs} ms`).toBeDefined()
      used = sessions.renew(session!) ?? used
      clock.advance(LIMITS.sessionIdleMs / 2)
    }
    expect(sessions.open(used)).toBeUndefined()
  })

  it('is sealed anew when it is used, not at every request', () => {
    const { sessions, clock } = setUp()
    const sealed = sessions.start(HOLDER)
    const session = sessions.open(sealed)!
    clock.advance(LIMITS.sessionRenewedAfterMs - 1)
    expect(sessions.renew(session)).toBeUndefined()
    clock.advance(1)
    const renewed = sessions.renew(session)!
    expect(renewed).not.toBe(sealed)
    expect(sessions.open(renewed)).toEqual({ ...session, sealedAtMs: clock.nowMs() })
  })

  it('that was signed out is over, in every copy', async () => {
    const { sessions, clock } = setUp()
    const sealed = sessions.start(HOLDER)
    const other = sessions.start(HOLDER)
    const session = sessions.open(sealed)!
    clock.advance(LIMITS.sessionRenewedAfterMs)
    const renewed = sessions.renew(session)!
    await sessions.end(session)
    expect(sessions.open(sealed)).toBeUndefined()
    expect(sessions.open(renewed)).toBeUndefined()
    expect(sessions.open(other)).toBeDefined()
  })
})

describe('spent ids', () => {
  it('are remembered until they end by themselves, and are bounded', () => {
    const clock = createManualClock()
    const ids = createSpentIds(3, clock)
    for (const id of ['a', 'b', 'c', 'd']) ids.add(id, clock.nowMs() + 10)
    expect(['a', 'b', 'c', 'd'].map((id) => ids.has(id))).toEqual([false, true, true, true])
    clock.advance(10)
    expect(ids.has('d')).toBe(false)
  })
})
