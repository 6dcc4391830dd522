// Timestamps of 96 bits, as Hive, Impala and old Spark wrote them: no writer at hand makes them, so the pages of 12-byte
// values are written as bytes and put under a footer that says what they are.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import { afterAll, expect, test } from 'vitest'
import { encodeFooter } from '../../src/parquet/footer-writer.ts'
import { createFileReader } from '../../src/parquet/file-reader.ts'
import { readFooter } from '../../src/parquet/footer.ts'
import { openDuck } from './duck.ts'
import { excerptOf, excerptRows, field, schemaOf } from './excerpt.ts'
import { createLocalFiles, sizeOf, uriOf } from './local-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'int96-'))
afterAll(() => {
  rmSync(directory, { recursive: true })
})

/** Nanoseconds of the day, then the Julian day number, both little-endian. */
function int96(days: number, nanosOfDay: bigint): Uint8Array {
  const bytes = new Uint8Array(12)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, nanosOfDay, true)
  view.setUint32(8, 2_440_588 + days, true)
  return bytes
}

async function writeInt96(): Promise<string> {
  const path = join(directory, 'int96.parquet')
  const values = [int96(0, 0n), int96(19_000, 45_296_123_456_000n), int96(-1, 86_399_999_999_000n)]
  const bytes = parquetWriteBuffer({
    columnData: [{ name: 'v', data: values }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'v', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 12, repetition_type: 'REQUIRED' },
    ],
    codec: 'UNCOMPRESSED',
  })
  writeFileSync(path, new Uint8Array(bytes))
  const fileSizeBytes = await sizeOf(path)
  const metadata = await readFooter(
    createFileReader({ store: createLocalFiles(), uri: uriOf(path), fileSizeBytes }),
    { fileSizeBytes },
    AbortSignal.timeout(5_000),
  )
  const [group] = metadata.rowGroups
  const source = group!.chunks[0]!
  const footer = encodeFooter(
    [
      {
        name: 'v',
        repetition: 'required',
        annotation: { kind: 'none' },
        leaf: { index: 0, physicalType: 'INT96', lengthBytes: undefined },
        children: [],
      },
    ],
    [{ rowCount: group!.rowCount, chunks: [{ source, offset: source.range.start }] }],
  )
  writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, source.range.end), footer]))
  return path
}

test.each<[IcebergType, string, string]>([
  [{ kind: 'timestamp' }, 'TIMESTAMP', ''],
  [{ kind: 'timestamptz' }, 'TIMESTAMPTZ', '+00'],
])('are read as %o whatever the session’s time zone', async (type, sqlType, suffix) => {
  const path = await writeInt96()
  const duck = await openDuck()
  const outcome = await excerptOf(path, schemaOf(field(1, 'v', type)), directory)
  expect(await excerptRows(duck, outcome, sqlType)).toEqual([
    [`1970-01-01 00:00:00${suffix}`],
    [`2022-01-08 12:34:56.123456${suffix}`],
    [`1969-12-31 23:59:59.999999${suffix}`],
  ])
  duck.closeSync()
})

test('are refused as timestamps of nanoseconds', async () => {
  const schema = schemaOf(field(1, 'v', { kind: 'timestamp_ns' }))
  await expect(excerptOf(await writeInt96(), schema, directory)).rejects.toMatchObject({
    code: 'TABLE_UNSUPPORTED',
  })
})
