import { createHash } from 'node:crypto'
import { Binary, Field, makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import { FILE_COLUMN, type ExportMessage } from '@lake/core/api/wire.ts'
import { toApiError } from '../../api/api-error.ts'
import { createMemorySink } from './file-sink.ts'
import { readExport } from './read-export.ts'

const schema = new Schema([new Field(FILE_COLUMN, new Binary(), false)])

function batchOf(bytes: Uint8Array | null, message: ExportMessage): RecordBatch {
  const child = makeData({
    type: new Binary(),
    length: bytes ? 1 : 0,
    nullCount: 0,
    valueOffsets: Int32Array.of(0, bytes?.length ?? 0),
    data: bytes ?? new Uint8Array(),
  })
  const data = makeData({
    type: new Struct(schema.fields),
    length: child.length,
    nullCount: 0,
    children: [child],
  })
  return new RecordBatch(schema, data, new Map([[BATCH_METADATA_KEY, JSON.stringify(message)]]))
}

const PARTS = [Buffer.from('a,b\r\n'), Buffer.from('1,"x"\r\n'.repeat(400))]
const BYTES = Buffer.concat(PARTS)
const sha256 = createHash('sha256').update(BYTES).digest('hex')

function exported(file: { byteCount: number; sha256: string }): ExportMessage {
  const receipt = { statementId: 's', tables: [], rowCount: 400, elapsedMs: 1, engine: 'e', sql: 'SELECT' }
  return { kind: 'exported', document: { ...receipt, file: { format: 'csv', options: {}, ...file } } }
}

const written = PARTS.map((part, index) =>
  batchOf(part, { kind: 'written', byteCount: index, rowCount: index }),
)
const streamOf = (...batches: RecordBatch[]): Uint8Array =>
  RecordBatchStreamWriter.writeAll([...written, ...batches]).toUint8Array(true)

/** The file's text, or the code under which there is none. */
async function outcome(bytes: Uint8Array): Promise<string> {
  const sink = createMemorySink()
  try {
    const body = new Blob([new Uint8Array(bytes)]).stream()
    await readExport(body, sink, () => undefined, new AbortController().signal)
    return await (await sink.finish()).text()
  } catch (error) {
    return toApiError(error).code
  }
}

describe('[XF1] an export', () => {
  const whole = streamOf(batchOf(null, exported({ byteCount: BYTES.length, sha256 })))

  it('gives the file when the stream says that it is whole', async () => {
    expect(await outcome(whole)).toBe(BYTES.toString())
  })

  it('gives none for any cut', async () => {
    // The last 8 bytes end the Arrow stream, and say nothing.
    for (let length = 0; length < whole.length - 8; length += 13)
      expect(await outcome(whole.subarray(0, length)), `${length} bytes`).toBe('EXPORT_INCOMPLETE')
    expect(await outcome(whole.subarray(0, whole.length - 9))).toBe('EXPORT_INCOMPLETE')
    expect(await outcome(streamOf())).toBe('EXPORT_INCOMPLETE')
  })

  it('gives none for other bytes than were sent', async () => {
    for (const file of [
      { byteCount: BYTES.length + 1, sha256 },
      { byteCount: BYTES.length, sha256: sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
    ])
      expect(await outcome(streamOf(batchOf(null, exported(file))))).toBe('EXPORT_INCOMPLETE')
  })

  it('gives none but the reason when the server failed', async () => {
    const error = { code: 'ENGINE_FAILED', message: 'gone', requestId: 'r' }
    expect(await outcome(streamOf(batchOf(null, { kind: 'failure', error })))).toBe('ENGINE_FAILED')
  })
})
