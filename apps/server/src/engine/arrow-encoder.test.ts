// Every type of the engine through Arrow and back, by raw value where JavaScript's readers would round.
import { DuckDBInstance } from '@duckdb/node-api'
import { RecordBatchReader, tableFromIPC, Type, type Data, type Table } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { FIELD_TYPE_KEY } from '@lake/core/api/wire-keys.ts'
import { createChunkEncoder, ValueTooLargeError } from './arrow-encoder.ts'
import { END_OF_STREAM } from './arrow-messages.ts'

const instance = await DuckDBInstance.create(':memory:', { autoload_known_extensions: 'false' })
const connection = await instance.connect()
await connection.run("SET TimeZone = 'UTC'")

async function encode(sql: string, limits = { batchRowsMax: 16_384, batchBytesMax: 16_777_216 }) {
  const result = await connection.stream(sql)
  const columns = Array.from({ length: result.columnCount }, (_, index) => ({
    name: result.columnName(index),
    type: result.columnType(index),
  }))
  const encoder = createChunkEncoder(columns, limits)
  const batches = []
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) break
    batches.push(...encoder.add(chunk, chunk.rowCount))
  }
  const last = encoder.flush()
  if (last) batches.push(last)
  return { encoder, batches }
}

async function roundTrip(sql: string): Promise<Table> {
  const { encoder, batches } = await encode(sql)
  return tableFromIPC(
    Buffer.concat([encoder.schemaMessage, ...batches.map(({ bytes }) => bytes), END_OF_STREAM]),
  )
}

/** The raw values of the first column's first batch. */
async function raw(
  sql: string,
): Promise<{ values: ArrayLike<bigint | number>; data: Data; sqlType: string }> {
  const table = await roundTrip(sql)
  const data = table.getChildAt(0)!.data[0]!
  return { values: data.values, data, sqlType: table.schema.fields[0]!.metadata.get(FIELD_TYPE_KEY)! }
}

function decimals(values: ArrayLike<bigint | number>): bigint[] {
  const words = values as unknown as Uint32Array
  const wide = new BigUint64Array(words.buffer, words.byteOffset, words.length / 2)
  return Array.from({ length: wide.length / 2 }, (_, index) =>
    BigInt.asIntN(128, (wide[index * 2 + 1]! << 64n) | wide[index * 2]!),
  )
}

