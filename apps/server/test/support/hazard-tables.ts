// Tables of hazard-tables.test.ts: what their metadata says is misleading, contradictory or broken.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeBound } from '@lake/core/iceberg/literal-bytes.ts'
import type { LiteralValue, PrimitiveType } from '@lake/core/iceberg/types.ts'
import { encodePuffin, encodeRoaring64, encodeVector } from '../../src/metadata/test/deletion-vector-file.ts'
import { POSITION_IDS } from './delete-table.ts'
import { optional, parquetFiles as parquet } from './generated-stack.ts'
import type { GeneratedFile, GeneratedSpec, GeneratedTable } from './generated-tables.ts'

const bound = (kind: string, value: LiteralValue): Uint8Array =>
  encodeBound({ kind } as unknown as PrimitiveType, value)
/** Bounds of the column 1, or of another. */
const between = (kind: string, lower: LiteralValue, upper: LiteralValue, id = 1) => ({
  lowerBounds: { [id]: bound(kind, lower) },
  upperBounds: { [id]: bound(kind, upper) },
})
const specOf = (transform: string, avroType: unknown, sourceIds = [1], specId = 0): GeneratedSpec => ({
  specId,
  fields: [{ sourceIds, fieldId: 1000 + specId, name: 'p', transform, avroType }],
})
/** A Puffin file with one vector for each list of positions, all for `f0.parquet`. */
function vectors(folder: string, ...lists: readonly (readonly number[])[]): GeneratedFile[] {
  const { bytes, places } = encodePuffin(lists.map((positions) => encodeVector(encodeRoaring64(positions))))
  writeFileSync(join(folder, 'v.puffin'), bytes)
  return lists.map((positions, index) => ({
    name: 'v.puffin',
    format: 'puffin',
    rowCount: positions.length,
    content: 'position-deletes',
    sequenceNumber: 2,
    referencedFile: 'f0.parquet',
    contentOffset: places[index]!.offset,
    contentSizeBytes: places[index]!.sizeBytes,
  }))
}

