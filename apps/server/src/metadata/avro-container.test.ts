import avsc from 'avsc'
import { expect, test } from 'vitest'
import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib'
import { isAppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import { decompressSnappy } from './avro-codecs.ts'
import { decodeAvroHeader, decodeAvroRecords } from './avro-container.ts'
import type { AvroRecord } from './avro-decoder.ts'

const signal = new AbortController().signal
const SYNC = Buffer.from('0123456789abcdef')

type Codec = 'null' | 'deflate' | 'zstandard' | 'snappy'

const longType = avsc.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.alloc(8)
    buffer.writeBigInt64LE(BigInt(value))
    return buffer
  },
  fromJSON: (value: unknown) => BigInt(value as number),
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint' || Number.isSafeInteger(value),
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
})

function encodeLong(value: number): Buffer {
  return avsc.Type.forSchema('long').toBuffer(value)
}

/** Snappy of literals alone: valid, though it compresses nothing. */
function snappyLiterals(data: Uint8Array): Buffer {
  const parts: Buffer[] = []
  let length = data.length
  const varint: number[] = []
  while (length >= 128) {
    varint.push((length % 128) + 128)
    length = Math.floor(length / 128)
  }
  parts.push(Buffer.from([...varint, length]))
  for (let start = 0; start < data.length; start += 256) {
    const piece = data.subarray(start, start + 256)
    parts.push(Buffer.from([60 << 2, piece.length - 1]), Buffer.from(piece))
  }
  return Buffer.concat(parts)
}

function compress(codec: Codec, data: Buffer): Buffer {
  if (codec === 'deflate') return deflateRawSync(data)
  if (codec === 'zstandard') return zstdCompressSync(data)
  if (codec === 'null') return data
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(data))
  return Buffer.concat([snappyLiterals(data), checksum])
}

interface ContainerOptions {
  readonly codec?: Codec | 'lzo'
  readonly blocks?: readonly { readonly count: number; readonly data: Buffer }[]
}

function container(schema: unknown, { codec = 'null', blocks = [] }: ContainerOptions): Buffer {
  const text = (value: string): Buffer => avsc.Type.forSchema('string').toBuffer(value)
  return Buffer.concat([
    Buffer.from('Obj\u0001'),
    encodeLong(2),
    text('avro.schema'),
    text(JSON.stringify(schema)),
    text('avro.codec'),
    text(codec),
    encodeLong(0),
    SYNC,
    ...blocks.flatMap(({ count, data }) => {
      const compressed = compress(codec as Codec, data)
      return [encodeLong(count), encodeLong(compressed.length), compressed, SYNC]
    }),
  ])
}

async function decode(bytes: Uint8Array, stop: AbortSignal = signal): Promise<AvroRecord[]> {
  const records: AvroRecord[] = []
  const header = decodeAvroHeader(bytes, 'f.avro')
  await decodeAvroRecords({ bytes, path: 'f.avro', header }, (record) => records.push(record), stop)
  return records
}

const SCHEMA = {
  type: 'record',
  name: 'r',
  namespace: 'n.s',
  fields: [
    { name: 'id', type: 'long', 'field-id': 7 },
    { name: 'flag', type: 'boolean' },
    { name: 'small', type: 'int' },
    { name: 'f', type: 'float' },
    { name: 'd', type: 'double' },
    { name: 'text', type: ['null', 'string'] },
    { name: 'raw', type: 'bytes' },
    { name: 'fix', type: { type: 'fixed', name: 'four', size: 4 } },
    { name: 'again', type: ['null', 'four'] },
    { name: 'color', type: { type: 'enum', name: 'color', symbols: ['RED', 'BLUE'] } },
    { name: 'list', type: { type: 'array', items: 'long' } },
    { name: 'map', type: { type: 'map', values: 'int' } },
    {
      name: 'pairs',
      type: {
        type: 'array',
        logicalType: 'map',
        items: {
          type: 'record',
          name: 'k1_v2',
          fields: [
            { name: 'key', type: 'int', 'field-id': 1 },
            { name: 'value', type: 'bytes', 'field-id': 2 },
          ],
        },
      },
    },
  ],
}
const type = avsc.Type.forSchema(SCHEMA as avsc.Schema, {
  registry: { long: longType },
  wrapUnions: false,
  noAnonymousTypes: false,
})