describe('types', () => {
  it.each([
    ['TINYINT', ['-128', '127'], [-128, 127]],
    ['SMALLINT', ['-32768', '32767'], [-32_768, 32_767]],
    ['INTEGER', ['-2147483648', '2147483647'], [-2_147_483_648, 2_147_483_647]],
    ['BIGINT', ['-9223372036854775808', '9223372036854775807'], [-(2n ** 63n), 2n ** 63n - 1n]],
    ['UTINYINT', ['0', '255'], [0, 255]],
    ['USMALLINT', ['0', '65535'], [0, 65_535]],
    ['UINTEGER', ['0', '4294967295'], [0, 4_294_967_295]],
    ['UBIGINT', ['0', '18446744073709551615'], [0n, 2n ** 64n - 1n]],
    ['FLOAT', ["'-inf'", "'inf'", "'nan'", '0.1'], [-Infinity, Infinity, Number.NaN, Math.fround(0.1)]],
    ['DOUBLE', ["'-inf'", '1.7976931348623157e308', '5e-324'], [-Infinity, Number.MAX_VALUE, 5e-324]],
    [
      'DATE',
      ["'1970-01-02'", "'-infinity'", "'infinity'", "'5877642-06-25 (BC)'"],
      [1, -2_147_483_647, 2_147_483_647, -2_147_483_646],
    ],
    ['TIME', ["'00:00:00'", "'23:59:59.999999'", "'24:00:00'"], [0n, 86_399_999_999n, 86_400_000_000n]],
    [
      'TIMESTAMP',
      ["'1969-12-31 23:59:59.999999'", "'9999-12-31 23:59:59.999999'", "'infinity'"],
      [-1n, 253_402_300_799_999_999n, 2n ** 63n - 1n],
    ],
    ['TIMESTAMP_S', ["'1969-12-31 23:59:59'"], [-1n]],
    ['TIMESTAMP_MS', ["'1970-01-01 00:00:00.001'"], [1n]],
    [
      'TIMESTAMP_NS',
      ["'1970-01-01 00:00:00.000000001'", "'2262-04-11 23:47:16.854775806'"],
      [1n, 9_223_372_036_854_775_806n],
    ],
    ['TIMESTAMP WITH TIME ZONE', ["'1970-01-01 01:00:00+01'", "'-infinity'"], [0n, -(2n ** 63n - 1n)]],
  ] as const)('%s keeps its extremes', async (type, inputs, expected) => {
    const list = inputs.map((input) => `(CAST(${input} AS ${type}))`).join(', ')
    const { values, sqlType } = await raw(`SELECT * FROM (VALUES ${list}) v(x)`)
    expect(sqlType).toBe(type)
    expect(Array.from(values).slice(0, expected.length)).toEqual(expected)
  })

  it.each([
    ['DECIMAL(4,2)', ['-99.99', '99.99', '0.01'], [-9_999n, 9_999n, 1n]],
    ['DECIMAL(9,3)', ['-999999.999', '0.001'], [-999_999_999n, 1n]],
    [
      'DECIMAL(18,0)',
      ['-999999999999999999', '999999999999999999', '4294967296'],
      [-(10n ** 18n - 1n), 10n ** 18n - 1n, 4_294_967_296n],
    ],
    [
      'DECIMAL(38,10)',
      ["'-9999999999999999999999999999.9999999999'", "'0.0000000001'"],
      [-(10n ** 38n - 1n), 1n],
    ],
    [
      'HUGEINT',
      ["'-170141183460469231731687303715884105728'", "'170141183460469231731687303715884105727'"],
      [-(2n ** 127n), 2n ** 127n - 1n],
    ],
  ] as const)('%s is exact in 128 bits', async (type, inputs, expected) => {
    const list = inputs.map((input) => `(CAST(${input} AS ${type}))`).join(', ')
    const { values, sqlType } = await raw(`SELECT * FROM (VALUES ${list}) v(x)`)
    expect(sqlType).toBe(type)
    expect(decimals(values)).toEqual(expected)
  })

  it.each([
    ['VARCHAR', "'é😀' || repeat('x', 40)", `é😀${'x'.repeat(40)}`],
    ['VARCHAR', "''", ''],
    ['VARCHAR', "'twelve bytes'", 'twelve bytes'],
    ['VARCHAR', "'a' || chr(0) || 'b'", 'a\0b'],
    ['UHUGEINT', "'340282366920938463463374607431768211455'", '340282366920938463463374607431768211455'],
    ['INTERVAL', "INTERVAL '1 year 2 days 3 microseconds'", '1 year 2 days 00:00:00.000003'],
    ['BIT', "'0101'", '0101'],
    ['TIME WITH TIME ZONE', "'12:34:56.789+05:30'", '12:34:56.789+05:30'],
    ["ENUM('a', 'bé')", "'bé'", 'bé'],
    ['JSON', `'{"a": 9007199254740993}'`, '{"a": 9007199254740993}'],
    [
      'BIGNUM',
      "'123456789012345678901234567890123456789012345'",
      '123456789012345678901234567890123456789012345',
    ],
  ])('%s travels as text: %s', async (type, input, expected) => {
    const table = await roundTrip(`SELECT CAST(${input} AS ${type}) x UNION ALL SELECT NULL`)
    expect([...table.getChildAt(0)!]).toEqual([expected, null])
    expect(table.schema.fields[0]!.metadata.get(FIELD_TYPE_KEY)).toBe(type)
  })

  it('UNION and an untyped NULL travel as text', async () => {
    const table = await roundTrip('SELECT union_value(num := 5) u, NULL n')
    expect(table.getChildAt(0)!.get(0)).toBe('5')
    expect(table.getChildAt(1)!.get(0)).toBe(null)
  })

  it('BOOLEAN packs bits across chunk borders', async () => {
    const table = await roundTrip(
      'SELECT CASE WHEN range % 7 = 0 THEN NULL ELSE range % 3 = 0 END x FROM range(5001)',
    )
    const expected = Array.from({ length: 5_001 }, (_, n) => (n % 7 === 0 ? null : n % 3 === 0))
    expect([...table.getChildAt(0)!]).toEqual(expected)
  })

  it('[TY2] GEOMETRY travels as its WKB under its own name', async () => {
    const table = await roundTrip(
      "SELECT st_geomfromwkb(from_hex('00000000013FF00000000000004000000000000000')) x UNION ALL SELECT NULL",
    )
    expect(table.schema.fields[0]?.metadata.get('lake.sql-type')).toBe('GEOMETRY')
    expect(Buffer.from(table.getChildAt(0)?.get(0) as Uint8Array).toString('hex')).toBe(
      '0101000000000000000000f03f0000000000000040',
    )
    expect(table.getChildAt(0)?.get(1)).toBeNull()
  })

  it('BLOB keeps every byte', async () => {
    const table = await roundTrip("SELECT '\\x00\\xFF'::BLOB || repeat('z', 20)::BLOB x")
    expect([...(table.getChildAt(0)!.get(0) as Uint8Array)]).toEqual([0, 255, ...Array<number>(20).fill(122)])
  })

  it('UUID is 16 bytes in order, and named as an extension', async () => {
    const table = await roundTrip(
      "SELECT * FROM (VALUES ('00010203-0405-0607-0809-0a0b0c0d0e0f'::UUID), ('ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID))",
    )
    const column = table.getChildAt(0)!
    expect([...(column.get(0) as Uint8Array)]).toEqual(Array.from({ length: 16 }, (_, n) => n))
    expect([...(column.get(1) as Uint8Array)]).toEqual(Array<number>(16).fill(255))
    expect(table.schema.fields[0]!.metadata.get('ARROW:extension:name')).toBe('arrow.uuid')
  })
})

