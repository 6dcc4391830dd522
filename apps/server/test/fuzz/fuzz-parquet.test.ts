// Damaged Parquet: footers, whole files and what is decoded of their pages here.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { assertDefined } from '@lake/core/assert.ts'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import { UNPARTITIONED } from '@lake/core/iceberg/partition-spec.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import { createPositionSet } from '@lake/core/scan/position-set.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { findReservedColumn } from '@lake/core/iceberg/reserved-columns.ts'
import { writeExcerpt } from '../../src/parquet/excerpt-writer.ts'
import { readFooter } from '../../src/parquet/footer.ts'
import { decodeParquetMetadata } from '../../src/parquet/parquet-metadata.ts'
import { leavesOf } from '../../src/parquet/raw-column.ts'
import { readPositionDeletes } from '../../src/parquet/position-delete-file.ts'
import { decodeThrift } from '../../src/parquet/thrift.ts'
import { rewriteRowGroup } from '../../src/parquet/variant/rewrite-column.ts'
import { POSITION_IDS } from '../support/delete-table.ts'
import { openDuck } from '../storage/duck.ts'
import { field, schemaOf } from '../storage/excerpt.ts'
import { fuzz } from './fuzz.ts'
import { fixtureFiles, memoryReader, memoryStore, NEVER } from './inputs.ts'
import { mutateBytes, type Random } from './mutate-bytes.ts'

const directory = mkdtempSync(join(tmpdir(), 'fuzz-parquet-'))
afterAll(() => {
  rmSync(directory, { recursive: true })
})
const bytesTarget = { mutate: mutateBytes, sizeOf: (bytes: Uint8Array) => bytes.byteLength }
const footerStartOf = (bytes: Uint8Array): number =>
  bytes.byteLength - 8 - new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.byteLength - 8, true)

/** A file in two parts, so that both are damaged as often, and its end stays true. */
interface FileInput {
  readonly data: Uint8Array
  readonly footer: Uint8Array
}
const split = (bytes: Uint8Array): FileInput => ({
  data: bytes.slice(0, footerStartOf(bytes)),
  footer: bytes.slice(footerStartOf(bytes), -8),
})
function whole({ data, footer }: FileInput): Uint8Array {
  const bytes = new Uint8Array(data.length + footer.length + 8)
  bytes.set(data)
  bytes.set(footer, data.length)
  new DataView(bytes.buffer).setUint32(bytes.length - 8, footer.length, true)
  bytes.set(Buffer.from('PAR1'), bytes.length - 4)
  return bytes
}
const fileTarget = {
  mutate: (inputs: readonly FileInput[], random: Random): FileInput => {
    const input = inputs[Math.floor(random() * inputs.length)]!
    return random() < 0.6
      ? { ...input, footer: mutateBytes([input.footer, ...inputs.map(({ footer }) => footer)], random) }
      : { ...input, data: mutateBytes([input.data], random) }
  },
  sizeOf: ({ data, footer }: FileInput) => data.byteLength + footer.byteLength,
}

const files = fixtureFiles(/\.parquet$/)

describe('[FZ1] footers of Parquet files', () => {
  const footers = files.map((bytes) => split(bytes).footer)
  fuzz('Thrift structs', {
    ...bytesTarget,
    inputs: footers,
    runs: 1_000,
    run: (bytes) => decodeThrift(bytes),
  })
  fuzz('Parquet metadata', {
    ...bytesTarget,
    inputs: footers,
    runs: 1_000,
    multiple: 256,
    run: (bytes) => decodeParquetMetadata(bytes, 8_192),
  })
  fuzz('Parquet files by their ends', {
    ...bytesTarget,
    inputs: files,
    multiple: 256,
    run: async (bytes) => await readFooter(memoryReader(bytes), { fileSizeBytes: bytes.byteLength }, NEVER),
  })
})

const COLUMNS = `i::BIGINT AS l, (i % 5)::INTEGER AS i, 's' || i AS s, i / 7 AS d, DATE '2024-01-01' + i::INTEGER AS day,
  ('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID AS u, [i, NULL] AS a, {x: i, y: 'z'} AS n,
  MAP {i::VARCHAR: i} AS m`
const COLUMN_IDS =
  'l: 1, i: 2, s: 3, d: 4, day: 5, u: 6, a: {__duckdb_field_id: 7, element: 8}, n: {__duckdb_field_id: 9, x: 10, y: 11}, m: {__duckdb_field_id: 12, key: 13, value: 14}'

