// Footers that lie: whatever the bytes, the answer is metadata or a typed error, in bounded time and memory.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAppError } from '@lake/core/errors.ts'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import { beforeAll, expect, test } from 'vitest'
import { createFileReader } from '../../src/parquet/file-reader.ts'
import { readFooter } from '../../src/parquet/footer.ts'
import { openDuck } from './duck.ts'

const signal = new AbortController().signal
let file: Uint8Array
let wide: Uint8Array

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'footer-'))
  const duck = await openDuck()
  const write = async (sql: string): Promise<Uint8Array> => {
    await duck.run(`COPY (${sql}) TO '${directory}/f.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)`)
    return new Uint8Array(readFileSync(`${directory}/f.parquet`))
  }
  file = await write(`SELECT i AS a, 'x' || i AS b, [i] AS c, {'d': i} AS e FROM range(5000) t(i)`)
  const columns = Array.from({ length: 1_500 }, (_, index) => `i AS column_${index}`)
  wide = await write(`SELECT ${columns.join(', ')} FROM range(10) t(i)`)
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

function storeOf(bytes: Uint8Array) {
  const requests: number[] = []
  return {
    requests,
    statObject: async () => await Promise.resolve({ sizeBytes: bytes.byteLength }),
    readRange: async (_uri: string, { start, end }: { start: number; end: number }) => {
      requests.push(end - start)
      return await Promise.resolve(bytes.slice(start, end))
    },
  }
}
const readFrom = async (store: ReturnType<typeof storeOf>, fileSizeBytes: number) =>
  await readFooter(createFileReader({ store, uri: 's3://b/k', fileSizeBytes }), { fileSizeBytes }, signal)
const read = async (bytes: Uint8Array) => await readFrom(storeOf(bytes), bytes.byteLength)
const footerStart = (bytes: Uint8Array): number =>
  bytes.byteLength - 8 - new DataView(bytes.buffer).getUint32(bytes.byteLength - 8, true)

/** A file of 1,000 bytes that ends in the given metadata. */
function fileWith(metadata: Record<string, unknown>): Uint8Array {
  const writer = new ByteWriter()
  writer.appendBytes(new Uint8Array(1_000))
  const start = writer.offset
  serializeTCompactProtocol(writer, metadata)
  writer.appendUint32(writer.offset - start)
  writer.appendBytes(new TextEncoder().encode('PAR1'))
  return writer.getBytes().slice()
}
const chunk = (meta: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  field_2: 4n,
  field_3: {
    field_1: 1,
    field_2: [0],
    field_3: ['a'],
    field_4: 0,
    field_5: 10n,
    field_6: 40n,
    field_7: 40n,
    field_9: 4n,
    ...meta,
  },
  ...more,
})
const metadataWith = (columns: unknown, more: Record<string, unknown> = {}) => ({
  field_1: 1,
  field_2: [
    { field_4: 'root', field_5: 1 },
    { field_1: 1, field_3: 0, field_4: 'a' },
  ],
  field_3: 10n,
  field_4: [{ field_1: columns, field_2: 40n, field_3: 10n }],
  ...more,
})

test('one request reads a small footer, two a large one', async () => {
  const small = storeOf(file)
  const { rowCount, rowGroups } = await readFrom(small, file.byteLength)
  expect([rowCount, rowGroups.length, small.requests.length]).toEqual([5_000, 3, 1])
  const large = storeOf(wide)
  const metadata = await readFrom(large, wide.byteLength)
  expect(metadata.columns).toHaveLength(1_500)
  expect(large.requests).toHaveLength(2)
})

test('a size in the manifest that is wrong is asked of the store once', async () => {
  for (const wrong of [file.byteLength - 1, file.byteLength - 500, 5]) {
    const store = storeOf(file)
    const { rowCount } = await readFrom(store, wrong)
    expect([rowCount, store.requests.length <= 2]).toEqual([5_000, true])
  }
})

test('the hand-made file is sound, so that the refusals below are about what each changes', async () => {
  expect(await read(fileWith(metadataWith([chunk()])))).toMatchObject({ rowCount: 10, leafCount: 1 })
})