/** Rows as JSON, with int64 as text. */
const json = (table: Table): unknown =>
  [...table].map((row) =>
    JSON.parse(
      JSON.stringify(row.toArray(), (_key, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    ),
  )

describe('nesting', () => {
  it('tells NULL, empty and NULL within at every level of lists', async () => {
    const table = await roundTrip(
      'SELECT * FROM (VALUES ([[1, NULL], [], NULL]), (NULL), ([]), ([[2]])) v(x)',
    )
    expect(json(table)).toEqual([[[[1, null], [], null]], [null], [[]], [[[2]]]])
  })

  it('keeps structs of lists of structs', async () => {
    const table = await roundTrip(
      "SELECT * FROM (VALUES ({'a': 1, 'b': [{'c': 'x'}, NULL, {'c': NULL}]}), (NULL), ({'a': NULL, 'b': NULL})) v(x)",
    )
    expect(json(table)).toEqual([
      [{ a: 1, b: [{ c: 'x' }, null, { c: null }] }],
      [null],
      [{ a: null, b: null }],
    ])
  })

  it('keeps maps and their NULL values', async () => {
    const table = await roundTrip("SELECT * FROM (VALUES (MAP {'k': 1, 'l': NULL}), (NULL), (MAP {})) v(x)")
    const values = [...table.getChildAt(0)!].map((value) => (value === null ? null : [...value]))
    expect(values).toEqual([
      [
        ['k', 1],
        ['l', null],
      ],
      null,
      [],
    ])
  })

  it('keeps fixed-size arrays, also below NULL', async () => {
    const table = await roundTrip(
      'SELECT * FROM (VALUES ([1, NULL, 3]::INT[3]), (NULL), ([4, 5, 6]::INT[3])) v(x)',
    )
    expect(json(table)).toEqual([[[1, null, 3]], [null], [[4, 5, 6]]])
  })

  it('keeps lists whose children do not stand in the order of the rows', async () => {
    const table = await roundTrip(
      'SELECT list(range ORDER BY range) x FROM range(10000) GROUP BY range % 7 ORDER BY range % 7',
    )
    const lists = [...table.getChildAt(0)!].map((list) => [...(list as Iterable<bigint>)].map(Number))
    expect(lists).toEqual(
      Array.from({ length: 7 }, (_, start) =>
        Array.from({ length: Math.ceil((10_000 - start) / 7) }, (_, n) => start + 7 * n),
      ),
    )
  })

  it('keeps strings that are shuffled, repeated, and far apart', async () => {
    const table = await roundTrip(
      "SELECT x FROM (SELECT 'value number ' || (hash(range) % 5000) AS x, hash(range * 31) AS h FROM range(20000)) ORDER BY h",
    )
    const reader = await connection.runAndReadAll(
      "SELECT x FROM (SELECT 'value number ' || (hash(range) % 5000) AS x, hash(range * 31) AS h FROM range(20000)) ORDER BY h",
    )
    expect([...table.getChildAt(0)!]).toEqual(reader.getRows().map(([value]) => value))
  })

  it('keeps repeated column names', async () => {
    const table = await roundTrip('SELECT 1 AS a, 2 AS a, 3 AS "a.b"')
    expect(table.schema.fields.map(({ name }) => name)).toEqual(['a', 'a', 'a.b'])
    expect(table.getChildAt(1)!.get(0)).toBe(2)
  })

  it('keeps columns of one name and different types', async () => {
    const { encoder, batches } = await encode("SELECT 1::BIGINT AS a, 2.5::DECIMAL(18,2) AS a, 'x' AS a")
    const stream = [encoder.schemaMessage, ...batches.map(({ bytes }) => bytes), END_OF_STREAM]
    const reader = RecordBatchReader.from(stream).open()
    expect(reader.schema.fields.map(({ type }) => String(type))).toEqual(['Int64', 'Decimal[18e+2]', 'Utf8'])
    const children = [...reader].flatMap((batch) => batch.data.children)
    expect(children.map((data) => data.typeId)).toEqual([Type.Int, Type.Decimal, Type.Utf8])
  })
})

describe('batches', () => {
  it('are bounded in rows and add up', async () => {
    const { batches } = await encode('SELECT range FROM range(10000)', {
      batchRowsMax: 3_000,
      batchBytesMax: 1e9,
    })
    expect(batches.map(({ rowCount }) => rowCount)).toEqual([3_000, 3_000, 3_000, 1_000])
  })

  it('are bounded in bytes: large rows are split within a chunk', async () => {
    const { batches } = await encode("SELECT repeat('x', 10000) FROM range(1000)", {
      batchRowsMax: 16_384,
      batchBytesMax: 100_000,
    })
    expect(Math.max(...batches.map(({ bytes }) => bytes.length))).toBeLessThan(101_000)
    expect(batches.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(1_000)
  })

  it('refuse one row that is larger than a batch', async () => {
    await expect(
      encode("SELECT [repeat('x', 10000)]", { batchRowsMax: 10, batchBytesMax: 5_000 }),
    ).rejects.toThrow(ValueTooLargeError)
  })

  it('leave nothing of other rows under a NULL', async () => {
    const { values } = await raw('SELECT CASE WHEN range % 2 = 0 THEN NULL ELSE 77 END x FROM range(10)')
    expect(Array.from(values)).toEqual([0, 77, 0, 77, 0, 77, 0, 77, 0, 77])
  })

  it('of an empty result are none, and the stream still reads', async () => {
    const table = await roundTrip('SELECT range FROM range(0)')
    expect(table.numRows).toBe(0)
    expect(table.numCols).toBe(1)
  })
})