const LONGS = [
  0n,
  -1n,
  63n,
  64n,
  -64n,
  -65n,
  2n ** 31n,
  2n ** 48n,
  -(2n ** 48n),
  2n ** 49n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 62n,
  -(2n ** 63n),
  2n ** 63n - 1n,
]
const asDecoded = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

function sample(index: number) {
  const long = LONGS[index % LONGS.length]!
  return {
    id: long,
    flag: index % 2 === 0,
    small: index * 1000 - 3000,
    f: index / 4,
    d: -index / 3,
    text: index % 3 === 0 ? null : 'é😀'.repeat(index),
    raw: Buffer.from([index, 255]),
    fix: Buffer.from([1, 2, 3, index]),
    again: index % 2 === 0 ? null : Buffer.from([9, 9, 9, 9]),
    color: index % 2 === 0 ? 'RED' : 'BLUE',
    list: LONGS.slice(0, index % 5),
    map: index % 2 === 0 ? {} : { a: 1, b: -2 },
    pairs: Array.from({ length: index % 3 }, (_, key) => ({ key, value: Buffer.from([key]) })),
  }
}

function expected(index: number) {
  const { id, flag, small, f, d, text, raw, fix, again, color, list, map, pairs } = sample(index)
  return {
    'id:7': asDecoded(id),
    'name:flag': flag,
    'name:small': small,
    'name:f': f,
    'name:d': d,
    'name:text': text,
    'name:raw': new Uint8Array(raw),
    'name:fix': new Uint8Array(fix),
    'name:again': again && new Uint8Array(again),
    'name:color': color,
    'name:list': list.map(asDecoded),
    'name:map': new Map(Object.entries(map)),
    'name:pairs': new Map(pairs.map(({ key, value }) => [key, new Uint8Array(value)])),
  }
}

const block = (indexes: readonly number[]) => ({
  count: indexes.length,
  data: Buffer.concat(indexes.map((index) => type.toBuffer(sample(index)))),
})
const indexes = Array.from({ length: 30 }, (_, index) => index)

test.each<Codec>(['null', 'deflate', 'snappy', 'zstandard'])(
  'reads blocks of codec %s as another library wrote them',
  async (codec) => {
    const file = container(SCHEMA, {
      codec,
      blocks: [block(indexes.slice(0, 10)), block([]), block(indexes.slice(10))],
    })
    expect(await decode(file)).toEqual(indexes.map(expected))
  },
)

test('reads array blocks that announce their size', async () => {
  const schema = {
    type: 'record',
    name: 'r',
    fields: [{ name: 'a', type: { type: 'array', items: 'long' } }],
  }
  const data = Buffer.concat([
    encodeLong(-2),
    encodeLong(2),
    encodeLong(5),
    encodeLong(6),
    encodeLong(1),
    encodeLong(7),
    encodeLong(0),
  ])
  expect(await decode(container(schema, { blocks: [{ count: 1, data }] }))).toEqual([{ 'name:a': [5, 6, 7] }])
})

test('field names of the language are harmless', async () => {
  const schema = {
    type: 'record',
    name: 'r',
    fields: [
      { name: '__proto__', type: 'int' },
      { name: 'constructor', type: 'int' },
    ],
  }
  const [record] = await decode(container(schema, { blocks: [{ count: 1, data: Buffer.from([2, 4]) }] }))
  expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
  expect(Object.entries(record!)).toEqual([
    ['name:__proto__', 1],
    ['name:constructor', 2],
  ])
})

