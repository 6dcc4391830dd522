import { describe, expect, it } from 'vitest'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { LINK_CHARS_MAX } from '../limits.ts'
import { decodeLink, encodeLink, pinsOfReceipt, type StatementLink } from './link.ts'

const link: StatementLink = {
  title: 'Umsätze 😀',
  sql: 'SELECT \'😀 + / = #\' AS x\nFROM iceberg."a.b".t',
  pins: [{ namespace: ['a.b'], table: 't', snapshotId: '6361000000000000172', committedAtMs: 1 }],
  fingerprint: 'f1.1.a.b..',
}

describe('a link', () => {
  it('comes back as it was, with ids exact', () => {
    const fragment = encodeLink(link)
    expect(fragment).toMatch(/^#link=[\w-]+$/)
    expect(decodeLink(fragment ?? '')).toEqual({ kind: 'link', link })
  })

  it('is not made when it would be too long', () => {
    expect(encodeLink({ ...link, sql: 'x'.repeat(LINK_CHARS_MAX) })).toBeNull()
  })

  it.each([['#link='], ['#link=%%%'], ['#link=bm8'], [`${encodeLink(link)?.slice(0, -9)}`]])(
    '[LK4] that is cut or altered is unreadable: %s',
    (fragment) => expect(decodeLink(fragment)).toEqual({ kind: 'unreadable' }),
  )

  it('with an id that is a number is unreadable', () => {
    const altered = JSON.stringify({ v: 1, ...link, pins: [{ ...link.pins[0], snapshotId: 5 }] })
    expect(decodeLink(`#link=${Buffer.from(altered).toString('base64url')}`)).toEqual({ kind: 'unreadable' })
  })

  it('is not seen in other fragments', () => expect(decodeLink('#schema-title')).toEqual({ kind: 'none' }))
})

describe('pinsOfReceipt', () => {
  const table = (change: Partial<TableReceipt>) =>
    ({ namespace: ['a'], table: 't', snapshotId: '5', committedAtMs: 7, ...change }) as TableReceipt

  it('pins each table once, and none that has no snapshot or says its own version', () => {
    const tables = [
      table({}),
      table({}),
      table({ table: 'empty', snapshotId: null }),
      table({ table: 'old', requested: { kind: 'snapshot', value: '4' } }),
    ]
    expect(pinsOfReceipt(tables)).toEqual([
      { namespace: ['a'], table: 't', snapshotId: '5', committedAtMs: 7 },
    ])
  })
})
