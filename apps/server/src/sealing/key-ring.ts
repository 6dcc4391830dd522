// The key ring of a deployment: the configured keys, given or referred to, or, where it keeps its state in a folder and
// configures none, a key that is made once and kept beside the state, so that what was sealed opens after a restart.
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@lake/core/errors.ts'
import { parseTicketKeys, TICKET_KEYS_FORM, type Config, type TicketKey } from '../config.ts'
import { LIMITS } from '../limits.ts'
import type { Secret } from '../observability/redaction.ts'

const KEY_FILE = 'ticket-keys'

/**
 * @throws AppError INVALID_REQUEST when a reference is to no keys, or the file of keys cannot be read or made;
 *   CATALOG_UNAVAILABLE when a reference does not resolve
 */
export async function loadKeyRing(
  configured: Config['ticketKeys'],
  stateDirectory: string | undefined,
  resolver: (reference: string, signal: AbortSignal) => Promise<Secret>,
): Promise<readonly TicketKey[]> {
  if ('kind' in configured) {
    const signal = AbortSignal.timeout(LIMITS.secretResolveTimeoutMs)
    const keys = parseTicketKeys((await resolver(configured.reference, signal)).reveal().trim())
    if (keys !== undefined) return keys
    throw new AppError('INVALID_REQUEST', `What LAKE_TICKET_KEYS refers to must be ${TICKET_KEYS_FORM}`)
  }
  if (configured.length > 0 || stateDirectory === undefined) return configured
  const path = join(stateDirectory, KEY_FILE)
  try {
    await mkdir(stateDirectory, { recursive: true, mode: 0o700 })
    await createOnce(path, `state:${randomBytes(32).toString('base64')}\n`)
    const keys = parseTicketKeys((await readFile(path, 'utf8')).trim())
    if (keys !== undefined) return keys
  } catch (cause) {
    throw new AppError('INVALID_REQUEST', 'The file of ticket keys in the state folder cannot be used', {
      cause,
    })
  }
  throw new AppError(
    'INVALID_REQUEST',
    'The file of ticket keys in the state folder does not hold id:key pairs',
  )
}

/** Whoever comes first makes the file; it appears whole or not at all, readable by this user only. */
async function createOnce(path: string, text: string): Promise<void> {
  const scratch = `${path}.${randomBytes(8).toString('hex')}`
  const file = await open(scratch, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(scratch, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(scratch, { force: true })
  }
}
