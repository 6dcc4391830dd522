// API tokens: made here, kept as digests only.
//
// A token is 256 random bits, so its SHA-256 tells nothing about it and cannot be guessed backwards: a slow hash
// (scrypt, argon2) protects short secrets that people choose, and would cost every request some 50 ms and 16 MiB.
import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32
const PREFIX = 'lake_'

/** A new token; it is shown once, and its digest goes into the principals file. */
export function createApiToken(): string {
  return PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
}

/** SHA-256 of a token as it was sent. */
export function digestToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest()
}
