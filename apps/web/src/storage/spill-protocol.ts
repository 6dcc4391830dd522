// What the page and the worker of the spill say to each other. Each request is answered once, under its number.
// Rows lie in a file of the spill; a file that is kept beyond its page has a record beside it, written last.
import { formatHex } from '@lake/core/iceberg/utf8.ts'

export type SpillRequest =
  | { id: number; kind: 'put'; file: string; bytes: Uint8Array<ArrayBuffer>; isHashed: boolean }
  | { id: number; kind: 'get'; file: string; offset: number; byteCount: number }
  /** Ends the writing of the file and puts the record beside it. */
  | { id: number; kind: 'seal'; file: string; record: Uint8Array<ArrayBuffer> }
  | { id: number; kind: 'remove'; file: string }

export type SpillAnswer =
  | { id: number; kind: 'put'; offset: number; sha256: string | null }
  | { id: number; kind: 'got'; bytes: Uint8Array<ArrayBuffer> }
  | { id: number; kind: 'sealed' }
  | { id: number; kind: 'removed' }
  | { id: number; kind: 'failed'; message: string }

export const SPILL_FOLDER = 'spill'
const RECORD_SUFFIX = '.record'

export const recordNameOf = (file: string): string => file + RECORD_SUFFIX

/** The file that a record is of; null for a name that is no record's. */
export const fileOfRecord = (name: string): string | null =>
  name.endsWith(RECORD_SUFFIX) ? name.slice(0, -RECORD_SUFFIX.length) : null

export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return formatHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