test.each<[string, Record<string, unknown>, string]>([
  ['a chunk that begins beyond the file', metadataWith([chunk({ field_9: 5_000n })]), 'TABLE_CORRUPT'],
  ['a chunk that ends beyond the data', metadataWith([chunk({ field_7: 997n })]), 'TABLE_CORRUPT'],
  ['a chunk of negative size', metadataWith([chunk({ field_7: -1n })]), 'TABLE_CORRUPT'],
  ['a chunk of absurd size', metadataWith([chunk({ field_7: 2n ** 62n })]), 'TABLE_CORRUPT'],
  ['a chunk over the magic', metadataWith([chunk({ field_9: 0n })]), 'TABLE_CORRUPT'],
  ['a chunk with other than the group’s rows', metadataWith([chunk({ field_5: 11n })]), 'TABLE_CORRUPT'],
  ['a chunk of another type', metadataWith([chunk({ field_1: 2 })]), 'TABLE_CORRUPT'],
  ['a chunk without metadata', metadataWith([{ field_2: 4n }]), 'TABLE_CORRUPT'],
  ['too few columns', metadataWith([]), 'TABLE_CORRUPT'],
  ['too many columns', metadataWith([chunk(), chunk()]), 'TABLE_CORRUPT'],
  ['a row count that is not the groups’', metadataWith([chunk()], { field_3: 11n }), 'TABLE_CORRUPT'],
  [
    'children that are not there',
    metadataWith([chunk()], {
      field_2: [
        { field_4: 'r', field_5: 2 },
        { field_1: 1, field_4: 'a' },
      ],
    }),
    'TABLE_CORRUPT',
  ],
  [
    'more children than elements',
    metadataWith([chunk()], { field_2: [{ field_4: 'r', field_5: 2_000_000_000 }] }),
    'TABLE_CORRUPT',
  ],
  [
    'a column left over',
    metadataWith([chunk()], {
      field_2: [
        { field_4: 'r', field_5: 1 },
        { field_1: 1, field_4: 'a' },
        { field_1: 1, field_4: 'b' },
      ],
    }),
    'TABLE_CORRUPT',
  ],
  ['a schema that is no list', metadataWith([chunk()], { field_2: 7 }), 'TABLE_CORRUPT'],
  [
    'a very deep schema',
    metadataWith([chunk()], { field_2: Array.from({ length: 200 }, () => ({ field_4: 'g', field_5: 1 })) }),
    'TABLE_UNSUPPORTED',
  ],
  ['encrypted columns', metadataWith([chunk({}, { field_8: {} })]), 'TABLE_UNSUPPORTED'],
  ['an encryption algorithm', metadataWith([chunk()], { field_8: {} }), 'TABLE_UNSUPPORTED'],
  [
    'columns in other files',
    metadataWith([chunk({}, {})].map((column) => ({ field_1: 'other', ...column }))),
    'TABLE_UNSUPPORTED',
  ],
])('%s', async (_what, metadata, code) => {
  await expect(read(fileWith(metadata))).rejects.toMatchObject({ code })
})

test('the end of the file is checked', async () => {
  const end = (patch: (bytes: Uint8Array) => void): Uint8Array => {
    const copy = file.slice()
    patch(copy)
    return copy
  }
  const magic = (text: string) =>
    end((bytes) => bytes.set(new TextEncoder().encode(text), bytes.byteLength - 4))
  await expect(read(magic('PARE'))).rejects.toMatchObject({
    code: 'TABLE_UNSUPPORTED',
    details: { feature: 'Parquet encryption' },
  })
  await expect(read(magic('ORC1'))).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
  await expect(
    read(end((bytes) => bytes.fill(255, bytes.byteLength - 8, bytes.byteLength - 4))),
  ).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
  await expect(read(file.slice(0, file.byteLength - 1))).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
  for (const lengthBytes of [0, 4, 11]) {
    await expect(read(file.slice(-lengthBytes || file.byteLength, file.byteLength))).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
  }
})

test('any damage to a footer gives metadata or a typed error', async () => {
  let seed = 11
  const random = (max: number): number => (seed = (seed * 48_271) % 2_147_483_647) % max
  const start = footerStart(file)
  let refused = 0
  for (let round = 0; round < 3_000; round += 1) {
    const bytes = file.slice()
    for (let change = 0; change <= random(4); change += 1) {
      bytes[start + random(bytes.byteLength - 8 - start)] = random(256)
    }
    try {
      await read(bytes)
    } catch (error) {
      if (!isAppError(error)) throw error
      expect(['TABLE_CORRUPT', 'TABLE_UNSUPPORTED']).toContain(error.code)
      refused += 1
    }
  }
  expect(refused).toBeGreaterThan(500)
}, 60_000)
