// Sealed tickets: AES-256-GCM over JSON claims, so that they are private, authentic and meant for one purpose.
//
//   base64url( version 1 | key id length | key id | 12-byte nonce | ciphertext | 16-byte tag )
//
// Everything before the nonce and the purpose are authenticated with the claims (AAD), so a ticket of another purpose
// or key does not open. A key ring opens tickets of older keys while the first key seals.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { AppError } from '@lake/core/errors.ts'
import { ticketClaims, type TicketClaims } from '@lake/core/flight/ticket.ts'
import { assertDefined } from '@lake/core/assert.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { TicketKey } from '../config.ts'
import { Secret } from '../observability/redaction.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface TicketSealer {
  seal(claims: TicketClaims): string
  /** Throws AppError TICKET_INVALID (altered, foreign, another purpose, another principal), TICKET_EXPIRED. */
  open(ticket: string, principal: string | null): TicketClaims
}

/** @param purpose what tickets of this sealer are for; a ticket sealed for another purpose does not open */
export function createTicketSealer(options: {
  readonly keys: readonly TicketKey[]
  readonly purpose: string
  readonly clock: Clock
}): TicketSealer {
  const keys =
    options.keys.length > 0
      ? options.keys
      : [{ id: 'process', key: new Secret(randomBytes(32).toString('base64')) }]
  const sealingKey = assertDefined(keys[0], 'a key ring has a first key')

  return {
    seal(claims) {
      const id = Buffer.from(sealingKey.id, 'utf8')
      const header = Buffer.concat([Buffer.from([VERSION, id.length]), id])
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyBytes(sealingKey), nonce)
      cipher.setAAD(additionalData(header, options.purpose))
      const ciphertext = Buffer.concat([cipher.update(JSON.stringify(claims), 'utf8'), cipher.final()])
      return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()]).toString('base64url')
    },
    open(ticket, principal) {
      const claims = decrypt(ticket, keys, options.purpose)
      if (claims === undefined || claims.principal !== principal) {
        throw new AppError('TICKET_INVALID', 'The ticket is not one that this server sealed for this use')
      }
      if (claims.expiresAtMs <= options.clock.nowMs()) {
        throw new AppError('TICKET_EXPIRED', 'The ticket has expired; run the statement again')
      }
      return claims
    },
  }
}

function decrypt(ticket: string, keys: readonly TicketKey[], purpose: string): TicketClaims | undefined {
  const bytes = Buffer.from(ticket, 'base64url')
  const idLength = bytes[1]
  // Decoding base64 ignores what does not belong to it; only the one spelling that we wrote is accepted.
  if (bytes[0] !== VERSION || idLength === undefined || bytes.toString('base64url') !== ticket)
    return undefined
  const header = bytes.subarray(0, 2 + idLength)
  const key = keys.find(({ id }) => id === header.subarray(2).toString('utf8'))
  const nonce = bytes.subarray(header.length, header.length + NONCE_BYTES)
  const ciphertext = bytes.subarray(header.length + NONCE_BYTES, -TAG_BYTES)
  const tag = bytes.subarray(-TAG_BYTES)
  if (
    key === undefined ||
    nonce.length !== NONCE_BYTES ||
    tag.length !== TAG_BYTES ||
    ciphertext.length === 0
  )
    return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyBytes(key), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(additionalData(header, purpose))
    decipher.setAuthTag(tag)
    const text = Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
    return ticketClaims.parse(JSON.parse(text))
  } catch {
    // Why it does not open is nobody's business but ours.
    return undefined
  }
}

function keyBytes(key: TicketKey): Buffer {
  return Buffer.from(key.key.reveal(), 'base64')
}

function additionalData(header: Buffer, purpose: string): Buffer {
  return Buffer.concat([header, Buffer.from(`\u0000${purpose}`, 'utf8')])
}
