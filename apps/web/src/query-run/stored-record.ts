// The record of a result whose rows outlive their page: whose it is, what was asked, how it ended, what it was made from,
// and where its rows lie in their file, each block with its digest. Text with a digest of its own: what was cut, altered or
// written by another version is no record. It holds no ticket: a later page plans anew where it needs one.
import { RecordBatchReader, Table, tableToIPC, type Schema } from 'apache-arrow'
import * as z from 'zod'
import { flightInfoResponse, requestedPin } from '@lake/core/api/contract.ts'
import { progress } from '@lake/core/api/wire.ts'
import { receipt } from '@lake/core/flight/receipt.ts'
import { pollInfo } from '@lake/core/statements/poll-info.ts'
import { parameterList } from '../sql/parameters.ts'
import { sha256Of } from '../storage/spill-protocol.ts'

/** Of the record, and of the rows that it leads to (packed-batch.ts). */
const VERSION = 1
const MAGIC = 'lake.result'

const count = z.number().int().nonnegative()

const rowBlock = z.object({
  offset: count,
  byteCount: count,
  rowCount: count,
  heldByteCount: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

const source = z.object({
  tabId: z.string(),
  sql: z.string(),
  startOffset: count,
  startLine: count,
  pins: z.array(requestedPin),
  parameters: parameterList.optional(),
  background: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('submit') }),
      z.object({ kind: z.literal('open'), statementId: z.string() }),
    ])
    .optional(),
  linkedFingerprint: z.string().optional(),
})

const endState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('finished'), info: flightInfoResponse, receipt }),
  z.object({
    kind: z.literal('stopped'),
    info: flightInfoResponse.nullable(),
    progress: progress.nullable(),
    isConfirmed: z.boolean(),
  }),
])

const storedRecord = z.object({
  /** Who was signed in; null where nobody can. */
  principal: z.string().nullable(),
  /** Statements of one text that were run at once have one. */
  groupId: z.string(),
  source,
  state: endState,
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  storedAtMs: z.number(),
  background: pollInfo.nullable(),
  /** Arrow's IPC stream of the schema alone, in base64. */
  schema: z.string(),
  /** Bytes of the file of rows. */
  byteCount: count,
  rowCount: count,
  blocks: z.array(rowBlock),
})
export type StoredRecord = z.infer<typeof storedRecord>

/** Tickets are for the page that asked. */
export function withoutTickets<R extends Pick<StoredRecord, 'state' | 'background'>>(record: R): R {
  const { state, background } = record
  const info = state.info && { ...state.info, ticket: '', expiresAtMs: 0 }
  return {
    ...record,
    state: { ...state, info },
    background: background && { ...background, endpoints: [], ticket: null, descriptor: null },
  }
}

export function encodeSchema(schema: Schema): string {
  const bytes = tableToIPC(new Table(schema), 'stream')
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** @throws where the text is no schema */
export function decodeSchema(text: string): Schema {
  const reader = RecordBatchReader.from(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))
  reader.open({ autoDestroy: false })
  return reader.schema
}

const headOf = async (body: Uint8Array<ArrayBuffer>): Promise<string> =>
  `${MAGIC} ${VERSION} ${await sha256Of(body)}\n`

export async function encodeRecord(record: StoredRecord): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const body = encoder.encode(JSON.stringify(record))
  const head = encoder.encode(await headOf(body))
  const bytes = new Uint8Array(head.byteLength + body.byteLength)
  bytes.set(head)
  bytes.set(body, head.byteLength)
  return bytes
}

/** Null for what is no whole record of this version, or one whose blocks are not all of its rows. */
export async function decodeRecord(bytes: Uint8Array<ArrayBuffer>): Promise<StoredRecord | null> {
  const end = bytes.indexOf(0x0a) + 1
  const body = bytes.slice(end)
  const decoder = new TextDecoder()
  if (end === 0 || decoder.decode(bytes.slice(0, end)) !== (await headOf(body))) return null
  try {
    const { data } = storedRecord.safeParse(JSON.parse(decoder.decode(body)))
    const rowCount = data?.blocks.reduce((sum, block) => sum + block.rowCount, 0)
    return data !== undefined && rowCount === data.rowCount ? data : null
  } catch {
    return null
  }
}
