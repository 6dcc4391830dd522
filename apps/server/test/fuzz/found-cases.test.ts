// Inputs that fuzzing, or the reading that it led to, found to take memory or time without end, to be decoded from bytes
// that are not theirs, or to end in an error without a code. Each keeps the form in which it went wrong.
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import { describe, expect, it } from 'vitest'
import { isAppError } from '@lake/core/errors.ts'
import { createPositionSet } from '@lake/core/scan/position-set.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { LIMITS } from '../../src/limits.ts'
import { decodeAvroHeader, decodeAvroRecords } from '../../src/metadata/avro-container.ts'
import { decodeDeletionVector } from '../../src/metadata/deletion-vector.ts'
import { decodeManifestList } from '../../src/metadata/manifest-list-decoder.ts'
import {
  container,
  encodeLong,
  encodeRecords,
  MANIFEST_FILE_FIELDS,
} from '../../src/metadata/test/avro-file.ts'
import { encodePuffin, encodeRoaring64, encodeVector } from '../../src/metadata/test/deletion-vector-file.ts'
import { createFileReader } from '../../src/parquet/file-reader.ts'
import { liveRowGroups } from '../../src/parquet/deleted-column.ts'
import { checkPage } from '../../src/parquet/page-check.ts'
import { readPageHeader } from '../../src/parquet/page-header.ts'
import { decodeParquetMetadata, type PhysicalType } from '../../src/parquet/parquet-metadata.ts'
import { decodeThrift } from '../../src/parquet/thrift.ts'
import { compileVariantReader } from '../../src/parquet/variant/shredded-variant.ts'
import { readDeletionVectors } from '../../src/queries/read-deletion-vectors.ts'
import { countAllocations } from './count-allocations.ts'
import { memoryReader, NEVER } from './inputs.ts'
import { concat } from './mutate-bytes.ts'

const MIB = 1_048_576
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const repeat = (bytes: readonly number[], times: number): Uint8Array =>
  Uint8Array.from({ length: bytes.length * times }, (_, index) => bytes[index % bytes.length]!)
const thrift = (struct: object): Uint8Array => {
  const writer = new ByteWriter()
  serializeTCompactProtocol(writer, struct as Record<string, unknown>)
  return writer.getBytes()
}

/** Refused by a code, without having asked for more than a MiB. */
async function expectRefused(work: () => unknown, code = 'TABLE_CORRUPT'): Promise<void> {
  const { bytes, error } = await countAllocations(work, MIB)
  expect({ bytes: bytes < MIB, code: isAppError(error) ? error.code : error }).toEqual({ bytes: true, code })
}

describe('[FZ2] Thrift structs', () => {
  const list = [0x19, 0xf9, 0xff, 0xff, 0xff, 0x7f] as const
  it.each([
    ['a list of 2^28 items', Uint8Array.from(list)],
    ['lists in lists, each of as many', concat(Uint8Array.of(0x19), repeat(list.slice(1), 20))],
    ['structs in structs', repeat([0x1c], 100_000)],
    ['lists in lists', concat(Uint8Array.of(0x19), repeat([0x19], 100_000))],
    // The library shifts a longer and longer integer, which takes minutes for a megabyte.
    [
      'an integer of a million bits',
      concat(Uint8Array.of(0x16), repeat([0xff], 200_000), Uint8Array.of(0, 0)),
    ],
    ['an integer of 33 bits', Uint8Array.of(0x15, 0xff, 0xff, 0xff, 0xff, 0x7f, 0)],
    ['text beyond the end', Uint8Array.of(0x18, 0x7f, 0)],
    ['a type that there is not', Uint8Array.of(0x1f, 0)],
    ['no end', Uint8Array.of(0x11)],
  ])('with %s are corrupt', async (_what, bytes) => {
    await expectRefused(() => decodeThrift(bytes))
  })
})