const errorOf = async (bytes: Uint8Array): Promise<unknown> => {
  try {
    await decode(bytes)
    return undefined
  } catch (error) {
    return error
  }
}

test('a file cut anywhere is corrupt or ends at a block', async () => {
  const file = container(SCHEMA, { codec: 'deflate', blocks: [block([1, 2]), block([3])] })
  let whole = 0
  for (let length = 0; length < file.length; length += 1) {
    const error = await errorOf(file.subarray(0, length))
    if (error === undefined) whole += 1
    else expect(isAppError(error, 'TABLE_CORRUPT'), `${length}: ${String(error)}`).toBe(true)
  }
  // After the header, and after the first block.
  expect(whole).toBe(2)
})

test.each<Codec>(['null', 'deflate', 'snappy', 'zstandard'])(
  'a changed byte never does more than a coded error (%s)',
  async (codec) => {
    const file = container(SCHEMA, { codec, blocks: [block(indexes)] })
    let state = 7
    let corrupt = 0
    for (let round = 0; round < 400; round += 1) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      const damaged = Buffer.from(file)
      damaged[(state >>> 4) % file.length]! ^= 1 << (state % 8)
      const error = await errorOf(damaged)
      if (error === undefined) continue
      corrupt += 1
      expect(
        isAppError(error, 'TABLE_CORRUPT') || isAppError(error, 'TABLE_UNSUPPORTED'),
        String(error),
      ).toBe(true)
    }
    expect(corrupt).toBeGreaterThan(50)
  },
)

const record = (...fields: readonly unknown[]) => ({ type: 'record', name: 'r', fields })
const bomb = (depth: number): unknown => {
  let inner: unknown = 'null'
  for (let level = 0; level < depth; level += 1) {
    inner = {
      type: 'record',
      name: `r${level}`,
      fields: [
        { name: 'a', type: inner },
        { name: 'b', type: level === 0 ? 'null' : `r${level - 1}` },
      ],
    }
  }
  return inner
}
const deep = (depth: number): unknown => {
  let inner: unknown = 'int'
  for (let level = 0; level < depth; level += 1) inner = { type: 'array', items: inner }
  return record({ name: 'a', type: inner })
}

test.each<[string, Uint8Array]>([
  ['nothing', Buffer.alloc(0)],
  ['another format', Buffer.from('PAR1 and more')],
  ['a schema that is not JSON', Buffer.from('Obj\u0001\u0000' + 'x'.repeat(16))],
  ['a schema that is no record', container('int', {})],
  ['a schema of an unknown type', container(record({ name: 'a', type: 'widget' }), {})],
  ['a record that holds itself', container(record({ name: 'a', type: 'r' }), {})],
  ['a schema of huge expansion', container(bomb(40), {})],
  ['a schema of deep nesting', container(deep(1_000), {})],
  ['a field without a name', container(record({ type: 'int' }), {})],
  ['a null field', container(record(null), {})],
  ['an empty union', container(record({ name: 'a', type: [] }), {})],
  ['a huge fixed', container(record({ name: 'a', type: { type: 'fixed', name: 'f', size: 2 ** 40 } }), {})],
  [
    'more records than bytes',
    container(record({ name: 'a', type: 'int' }), { blocks: [{ count: 1_000_000, data: Buffer.from([2]) }] }),
  ],
  [
    'endless records of no bytes',
    container(record({ name: 'a', type: 'null' }), { blocks: [{ count: 2 ** 40, data: Buffer.alloc(0) }] }),
  ],
  [
    'endless items of no bytes',
    container(record({ name: 'a', type: { type: 'array', items: 'null' } }), {
      blocks: [{ count: 1, data: Buffer.concat([encodeLong(2 ** 40), encodeLong(0)]) }],
    }),
  ],
  [
    'a text longer than the block',
    container(record({ name: 'a', type: 'string' }), { blocks: [{ count: 1, data: encodeLong(2 ** 40) }] }),
  ],
  [
    'a negative length',
    container(record({ name: 'a', type: 'bytes' }), { blocks: [{ count: 1, data: encodeLong(-5) }] }),
  ],
  [
    'a union branch that does not exist',
    container(record({ name: 'a', type: ['null', 'int'] }), { blocks: [{ count: 1, data: encodeLong(9) }] }),
  ],
  [
    'an integer of 11 bytes',
    container(record({ name: 'a', type: 'long' }), { blocks: [{ count: 1, data: Buffer.alloc(11, 0xff) }] }),
  ],
  [
    'text that is not UTF-8',
    container(record({ name: 'a', type: 'string' }), {
      blocks: [{ count: 1, data: Buffer.from([2, 0xff]) }],
    }),
  ],
  [
    'bytes after the last record',
    container(record({ name: 'a', type: 'int' }), { blocks: [{ count: 1, data: Buffer.from([2, 2]) }] }),
  ],
])('%s is corrupt', async (_, bytes) => {
  const error = await errorOf(bytes)
  expect(isAppError(error, 'TABLE_CORRUPT'), String(error)).toBe(true)
  expect((error as Error).message).toContain('f.avro')
})