async function copies(): Promise<{ data: Uint8Array[]; deletes: Uint8Array[] }> {
  const duck = await openDuck()
  const copy = async (sql: string, options: string): Promise<Uint8Array> => {
    const path = join(directory, 'made.parquet')
    await duck.run(`COPY (${sql}) TO '${path}' (FORMAT parquet, ${options})`)
    return new Uint8Array(readFileSync(path))
  }
  const rows = `SELECT ${COLUMNS} FROM range(40) r(i)`
  const pairs = `SELECT CASE WHEN i % 10 = 7 THEN NULL ELSE 's3://b/' || (i // 20) END AS file_path, i * 3 AS pos FROM range(60) r(i)`
  const made = {
    data: [
      await copy(rows, `FIELD_IDS {${COLUMN_IDS}}, PARQUET_VERSION V1`),
      await copy(rows, `FIELD_IDS {${COLUMN_IDS}}, PARQUET_VERSION V2, COMPRESSION zstd`),
    ],
    deletes: [
      await copy(pairs, `FIELD_IDS {${POSITION_IDS}}, PARQUET_VERSION V1, COMPRESSION uncompressed`),
      await copy(pairs, `FIELD_IDS {${POSITION_IDS}}, PARQUET_VERSION V1`),
      await copy(pairs, `FIELD_IDS {${POSITION_IDS}}, PARQUET_VERSION V2, COMPRESSION zstd`),
    ],
  }
  duck.closeSync()
  return made
}

const PREDICATE: Predicate = {
  op: 'and',
  operands: [
    { op: 'in', fieldId: 2, literals: [1n, 3n] },
    {
      op: 'or',
      operands: [
        { op: 'gt-eq', fieldId: 1, literal: 3n },
        { op: 'is-null', fieldId: 3 },
      ],
    },
  ],
}
const DATA: Schema = schemaOf(
  field(1, 'l', 'long'),
  field(2, 'i', 'int'),
  field(3, 's', 'string'),
  field(4, 'd', 'double'),
  field(5, 'day', { kind: 'date' }),
  field(6, 'u', { kind: 'uuid' }),
  field(7, 'a', { kind: 'list', elementId: 8, element: { kind: 'long' }, isElementRequired: false }),
  field(9, 'n', { kind: 'struct', fields: [field(10, 'x', 'long'), field(11, 'y', 'string')] }),
)
let next = 0

async function excerptOf(bytes: Uint8Array): Promise<unknown> {
  next += 1
  const deleted = createPositionSet()
  deleted.addRange(3, 9)
  const position = assertDefined(findReservedColumn('_pos'), 'every table has it')
  const positionIndex = DATA.fields.length
  const { excerpt, ...outcome } = await writeExcerpt(
    {
      task: {
        file: dataFile('s3://b/f', { fileSizeBytes: bytes.byteLength, firstRowId: 100n }),
        sequenceNumber: 1n,
        deletes: [],
      },
      deleted,
      partitionSpec: UNPARTITIONED,
      schema: { ...DATA, fields: [...DATA.fields, field(position.fieldId, '_pos', 'long')] },
      reserved: { columns: new Map([[positionIndex, position]]), partitionTexts: () => [] },
      nameMapping: undefined,
      columnIndexes: new Set([...DATA.fields.keys(), positionIndex]),
      predicate: PREDICATE,
      store: memoryStore(bytes),
      uri: 's3://b/f',
      directory,
      name: `e${next}`,
    },
    NEVER,
  )
  if (excerpt.path !== undefined) rmSync(excerpt.path)
  return { excerpt, outcome }
}

describe('[FZ1] Parquet files', async () => {
  const made = await copies()
  fuzz('excerpts of Parquet files', {
    ...fileTarget,
    inputs: made.data.map(split),
    multiple: 256,
    run: async (input) => await excerptOf(whole(input)),
  })
  fuzz('position delete files in Parquet', {
    ...fileTarget,
    inputs: made.deletes.map(split),
    runs: 500,
    multiple: 256,
    run: async (input) => {
      const bytes = whole(input)
      const positions: unknown[] = []
      const take = (path: string, position: number) => positions.push([path, position])
      await readPositionDeletes(memoryReader(bytes), bytes.byteLength, take, NEVER)
      return positions
    },
  })
})

/** Rewrites every column that looks like a variant, as the thread for that does. */
function rewriteVariants(bytes: Uint8Array): unknown {
  const footerStart = footerStartOf(bytes)
  const metadata = decodeParquetMetadata(bytes.slice(footerStart, -8), footerStart)
  const sources = metadata.columns.filter(({ children }) => children.some(({ name }) => name === 'metadata'))
  return metadata.rowGroups.map(({ rowCount, chunks }) =>
    sources.map((source) =>
      rewriteRowGroup({
        source,
        variantPaths: [[]],
        leafStart: 0,
        rowCount,
        chunks: leavesOf(source).map(({ index: leafIndex }) => {
          const chunk = assertDefined(chunks[leafIndex], 'a row group has all columns')
          return { leafIndex, chunk, bytes: bytes.slice(chunk.range.start, chunk.range.end) }
        }),
      }),
    ),
  )
}

describe('[H77] [FZ1] columns with variants', () => {
  fuzz('files with variants', {
    ...fileTarget,
    inputs: fixtureFiles(/variants\/.*\.parquet$/).map(split),
    runs: 1_000,
    multiple: 512,
    run: (input) => rewriteVariants(whole(input)),
  })
})