describe('[FZ2] [H32] Avro', () => {
  const schema = {
    type: 'record',
    name: 'r',
    fields: [{ name: 'a', type: { type: 'array', items: { type: 'array', items: 'null' } } }],
  }
  it('lists of lists of nothing have as many items as a file may have, and no more', async () => {
    const inner = Buffer.concat([encodeLong(10_000), encodeLong(0)])
    const dataOf = (count: number): Buffer =>
      Buffer.concat([encodeLong(count), ...Array.from({ length: count }, () => inner), encodeLong(0)])
    const read = async (count: number): Promise<number> => {
      const bytes = container(schema, { blocks: [{ count: 1, data: dataOf(count) }] })
      let items = 0
      const take = ({ 'name:a': lists }: Readonly<Record<string, unknown>>): void => {
        for (const list of lists as readonly unknown[][]) items += list.length
      }
      await decodeAvroRecords({ bytes, path: 'f', header: decodeAvroHeader(bytes, 'f') }, take, NEVER)
      return items
    }
    expect(await read(100)).toBe(LIMITS.avroEmptyItemsMax)
    await expect(read(101)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
  })

  it('a summary of partitions that is null is corrupt', async () => {
    const summaries = { type: 'array', items: ['null', 'string'] }
    const fields = [...MANIFEST_FILE_FIELDS, { name: 'partitions', type: summaries, 'field-id': 507 }]
    const row = {
      manifest_path: 'm',
      manifest_length: 1n,
      partition_spec_id: 0,
      content: 0,
      sequence_number: 1n,
      min_sequence_number: 1n,
      added_snapshot_id: 1n,
      partitions: [null],
    }
    const bytes = encodeRecords({ type: 'record', name: 'manifest_file', fields }, [row])
    await expectRefused(async () => await decodeManifestList(bytes, 'f', NEVER))
  })
})

describe('[FZ2] [H89] deletion vectors', () => {
  it('that claim more positions than their manifest stop there', async () => {
    // Ten bytes each: 65,536 positions in a run.
    const stretches = Array.from({ length: 2_000 }, (_, key) => key)
    const bitmap = runsOf(stretches.map((key) => ({ key, start: 0, length: 65_536 })))
    await expectRefused(() => decodeDeletionVector(encodeVector(bitmap), { path: 'v', recordCount: 1_000 }))
  })

  it('of single rows far from each other take little', async () => {
    const keys = Array.from({ length: 20_000 }, (_, key) => key)
    const bitmap = runsOf(keys.map((key) => ({ key, start: 7, length: 1 })))
    const { bytes, error } = await countAllocations(
      () => decodeDeletionVector(encodeVector(bitmap), { path: 'v', recordCount: keys.length }),
      // Bits would take 160 MiB.
      16 * MIB,
    )
    expect({ error, isLittle: bytes < 2 * MIB }).toEqual({ error: undefined, isLittle: true })
  })

  it('that are all the same bytes of one file are corrupt, and a footer of a gigabyte is not read', async () => {
    const blob = encodeVector(encodeRoaring64([1]))
    const { bytes, places } = encodePuffin([blob])
    const vector = dataFile('s3://b/v.puffin', {
      format: 'puffin',
      content: 'position-deletes',
      fileSizeBytes: bytes.byteLength,
      recordCount: 1,
      contentOffset: places[0]!.offset,
      contentSizeBytes: blob.byteLength,
    })
    const read = async (count: number) => {
      const vectors = Array.from({ length: count }, () => ({ ...vector }))
      return await readDeletionVectors(memoryReader(bytes), vectors, NEVER)
    }
    expect((await read(1)).size).toBe(1)
    await expectRefused(async () => await read(1_000))
    const sizeBytes = 2 ** 30
    const tail = bytes.slice(-12)
    new DataView(tail.buffer).setInt32(0, sizeBytes - 100, true)
    const asked: number[] = []
    const store = {
      statObject: async () => await Promise.resolve({ sizeBytes }),
      readRange: async (_uri: string, { start, end }: { readonly start: number; readonly end: number }) => {
        asked.push(end - start)
        const part = new Uint8Array(Math.min(end - start, 70_000))
        part.set(tail, part.byteLength - tail.byteLength)
        return await Promise.resolve(part)
      },
    }
    const reader = createFileReader({ store, uri: 's3://b/v.puffin', fileSizeBytes: sizeBytes })
    await expectRefused(
      async () => await readDeletionVectors(reader, [{ ...vector, fileSizeBytes: sizeBytes }], NEVER),
      'TABLE_UNSUPPORTED',
    )
    expect(Math.max(...asked)).toBeLessThan(MIB)
  })

  it('of an empty bitmap are empty', () => {
    const empty = decodeDeletionVector(encodeVector(encodeRoaring64([])), { path: 'v', recordCount: 0 })
    expect(empty.select(0, 100).deletedCount).toBe(0)
  })
})

function runsOf(runs: readonly { key: number; start: number; length: number }[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(12 + 4 + Math.ceil(runs.length / 8) + runs.length * 14))
  bytes.setBigUint64(0, 1n, true)
  bytes.setUint32(12, 12_347 + (runs.length - 1) * 65_536, true)
  let at = 16
  for (let byte = 0; byte < Math.ceil(runs.length / 8); byte += 1, at += 1) bytes.setUint8(at, 0xff)
  for (const { key, length } of runs) {
    bytes.setUint16(at, key, true)
    bytes.setUint16(at + 2, length - 1, true)
    at += 4
  }
  at += runs.length * 4
  for (const { start, length } of runs) {
    bytes.setUint16(at, 1, true)
    bytes.setUint16(at + 2, start, true)
    bytes.setUint16(at + 4, length - 1, true)
    at += 6
  }
  return new Uint8Array(bytes.buffer)
}

describe('[FZ2] pages', () => {
  const DELTA_BINARY_PACKED = 5
  const PLAIN = 0
  const DELTA_BYTE_ARRAY = 7
  const RLE_DICTIONARY = 8
  const check = (struct: object, values: Uint8Array, type: PhysicalType): void => {
    const { field_1, ...rest } = struct as { readonly field_1: number }
    const page = concat(
      thrift({ field_1, field_2: values.byteLength, field_3: values.byteLength, ...rest }),
      values,
    )
    const reader = { view: new DataView(page.buffer), offset: 0 }
    const header = readPageHeader(reader)
    const column = {
      codec: 'UNCOMPRESSED',
      type,
      typeLength: undefined,
      definitionMax: 0,
      repetitionMax: 0,
    } as const
    checkPage(header, page.subarray(reader.offset), column)
  }
  const dataPage = (encoding: number, count: number) => ({
    field_1: 0,
    field_5: { field_1: count, field_2: encoding, field_3: 3, field_4: 3 },
  })
  const dataPageV2 = (encoding: number, count: number) => ({
    field_1: 3,
    field_8: { field_1: count, field_2: 0, field_3: count, field_4: encoding, field_5: 0, field_6: 0 },
  })
  const dictionaryPage = { field_1: 2, field_7: { field_1: 1_000_000, field_2: 0 } }
  /** Blocks of as many values in as many parts, how many there are, the first. */
  const delta = (...numbers: readonly number[]): Uint8Array => Uint8Array.from(numbers)

  it.each<[string, object, Uint8Array, PhysicalType]>([
    ['blocks of nothing', dataPage(DELTA_BYTE_ARRAY, 9), delta(0x80, 0, 0x80, 0, 9, 0, 0, 0), 'BYTE_ARRAY'],
    ['blocks in no parts', dataPage(DELTA_BINARY_PACKED, 9), delta(0x80, 1, 0, 9, 0, 0), 'INT32'],
    [
      'blocks in 2^31 parts',
      dataPage(DELTA_BINARY_PACKED, 9),
      delta(0x80, 1, 0xff, 0xff, 0xff, 0xff, 7, 9, 0, 0),
      'INT64',
    ],
    [
      'deltas of 255 bits',
      dataPage(DELTA_BINARY_PACKED, 9),
      delta(0x80, 1, 4, 9, 0, 0, 255, 0, 0, 0),
      'INT64',
    ],
    ['a dictionary of a million in no bytes', dictionaryPage, Uint8Array.of(), 'BYTE_ARRAY'],
    ['integers that are not there', dataPage(PLAIN, 1_000), Uint8Array.of(1, 2, 3, 4), 'INT32'],
    // The library reads on in whatever lies behind the page.
    ['a text longer than the page', dataPage(PLAIN, 1), Uint8Array.of(200, 0, 0, 0, 0x61), 'BYTE_ARRAY'],
    [
      'a run of indexes of no bits',
      dataPageV2(RLE_DICTIONARY, 9),
      Uint8Array.of(0, 0xfe, 0xff, 0xff, 0xff, 0x0f),
      'BYTE_ARRAY',
    ],
    // The library counts from -8 down to 0.
    [
      'packed indexes of no bits',
      dataPageV2(RLE_DICTIONARY, 9),
      Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff, 0x0f),
      'BYTE_ARRAY',
    ],
    [
      'more nulls than values',
      { ...dataPageV2(PLAIN, 1), field_8: { ...dataPageV2(PLAIN, 1).field_8, field_2: 9 } },
      Uint8Array.of(),
      'BYTE_ARRAY',
    ],
    ['indexes of truth values', dataPage(RLE_DICTIONARY, 8), Uint8Array.of(1, 3, 0xff), 'BOOLEAN'],
    [
      'a header for another kind of page',
      { ...dataPage(PLAIN, 1), field_1: 3 },
      Uint8Array.of(0, 0, 0, 0),
      'BYTE_ARRAY',
    ],
    [
      'two headers',
      { ...dataPage(PLAIN, 1), field_7: { field_1: 1 } },
      Uint8Array.of(0, 0, 0, 0),
      'BYTE_ARRAY',
    ],
    ['a negative size', { ...dataPage(PLAIN, 0), field_2: -1 }, Uint8Array.of(), 'BYTE_ARRAY'],
  ])('with %s are corrupt', async (_what, struct, values, type) => {
    await expectRefused(() => {
      check(struct, values, type)
    })
  })

  it('in encodings that are not known are not read', async () => {
    await expectRefused(() => {
      check(dataPage(99, 1), Uint8Array.of(1), 'INT32')
    }, 'TABLE_UNSUPPORTED')
  })
})

