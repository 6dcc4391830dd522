import avsc from 'avsc'
import { expect, test } from 'vitest'
import { isAppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import { decodeAvroHeader, decodeAvroRecords } from './avro-container.ts'
import type { AvroRecord } from './avro-decoder.ts'
import { container, encodeLong, longType, SYNC } from './test/avro-file.ts'
import type { Codec } from './test/avro-file.ts'

const signal = new AbortController().signal
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
  '[H33] reads blocks of codec %s as another library wrote them',
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
    else expect(isAppError(error, 'TABLE_CORRUPT'), `${length}`).toBe(true)
  }
  // After the header, and after the first block.
  expect(whole).toBe(2)
})

test.each<Codec>(['null', 'deflate', 'snappy', 'zstandard'])(
  '[H32] a changed byte never does more than a coded error (%s)',
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
      expect(isAppError(error, 'TABLE_CORRUPT') || isAppError(error, 'TABLE_UNSUPPORTED')).toBe(true)
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
])('[H32] %s is corrupt', async (_, bytes) => {
  const error = await errorOf(bytes)
  expect(error).toMatchObject({ code: 'TABLE_CORRUPT', message: expect.stringContaining('f.avro') as string })
})

test('an encrypted file is unsupported', async () => {
  expect(await errorOf(Buffer.from('AGS1 and cipher text'))).toMatchObject({
    code: 'TABLE_UNSUPPORTED',
    details: { feature: 'encryption' },
  })
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
