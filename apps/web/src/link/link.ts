// A statement as a link: SQL, and for a pinned link the snapshots it was answered from, in the URL's fragment. Fragments
// are not sent to servers, so a link leaves nothing behind; it holds no credential and grants nothing.
// What comes out of a link is checked and bounded like any other foreign input.
import * as z from 'zod'
import { requestedPin, SQL_LENGTH_MAX } from '@lake/core/api/contract.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { LINK_CHARS_MAX } from '../limits.ts'
import { parameterList, type Parameter } from '../sql/parameters.ts'

const linkSchema = z.object({
  v: z.literal(1),
  title: z.string().max(80),
  sql: z.string().min(1).max(SQL_LENGTH_MAX),
  /** Empty: the link reads whatever is current when it is opened. */
  pins: z.array(requestedPin.extend({ committedAtMs: z.number().nonnegative() })).max(64),
  parameters: parameterList.optional(),
  /** Of the answer that the link was made from; see result-fingerprint.ts. */
  fingerprint: z.string().max(300).optional(),
})

export interface StatementLink {
  title: string
  sql: string
  pins: readonly (z.infer<typeof requestedPin> & { committedAtMs: number })[]
  parameters?: readonly Parameter[] | undefined
  fingerprint?: string | undefined
}

const PREFIX = '#link='

function toBase64Url(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return new TextDecoder('utf-8', { fatal: true }).decode(
    Uint8Array.from(binary, (byte) => byte.charCodeAt(0)),
  )
}

/** The fragment with its `#`; null where it would be longer than LINK_CHARS_MAX. */
export function encodeLink(link: StatementLink): string | null {
  const fragment = PREFIX + toBase64Url(JSON.stringify({ v: 1, ...link, title: link.title.slice(0, 80) }))
  return fragment.length > LINK_CHARS_MAX ? null : fragment
}

/** `none`: the fragment is no link of ours. `unreadable`: it is, but cut off or altered. */
export function decodeLink(
  fragment: string,
): { kind: 'link'; link: StatementLink } | { kind: 'none' } | { kind: 'unreadable' } {
  if (!fragment.startsWith(PREFIX)) return { kind: 'none' }
  if (fragment.length > LINK_CHARS_MAX) return { kind: 'unreadable' }
  try {
    const { title, sql, pins, parameters, fingerprint } = linkSchema.parse(
      JSON.parse(fromBase64Url(fragment.slice(PREFIX.length))),
    )
    return { kind: 'link', link: { title, sql, pins, parameters, fingerprint } }
  } catch {
    // Whatever is wrong with it, the person can only ask for the link again.
    return { kind: 'unreadable' }
  }
}

type ReceiptPin = Pick<TableReceipt, 'namespace' | 'table' | 'snapshotId' | 'committedAtMs' | 'requested'>

/**
 * The pins of an answer: its tables at their snapshots. Left out are tables whose version the statement says itself,
 * and tables without a snapshot, which nothing can be pinned to.
 */
export function pinsOfReceipt(tables: readonly ReceiptPin[]): StatementLink['pins'] {
  const pins = new Map<string, StatementLink['pins'][number]>()
  for (const { namespace, table, snapshotId, committedAtMs, requested } of tables) {
    if (snapshotId === null || requested !== undefined) continue
    pins.set(JSON.stringify([namespace, table]), {
      namespace,
      table,
      snapshotId,
      committedAtMs: committedAtMs ?? 0,
    })
  }
  return [...pins.values()]
}