describe('[FZ2] footers', () => {
  const footer = (chunkBytes: number, chunkCount: number, rowCount: bigint): Uint8Array => {
    const name = (index: number): Uint8Array => utf8(`c${index}`)
    const indexes = Array.from({ length: chunkCount }, (_, index) => index)
    const column = (index: number): object => ({
      field_2: 4n,
      field_3: {
        field_1: 1,
        field_2: [0],
        field_3: [name(index)],
        field_4: 0,
        field_5: rowCount,
        field_6: BigInt(chunkBytes),
        field_7: BigInt(chunkBytes),
        field_9: 4n,
      },
    })
    return thrift({
      field_1: 1,
      field_2: [
        { field_4: utf8('root'), field_5: chunkCount },
        ...indexes.map((index) => ({ field_1: 1, field_3: 0, field_4: name(index) })),
      ],
      field_3: rowCount,
      field_4: [{ field_1: indexes.map(column), field_2: BigInt(chunkBytes), field_3: rowCount }],
    })
  }

  it('whose chunks are all the same bytes are corrupt: a small file would be read many times', async () => {
    expect(decodeParquetMetadata(footer(90, 10, 5n), 1_000).leafCount).toBe(10)
    await expectRefused(() => decodeParquetMetadata(footer(90, 12, 5n), 1_000))
  })

  it('of very many rows are read, and no room is made for bits of rows that are not there', () => {
    const { rowGroups } = decodeParquetMetadata(footer(10, 1, 2n ** 40n), 1_000)
    expect(liveRowGroups(rowGroups, undefined)).toHaveLength(1)
    const deleted = createPositionSet()
    deleted.add(1)
    expect(() => liveRowGroups(rowGroups, deleted)).toThrow(
      expect.objectContaining({ code: 'TABLE_UNSUPPORTED' }),
    )
  })
})

