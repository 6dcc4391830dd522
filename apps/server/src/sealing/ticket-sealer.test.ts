import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { Secret } from '../observability/redaction.ts'
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import { createTicketSealer } from './ticket-sealer.ts'

const clock = createManualClock()
const key = (id: string, byte: number) => ({ id, key: new Secret(Buffer.alloc(32, byte).toString('base64')) })
const claims: TicketClaims = {
  statementId: 's-1',
  sql: 'SELECT 1 FROM iceberg.analytics.episodes',
  pins: [
    {
      namespace: ['analytics'],
      table: 'episodes',
      tableUuid: 'u',
      snapshotId: '7505300640432048841',
      schemaId: 3,
    },
  ],
  principal: 'ada',
  issuedAtMs: clock.nowMs(),
  expiresAtMs: clock.nowMs() + 1_000,
}
const sealer = createTicketSealer({ keys: [key('k1', 1)], purpose: 'do-get', clock })

describe('ticket sealer', () => {
  it('opens what it sealed, exactly', () => {
    expect(sealer.open(sealer.seal(claims), 'ada')).toEqual(claims)
  })

  it('[TK1] refuses a ticket with any single bit changed', () => {
    const ticket = Buffer.from(sealer.seal(claims), 'base64url')
    for (let bit = 0; bit < ticket.length * 8; bit += 1) {
      const altered = Buffer.from(ticket)
      altered[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => sealer.open(altered.toString('base64url'), 'ada')).toThrow(
        expect.objectContaining({ code: 'TICKET_INVALID' }),
      )
    }
  })

  it('[TK1] refuses cut, padded and foreign texts', () => {
    const ticket = sealer.seal(claims)
    for (const text of [
      '',
      'x',
      ticket.slice(0, -1),
      `${ticket}A`,
      `${ticket}=`,
      `${ticket} `,
      ticket.slice(0, 20),
    ]) {
      expect(() => sealer.open(text, 'ada')).toThrow(expect.objectContaining({ code: 'TICKET_INVALID' }))
    }
  })

  it('[TK1] refuses a ticket made for another purpose or by a key outside the ring', () => {
    const other = createTicketSealer({ keys: [key('k1', 1)], purpose: 'export', clock })
    const foreign = createTicketSealer({ keys: [key('k1', 2)], purpose: 'do-get', clock })
    for (const maker of [other, foreign]) {
      expect(() => sealer.open(maker.seal(claims), 'ada')).toThrow(
        expect.objectContaining({ code: 'TICKET_INVALID' }),
      )
    }
  })

  it('[TK2] refuses a ticket from its expiry on', () => {
    const later = createManualClock(claims.expiresAtMs - 1)
    const timed = createTicketSealer({ keys: [key('k1', 1)], purpose: 'do-get', clock: later })
    const ticket = sealer.seal(claims)
    expect(timed.open(ticket, 'ada')).toEqual(claims)
    later.advance(1)
    expect(() => timed.open(ticket, 'ada')).toThrow(expect.objectContaining({ code: 'TICKET_EXPIRED' }))
  })

  it.each(['bob', null])('[TK3] refuses the ticket of another principal to %s', (principal) => {
    expect(() => sealer.open(sealer.seal(claims), principal)).toThrow(
      expect.objectContaining({ code: 'TICKET_INVALID' }),
    )
  })

  it('[TK4] opens tickets of an older key while it is in the ring', () => {
    const rotated = createTicketSealer({ keys: [key('k2', 2), key('k1', 1)], purpose: 'do-get', clock })
    expect(rotated.open(sealer.seal(claims), 'ada')).toEqual(claims)
    const removed = createTicketSealer({ keys: [key('k2', 2)], purpose: 'do-get', clock })
    expect(() => removed.open(sealer.seal(claims), 'ada')).toThrow(
      expect.objectContaining({ code: 'TICKET_INVALID' }),
    )
  })

  it('[TK5] shows nothing of the claims', () => {
    const bytes = Buffer.from(sealer.seal(claims), 'base64url').toString('latin1')
    for (const word of ['SELECT', 'episodes', 'analytics', 'ada', '7505300640432048841'])
      expect(bytes).not.toContain(word)
    expect(sealer.seal(claims)).not.toBe(sealer.seal(claims))
  })
})
