// Timestamps of 96 bits and decimals of bytes, as Hive, Impala and old Spark wrote them: no writer at hand makes them, so
// their pages are written as bytes and put under a footer that says what they are.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import { afterAll, expect, test } from 'vitest'
import type { Annotation } from '../../src/parquet/annotation.ts'
import { encodeFooter } from '../../src/parquet/footer-writer.ts'
import { createFileReader } from '../../src/parquet/file-reader.ts'
import { readFooter } from '../../src/parquet/footer.ts'
import { openDuck } from './duck.ts'
import { excerptOf, excerptRows, field, schemaOf } from './excerpt.ts'
import { createLocalFiles, sizeOf, uriOf } from './local-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'physical-'))
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

/** A required column of raw bytes under a footer that says what they are. */
async function writeColumn(
  values: readonly Uint8Array[],
  written: { type: 'BYTE_ARRAY' } | { type: 'FIXED_LEN_BYTE_ARRAY'; type_length: number },
  { annotation, physicalType }: { annotation: Annotation; physicalType: 'INT96' | 'BYTE_ARRAY' },
): Promise<string> {
  const path = join(directory, `${physicalType}.parquet`)
  const bytes = parquetWriteBuffer({
    columnData: [{ name: 'v', data: [...values] }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'v', repetition_type: 'REQUIRED', ...written },
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
  const leaf = { index: 0, physicalType, lengthBytes: undefined }
  const footer = encodeFooter(
    [{ name: 'v', repetition: 'required', annotation, leaf, children: [] }],
    [{ rowCount: group!.rowCount, chunks: [{ source, offset: source.range.start }] }],
  )
  writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, source.range.end), footer]))
  return path
}

const writeInt96 = async (): Promise<string> =>
  await writeColumn(
    [int96(0, 0n), int96(19_000, 45_296_123_456_000n), int96(-1, 86_399_999_999_000n)],
    { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 12 },
    { annotation: { kind: 'none' }, physicalType: 'INT96' },
  )

test('[H69] decimals of bytes have as many as they need, and their sign', async () => {
  const path = await writeColumn(
    [Uint8Array.of(0x80), Uint8Array.of(0x00, 0x80), Uint8Array.of(0xff), Uint8Array.of(0xff, 0xff, 0x00)],
    { type: 'BYTE_ARRAY' },
    { annotation: { kind: 'decimal', precision: 9, scale: 2 }, physicalType: 'BYTE_ARRAY' },
  )
  const duck = await openDuck()
  const schema = schemaOf(field(1, 'v', { kind: 'decimal', precision: 38, scale: 2 }))
  const rows = await excerptRows(duck, await excerptOf(path, schema, directory), 'DECIMAL(38,2)')
  expect(rows).toEqual([['-1.28'], ['1.28'], ['-0.01'], ['-2.56']])
  duck.closeSync()
})

test.each<[IcebergType, string, string]>([
  [{ kind: 'timestamp' }, 'TIMESTAMP', ''],
  [{ kind: 'timestamptz' }, 'TIMESTAMPTZ', '+00'],
])(
  '[H70] timestamps of 96 bits are read as %o whatever the session’s time zone',
  async (type, sqlType, suffix) => {
    const path = await writeInt96()
    const duck = await openDuck()
    const outcome = await excerptOf(path, schemaOf(field(1, 'v', type)), directory)
    expect(await excerptRows(duck, outcome, sqlType)).toEqual([
      [`1970-01-01 00:00:00${suffix}`],
      [`2022-01-08 12:34:56.123456${suffix}`],
      [`1969-12-31 23:59:59.999999${suffix}`],
    ])
    duck.closeSync()
  },
)

test('timestamps of 96 bits are refused as timestamps of nanoseconds', async () => {
  const schema = schemaOf(field(1, 'v', { kind: 'timestamp_ns' }))
  await expect(excerptOf(await writeInt96(), schema, directory)).rejects.toMatchObject({
    code: 'TABLE_UNSUPPORTED',
  })
})