test('an unknown codec is unsupported', async () => {
  const file = container(record({ name: 'a', type: 'int' }), { codec: 'lzo', blocks: [] })
  expect(await errorOf(file)).toBeUndefined()
  const block = Buffer.concat([file, encodeLong(1), encodeLong(1), Buffer.from([2]), SYNC])
  expect(await errorOf(block)).toMatchObject({ code: 'TABLE_UNSUPPORTED' })
})

test.each(['deflate', 'zstandard'] as const)(
  'a block that swells beyond the limit is corrupt (%s)',
  async (codec) => {
    const data = Buffer.alloc(LIMITS.avroBlockBytesMax + 1)
    const file = container(record({ name: 'a', type: 'bytes' }), { codec, blocks: [{ count: 1, data }] })
    expect(await errorOf(file)).toMatchObject({ code: 'TABLE_CORRUPT' })
  },
)

test('decoding lets other work run, and stops when told', async () => {
  const row = Buffer.concat(Array.from({ length: 200 }, () => encodeLong(2 ** 40)))
  const schema = record({ name: 'a', type: { type: 'array', items: 'long' } })
  const one = Buffer.concat([encodeLong(200), row, encodeLong(0)])
  const file = container(schema, {
    blocks: [{ count: 5_000, data: Buffer.concat(Array.from({ length: 5_000 }, () => one)) }],
  })
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  const records = await decode(file)
  clearInterval(timer)
  expect(records).toHaveLength(5_000)
  expect(turns).toBeGreaterThan(1)

  const controller = new AbortController()
  setTimeout(() => {
    controller.abort()
  }, 1)
  await expect(decode(file, controller.signal)).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('snappy copies may overlap what they write', () => {
  // "ab", then 6 bytes from 2 back; then 4 bytes from 1 back by each other form of a copy.
  const input = Uint8Array.of(
    16,
    1 << 2,
    97,
    98,
    ((6 - 4) << 2) | 1,
    2,
    (3 << 2) | 2,
    1,
    0,
    (3 << 2) | 3,
    1,
    0,
    0,
    0,
  )
  expect(Buffer.from(decompressSnappy(input, 100)).toString()).toBe('abababab' + 'bbbb' + 'bbbb')
})

test.each([
  [Uint8Array.of(4, 0, 97)],
  [Uint8Array.of(1, 1, 5)],
  [Uint8Array.of(1, (1 << 2) | 2, 0, 0)],
  [Uint8Array.of(255, 255, 255, 255, 15)],
  [Uint8Array.of(0, 0, 97)],
  [Uint8Array.of()],
])('malformed snappy %j is refused', (input) => {
  expect(() => decompressSnappy(input, 1_000_000)).toThrow(RangeError)
})
