// Seals texts that leave this process and come back: AES-256-GCM, so that they are private, authentic and meant for one
// purpose. The only place with a cipher.
//
//   base64url( version 1 | key id length | key id | 12-byte nonce | ciphertext | 16-byte tag )
//
// Everything before the nonce and the purpose are authenticated with the text (AAD), so what was sealed for another
// purpose or by another key does not open. A key ring opens what older keys sealed while the first key seals.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { assertDefined } from '@lake/core/assert.ts'
import type { TicketKey } from '../config.ts'
import { Secret } from '../observability/redaction.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Opened =
  | { readonly kind: 'opened'; readonly text: string }
  /** Sealed by a key that is not in the ring, as far as the unauthenticated key id tells. */
  | { readonly kind: 'unknown-key'; readonly keyId: string }
  /** Altered, cut, foreign, or sealed for another purpose. */
  | { readonly kind: 'refused' }

export interface Sealer {
  seal(text: string): string
  open(sealed: string): Opened
}

/**
 * @param options.keys the first one seals, all open; without any, one is made that ends with this process
 * @param options.purpose what this sealer's texts are for; those of another purpose do not open
 */
export function createSealer(options: {
  readonly keys: readonly TicketKey[]
  readonly purpose: string
}): Sealer {
  const keys =
    options.keys.length > 0
      ? options.keys
      : [{ id: 'process', key: new Secret(randomBytes(32).toString('base64')) }]
  const sealingKey = assertDefined(keys[0], 'a key ring has a first key')

  return {
    seal(text) {
      const id = Buffer.from(sealingKey.id, 'utf8')
      const header = Buffer.concat([Buffer.from([VERSION, id.length]), id])
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyBytes(sealingKey), nonce)
      cipher.setAAD(additionalData(header, options.purpose))
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()]).toString('base64url')
    },
    open: (sealed) => decrypt(sealed, keys, options.purpose),
  }
}

function decrypt(sealed: string, keys: readonly TicketKey[], purpose: string): Opened {
  const bytes = Buffer.from(sealed, 'base64url')
  const idLength = bytes[1]
  // Decoding base64 ignores what does not belong to it; only the one spelling that we wrote is accepted.
  if (bytes[0] !== VERSION || idLength === undefined || bytes.toString('base64url') !== sealed)
    return { kind: 'refused' }
  const header = bytes.subarray(0, 2 + idLength)
  const nonce = bytes.subarray(header.length, header.length + NONCE_BYTES)
  const ciphertext = bytes.subarray(header.length + NONCE_BYTES, -TAG_BYTES)
  const tag = bytes.subarray(-TAG_BYTES)
  if (nonce.length !== NONCE_BYTES || tag.length !== TAG_BYTES || ciphertext.length === 0)
    return { kind: 'refused' }
  const keyId = header.subarray(2).toString('utf8')
  const key = keys.find(({ id }) => id === keyId)
  if (key === undefined) return { kind: 'unknown-key', keyId }
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyBytes(key), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(additionalData(header, purpose))
    decipher.setAuthTag(tag)
    const text = Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
    return { kind: 'opened', text }
  } catch {
    // Why it does not open is nobody's business but ours.
    return { kind: 'refused' }
  }
}

function keyBytes(key: TicketKey): Buffer {
  return Buffer.from(key.key.reveal(), 'base64')
}

function additionalData(header: Buffer, purpose: string): Buffer {
  return Buffer.concat([header, Buffer.from(`\u0000${purpose}`, 'utf8')])
}