const ID = optional(1, 'id', 'long')
const FIVE_ROWS = ['SELECT i AS id FROM range(5) t(i) ORDER BY i', '{id: 1}'] as const
export const HAZARD_TABLES: readonly GeneratedTable[] = [
  {
    name: 'inverted_bounds',
    fields: [ID],
    write: parquet([...FIVE_ROWS, between('long', 4n, 0n)]),
  },
  {
    name: 'nan_bounds',
    fields: [optional(1, 'd', 'double')],
    write: parquet(
      [`SELECT unnest([1.0::DOUBLE, 'nan'::DOUBLE]) AS d`, '{d: 1}', between('double', 1, 1)],
      [
        `SELECT unnest([2.0::DOUBLE, 'nan'::DOUBLE]) AS d`,
        '{d: 1}',
        { ...between('double', 2, 2), nanValueCounts: { 1: 1 }, valueCounts: { 1: 2 } },
      ],
      [`SELECT 7.0::DOUBLE AS d`, '{d: 1}', between('double', Number.NaN, Number.NaN)],
      [`SELECT 3.0::DOUBLE AS d`, '{d: 1}', { ...between('double', 3, 3), nanValueCounts: { 1: 0 } }],
    ),
  },
  {
    name: 'zeros',
    fields: [optional(1, 'd', 'double')],
    write: parquet(
      [`SELECT '-0.0'::DOUBLE AS d`, '{d: 1}', between('double', -0, -0)],
      [`SELECT 0.0::DOUBLE AS d`, '{d: 1}', between('double', 0, 0)],
    ),
  },
  {
    name: 'truncated_text',
    fields: [optional(1, 's', 'string'), optional(2, 'n', 'long')],
    write: parquet(
      [
        `SELECT unnest(['abc', 'ayz']) AS s, unnest([5, 6])::BIGINT AS n`,
        '{s: 1, n: 2}',
        {
          lowerBounds: { 1: bound('string', 'a'), 2: bound('long', 0n) },
          upperBounds: { 1: bound('string', 'b'), 2: bound('long', 100n) },
        },
      ],
      // An upper bound that could not be incremented is left out.
      [
        `SELECT chr(1114111) || 'x' AS s, 7::BIGINT AS n`,
        '{s: 1, n: 2}',
        { lowerBounds: { 1: bound('string', '\u{10ffff}') } },
      ],
      // By UTF-16 units, the surrogates of the bounds would come before U+FFFF.
      [`SELECT '😀z' AS s, 8::BIGINT AS n`, '{s: 1, n: 2}', between('string', '😀', '😁')],
    ),
  },
  {
    name: 'promoted',
    fields: [ID, optional(2, 'ts', 'timestamp'), optional(3, 'd', 'double')],
    write: parquet([
      `SELECT -3::INTEGER AS id, DATE '1969-12-31' AS ts, 0.5::FLOAT AS d`,
      '{id: 1, ts: 2, d: 3}',
      {
        lowerBounds: { 1: bound('int', -3n), 2: bound('date', -1n), 3: bound('float', 0.5) },
        upperBounds: { 1: bound('int', -3n), 2: bound('date', -1n), 3: bound('float', 0.5) },
      },
    ]),
  },
  {
    // All rows of the first row groups are deleted, which only the rows themselves tell.
    name: 'deleted_beginning',
    fields: [ID],
    write: parquet(
      ['SELECT i AS id FROM range(10000) t(i) ORDER BY i', '{id: 1}'],
      [
        'SELECT i AS id FROM range(5000) t(i)',
        '{id: 1}',
        { content: 'equality-deletes', equalityIds: [1], sequenceNumber: 2 },
      ],
    ),
  },
  {
    // As many as no test could wait for: an hour and more, were they made.
    name: 'very_many',
    fields: [ID],
    write: parquet(
      [...FIVE_ROWS, { rowCount: 2_000_000_000_000 }],
      [...FIVE_ROWS, { rowCount: 1_000_000_000_001 }],
    ),
  },
  {
    name: 'very_many_less_two',
    fields: [ID],
    write: async (folder, duck) => [
      ...(await parquet([...FIVE_ROWS, { rowCount: 2_000_000_000_000 }])(folder, duck)),
      ...vectors(folder, [0, 4]),
    ],
  },
  {
    name: 'listed_twice',
    fields: [ID],
    write: async (folder, duck) => {
      const files = await parquet(FIVE_ROWS)(folder, duck)
      return [...files, ...files.map((file) => ({ ...file, sequenceNumber: 2 }))]
    },
  },
  {
    name: 'two_vectors',
    fields: [ID],
    write: async (folder, duck) => [
      ...(await parquet(FIVE_ROWS)(folder, duck)),
      ...vectors(folder, [0], [1]),
    ],
  },
  {
    name: 'vector_of_another_partition',
    fields: [ID, optional(2, 'day', 'int')],
    specs: [
      {
        specId: 0,
        fields: [{ sourceIds: [2], fieldId: 1000, name: 'day', transform: 'identity', avroType: 'int' }],
      },
    ],
    write: async (folder, duck) => [
      ...(await parquet(
        ['SELECT i AS id, 7 AS day FROM range(5) t(i)', '{id: 1, day: 2}', { partition: { day: 7 } }],
        ['SELECT i AS id, 8 AS day FROM range(2) t(i)', '{id: 1, day: 2}', { partition: { day: 8 } }],
      )(folder, duck)),
      ...vectors(folder, [0]).map((file) => ({ ...file, partition: { day: 8 } })),
    ],
  },
  {
    name: 'blob_of_another_kind',
    fields: [ID],
    write: async (folder, duck) => [
      ...(await parquet(FIVE_ROWS)(folder, duck)),
      ...vectors(folder, [0]).map((vector) => {
        // The bytes are those of a vector, and the file says that they are something else.
        const { bytes } = encodePuffin([encodeVector(encodeRoaring64([0]))], { type: 'some-statistics-v1' })
        writeFileSync(join(folder, vector.name), bytes)
        return vector
      }),
    ],
  },
  {
    name: 'upgraded',
    fields: [ID],
    write: async (folder, duck) => [
      ...(await parquet(FIVE_ROWS, [
        `SELECT '/generated/upgraded/f0.parquet' AS file_path, unnest([0, 1])::BIGINT AS pos`,
        `{${POSITION_IDS}}`,
        { content: 'position-deletes' },
      ])(folder, duck)),
      // A vector holds what was deleted before it too; row 1 is left out here to show which of the two counts.
      ...vectors(folder, [0, 4]),
    ],
  },
  {
    name: 'odd_transform',
    fields: [ID, optional(2, 'n', 'long')],
    specs: [specOf('zorder[8]', 'string', [1, 2])],
    write: parquet(
      ['SELECT 1::BIGINT AS id, 10::BIGINT AS n', '{id: 1, n: 2}', { partition: { p: 'a' } }],
      ['SELECT 1::BIGINT AS id, 20::BIGINT AS n', '{id: 1, n: 2}', { partition: { p: 'b' } }],
      [
        'SELECT 1::BIGINT AS id',
        '{id: 1}',
        { content: 'equality-deletes', equalityIds: [1], sequenceNumber: 2, partition: { p: 'a' } },
      ],
    ),
  },
  {
    name: 'void_everywhere',
    fields: [ID],
    specs: [specOf('identity', 'long'), specOf('void', 'long', [1], 1)],
    write: parquet(
      ['SELECT unnest([1, 2])::BIGINT AS id', '{id: 1}', { partition: { p: 1n } }],
      ['SELECT unnest([2, 3])::BIGINT AS id', '{id: 1}', { specId: 1 }],
      ['SELECT unnest([2, 4])::BIGINT AS id', '{id: 1}', { specId: 1, sequenceNumber: 2 }],
      [
        'SELECT 2::BIGINT AS id',
        '{id: 1}',
        { content: 'equality-deletes', equalityIds: [1], specId: 1, sequenceNumber: 2 },
      ],
      // Later, so that the third file has deletes that apply to it.
      [
        'SELECT 9::BIGINT AS id',
        '{id: 1}',
        { content: 'equality-deletes', equalityIds: [1], specId: 1, sequenceNumber: 3 },
      ],
    ),
  },
  {
    name: 'signed_zero_partitions',
    fields: [optional(1, 'd', 'double'), optional(2, 'id', 'long')],
    specs: [specOf('identity', 'double')],
    write: parquet(
      ...[-0, 0, Number.NaN].map((d, id) => {
        const sql = `SELECT ${id}::BIGINT AS id`
        return [sql, '{id: 2}', { partition: { p: d } }] as const
      }),
      // Each names the row of another partition too, which has deletes of its own.
      ...(
        [
          [-0, [0, 1, 2]],
          [Number.NaN, [0, 1]],
        ] as const
      ).map(([d, ids]) => {
        const changes = { content: 'equality-deletes', equalityIds: [2], sequenceNumber: 2 } as const
        const sql = `SELECT unnest([${ids.join()}])::BIGINT AS id`
        return [sql, '{id: 2}', { ...changes, partition: { p: d } }] as const
      }),
    ),
  },
  {
    name: 'wrapped_hours',
    fields: [optional(1, 'ts', 'timestamp')],
    specs: [specOf('hour', 'int')],
    write: parquet([
      `SELECT make_timestamp(9000000000000000000) AS ts`,
      '{ts: 1}',
      { partition: { p: Number(BigInt.asIntN(32, 2_500_000_000n)) } },
    ]),
  },
  {
    name: 'wrapped_truncation',
    fields: [optional(1, 'x', 'int')],
    specs: [specOf('truncate[10000]', 'int')],
    write: parquet(['SELECT (-2147483648)::INTEGER AS x', '{x: 1}', { partition: { p: 2_147_477_296 } }]),
  },
  {
    name: 'missing_data_file',
    fields: [ID],
    write: async (folder, duck) => [
      ...(await parquet(FIVE_ROWS)(folder, duck)),
      { name: 'gone.parquet', format: 'parquet', rowCount: 3 },
    ],
  },
  {
    name: 'missing_manifest_list',
    fields: [ID],
    metadata: {
      snapshots: [
        {
          'snapshot-id': 1,
          'sequence-number': 1,
          'timestamp-ms': 1,
          'manifest-list': '/generated/missing_manifest_list/metadata/gone.avro',
          summary: {},
        },
      ],
    },
    write: parquet(FIVE_ROWS),
  },
  {
    name: 'misleading',
    fields: [ID],
    properties: { 'write.parquet.compression-codec': 'nonsense', 'write.format.default': 'none' },
    summary: { 'total-records': '999', 'added-records': '-1' },
    metadata: {
      statistics: [{ 'snapshot-id': 1, 'statistics-path': '/generated/misleading/metadata/gone.stats' }],
      'partition-statistics': 'none',
    },
    write: parquet(FIVE_ROWS),
  },
  {
    name: 'reserved_names',
    fields: ['_file', '_pos', '_spec_id', '_partition', '_deleted'].map((name, index) =>
      optional(index + 1, name, 'long'),
    ),
    write: parquet([
      'SELECT 1::BIGINT AS a, 2::BIGINT AS b, 3::BIGINT AS c, 4::BIGINT AS d, 5::BIGINT AS e',
      '{a: 1, b: 2, c: 3, d: 4, e: 5}',
    ]),
  },
  {
    name: 'puffin_data',
    fields: [ID],
    write: async (folder, duck) => {
      const files = await parquet(FIVE_ROWS)(folder, duck)
      return [...files, { ...files[0]!, format: 'puffin', rowCount: 0 }]
    },
  },
  {
    name: 'nulls',
    fields: [optional(1, 'n', 'long'), optional(2, 'x', 'long')],
    write: parquet(
      [
        'SELECT unnest([5, NULL, 9])::BIGINT AS n, NULL::BIGINT AS x',
        '{n: 1, x: 2}',
        { ...between('long', 5n, 9n), valueCounts: { 1: 3, 2: 3 }, nullValueCounts: { 1: 1, 2: 3 } },
      ],
      [
        'SELECT unnest([5, NULL])::BIGINT AS n, NULL::BIGINT AS x',
        '{n: 1, x: 2}',
        { ...between('long', 5n, 5n), valueCounts: { 1: 2, 2: 2 }, nullValueCounts: { 1: 1, 2: 2 } },
      ],
      [
        `SELECT '/generated/nulls/f1.parquet' AS file_path, 0::BIGINT AS pos`,
        `{${POSITION_IDS}}`,
        {
          content: 'position-deletes',
          sequenceNumber: 2,
          valueCounts: { 1: 1, 2: 1 },
          nullValueCounts: { 1: 0, 2: 0 },
        },
      ],
    ),
  },
  {
    name: 'write_default',
    fields: [
      ID,
      optional(2, 'a', 'int', { 'write-default': 5 }),
      optional(3, 'b', 'int', { 'initial-default': 6, 'write-default': 7 }),
    ],
    write: parquet(
      ['SELECT 1::BIGINT AS id', '{id: 1}'],
      ['SELECT 2::BIGINT AS id, NULL::INTEGER AS a, NULL::INTEGER AS b', '{id: 1, a: 2, b: 3}'],
    ),
  },
  {
    name: 'maps',
    fields: [
      optional(1, 'm', {
        type: 'map',
        'key-id': 2,
        key: 'string',
        'value-id': 3,
        'value-required': false,
        value: 'string',
      }),
      optional(4, 'id', 'long'),
    ],
    write: parquet([
      `SELECT unnest([MAP {'key': 'value1'}, MAP {'key': 'value2'}, NULL]) AS m, unnest([1, 2, 3])::BIGINT AS id`,
      '{m: {__duckdb_field_id: 1, key: 2, value: 3}, id: 4}',
      {
        valueCounts: { 1: 3, 2: 2, 3: 2 },
        nullValueCounts: { 1: 3, 2: 0, 3: 0 },
        lowerBounds: { 2: bound('string', 'x'), 3: bound('string', 'x') },
        upperBounds: { 2: bound('string', 'y'), 3: bound('string', 'y') },
      },
    ]),
  },
]