describe('[FZ2] [H77] shredded variants', () => {
  const bytes = (name: string, index: number) => ({
    name,
    repetition: 'optional' as const,
    annotation: { kind: 'none' as const },
    fieldId: undefined,
    leaf: { index, physicalType: 'BYTE_ARRAY' as const, lengthBytes: undefined },
    children: [],
  })
  const variantOf = (scale: number, physicalType: PhysicalType) => ({
    name: 'v',
    repetition: 'optional' as const,
    annotation: { kind: 'none' as const },
    fieldId: undefined,
    leaf: undefined,
    children: [
      bytes('metadata', 0),
      bytes('value', 1),
      {
        ...bytes('typed_value', 2),
        annotation: { kind: 'decimal' as const, precision: 38, scale },
        leaf: { index: 2, physicalType, lengthBytes: undefined },
      },
    ],
  })
  it.each<[string, unknown]>([
    ['a value that is a list', { n0: Uint8Array.of(1, 0, 0), n1: [Uint8Array.of(0)], n2: null }],
    ['a typed value that is a list', { n0: Uint8Array.of(1, 0, 0), n1: null, n2: [1] }],
    ['a dictionary that is a group', { n0: { n0: 1 }, n1: null, n2: null }],
  ])('of levels that make %s are corrupt', async (_what, row) => {
    const read = compileVariantReader(variantOf(2, 'INT32'))
    expect(read({ n0: Uint8Array.of(1, 0, 0), n1: null, n2: 150 })).toBe('1.50')
    await expectRefused(() => read(row))
  })

  it.each<[string, number, PhysicalType]>([
    // The text of one such value would have half a billion zeros.
    ['a scale of 500,000,000', 500_000_000, 'INT32'],
    ['a scale below zero', -3, 'INT32'],
    ['a floating point number', 2, 'DOUBLE'],
  ])('with a decimal of %s are not read', async (_what, scale, type) => {
    await expectRefused(() => compileVariantReader(variantOf(scale, type)), 'TABLE_UNSUPPORTED')
  })
})
