// Position delete files as pages: right in every encoding and size, and refused at once where a page claims more than it has.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFileReader } from '../../src/parquet/file-reader.ts'
import { repeatedChunk, sequenceChunk } from '../../src/parquet/made-page.ts'
import type { ColumnChunk, Repetition, SchemaNode } from '../../src/parquet/parquet-metadata.ts'
import { readPositionDeletes } from '../../src/parquet/position-delete-file.ts'
import { decodePositions, type DeletedPositions } from '../../src/parquet/position-delete-pages.ts'
import { POSITION_IDS } from '../support/delete-table.ts'
import { openDuck } from './duck.ts'
import { createLocalFiles, sizeOf, uriOf } from './local-files.ts'

const NEVER = new AbortController().signal
let duck: DuckDBConnection
let directory: string

beforeAll(async () => {
  duck = await openDuck()
  directory = mkdtempSync(join(tmpdir(), 'position-deletes-'))
})
afterAll(() => {
  rmSync(directory, { recursive: true, force: true })
})

describe('[DL1] files', () => {
  it.each([
    [100, 'PARQUET_VERSION V1'],
    [100, 'PARQUET_VERSION V2'],
    // Too many rows to be decoded on the thread that serves everything else.
    [100_000, 'PARQUET_VERSION V1'],
    [100_000, 'PARQUET_VERSION V2'],
    [100_000, 'PARQUET_VERSION V1, COMPRESSION zstd'],
  ])('of %i rows, %s', async (rowCount, options) => {
    const path = join(directory, `${rowCount}-${options}.parquet`)
    await duck.run(
      `COPY (SELECT CASE WHEN i % 100 = 7 THEN NULL ELSE 's3://b/' || (i // 1000) END AS file_path, i * 3 AS pos
        FROM range(${rowCount}) r(i)) TO '${path}' (FORMAT parquet, FIELD_IDS {${POSITION_IDS}}, ${options})`,
    )
    const fileSizeBytes = await sizeOf(path)
    const reader = createFileReader({ store: createLocalFiles(), uri: uriOf(path), fileSizeBytes })
    const wrong: unknown[] = []
    let next = 0
    const take = (dataFile: string, position: number): void => {
      if (next % 100 === 7) next += 1
      if (dataFile !== `s3://b/${Math.floor(next / 1_000)}` || position !== next * 3)
        wrong.push([dataFile, position])
      next += 1
    }
    await readPositionDeletes(reader, fileSizeBytes, take, NEVER)
    expect(wrong).toEqual([])
    expect(next).toBe(rowCount)
  })
})

const ROWS = 1_000

function page(values: Uint8Array, type: number, header: Record<string, unknown>): Uint8Array {
  const writer = new ByteWriter()
  const { byteLength } = values
  serializeTCompactProtocol(writer, { field_1: type, field_2: byteLength, field_3: byteLength, ...header })
  writer.appendBytes(values)
  return writer.getBytes()
}
const dataPage = (encoding: number, values: Uint8Array): Uint8Array =>
  page(values, 0, { field_5: { field_1: ROWS, field_2: encoding, field_3: 3, field_4: 3 } })

function bytesOf(write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter()
  write(writer)
  return writer.getBytes()
}

const dictionary = page(
  bytesOf((writer) => {
    writer.appendUint32(1)
    writer.appendUint8(0x61)
  }),
  2,
  { field_7: { field_1: 1, field_2: 0 } },
)

/** A run that repeats zero `count` times. */
const run = (count: number): Uint8Array =>
  bytesOf((writer) => {
    writer.appendVarBigInt(BigInt(count) << 1n)
    writer.appendUint8(0)
  })

function decode(pathBytes: Uint8Array, repetition: Repetition = 'required'): DeletedPositions {
  const node = (name: string, physicalType: 'BYTE_ARRAY' | 'INT64', own: Repetition): SchemaNode => ({
    name,
    fieldId: undefined,
    repetition: own,
    annotation: { kind: 'none' },
    leaf: { index: 0, physicalType, lengthBytes: undefined },
    children: [],
  })
  const positions = sequenceChunk(0n, 1n, ROWS)
  const chunk: ColumnChunk = { ...repeatedChunk(Uint8Array.of(0x61), ROWS), uncompressedBytes: 1_000_000 }
  return decodePositions({
    rowCount: ROWS,
    path: { node: node('file_path', 'BYTE_ARRAY', repetition), chunk, bytes: pathBytes },
    position: { node: node('pos', 'INT64', 'required'), chunk: positions, bytes: positions.bytes! },
  })
}

describe('[DL5] [DL8] pages that claim more than they have', () => {
  const indexes = (count: number): Uint8Array => dataPage(8, Buffer.concat([Uint8Array.of(1), run(count)]))
  const levels = (count: number): Uint8Array => {
    const definitions = run(count)
    const length = bytesOf((writer) => {
      writer.appendUint32(definitions.byteLength)
    })
    return dataPage(8, Buffer.concat([length, definitions, Uint8Array.of(1), run(ROWS)]))
  }
  const texts = (prefixBytes: number): Uint8Array => {
    const lengths = (each: number): Uint8Array =>
      bytesOf((writer) => {
        for (const value of [128, 4, ROWS, each * 2]) writer.appendVarInt(value)
        for (let block = 0; block < Math.ceil((ROWS - 1) / 128); block += 1)
          writer.appendBytes(new Uint8Array(5))
      })
    return dataPage(7, Buffer.concat([lengths(prefixBytes), lengths(0)]))
  }

  it('decode where they are honest', () => {
    const { runs, positions } = decode(Buffer.concat([dictionary, indexes(ROWS)]))
    expect(runs).toEqual([{ path: 'a', end: ROWS }])
    expect(positions.at(-1)).toBe(ROWS - 1)
    expect(decode(Buffer.concat([dictionary, levels(ROWS)]), 'optional').runs).toEqual([])
    expect(decode(texts(0)).runs).toEqual([{ path: '', end: ROWS }])
  })

  it.each([
    ['a run of indexes', () => decode(Buffer.concat([dictionary, indexes(2 ** 30)]))],
    ['a run one too long', () => decode(Buffer.concat([dictionary, indexes(ROWS + 1)]))],
    ['runs that end early', () => decode(Buffer.concat([dictionary, indexes(ROWS - 1)]))],
    ['a run of levels', () => decode(Buffer.concat([dictionary, levels(2 ** 30)]), 'optional')],
    ['texts that unfold', () => decode(texts(1_000_000))],
    ['a width beyond integers', () => decode(dataPage(8, Buffer.concat([Uint8Array.of(200), run(ROWS)])))],
    ['fewer rows', () => decode(dictionary)],
  ])('are TABLE_CORRUPT: %s', (_what, attempt) => {
    // Decoded, they would take gigabytes, or give values that the page does not have.
    expect(attempt).toThrowError(expect.objectContaining({ code: 'TABLE_CORRUPT' }) as Error)
  })
})
