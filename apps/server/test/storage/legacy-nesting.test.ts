// Lists and maps in the shapes of older writers, read as the lists and maps that they are. Files have no field ids.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseNameMapping } from '@lake/core/iceberg/name-mapping.ts'
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeFooter, MAGIC } from '../../src/parquet/footer-writer.ts'
import { encodeMadeChunks, type MadeValue } from '../../src/parquet/made-chunk.ts'
import type { PhysicalType, Repetition } from '../../src/parquet/parquet-metadata.ts'
import type { ProjectedNode } from '../../src/parquet/projection.ts'
import { openDuck } from './duck.ts'
import { excerptOf, excerptRows, field, schemaOf } from './excerpt.ts'

const directory = mkdtempSync(join(tmpdir(), 'legacy-'))
let duck: Awaited<ReturnType<typeof openDuck>>
let next = 0
beforeAll(async () => {
  duck = await openDuck()
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

type Build = (leaves: { count: number }) => ProjectedNode

const leaf =
  (
    repetition: Repetition,
    name: string,
    physicalType: PhysicalType = 'INT32',
    kind: 'none' | 'string' = 'none',
  ): Build =>
  (leaves) => {
    leaves.count += 1
    const place = { index: leaves.count - 1, physicalType, lengthBytes: undefined }
    return { name, repetition, annotation: { kind }, leaf: place, children: [] }
  }
const group =
  (repetition: Repetition, name: string, kind: 'none' | 'list' | 'map', ...children: Build[]): Build =>
  (leaves) => ({
    name,
    repetition,
    annotation: { kind },
    leaf: undefined,
    children: children.map((build) => build(leaves)),
  })

function write(build: Build, rows: readonly MadeValue[]): string {
  const node = build({ count: 0 })
  let offset = MAGIC.byteLength
  const chunks = encodeMadeChunks(node, rows).map((source) => {
    const placed = { source, offset }
    offset += source.range.end
    return placed
  })
  const bytes = chunks.map(({ source }) => source.bytes ?? new Uint8Array())
  next += 1
  const path = join(directory, `${next}.parquet`)
  writeFileSync(
    path,
    Buffer.concat([MAGIC, ...bytes, encodeFooter([node], [{ rowCount: rows.length, chunks }])]),
  )
  return path
}

const INT: IcebergType = { kind: 'int' }
const list = (element: IcebergType): IcebergType => ({
  kind: 'list',
  elementId: 2,
  element,
  isElementRequired: false,
})
const X: IcebergType = { kind: 'struct', fields: [field(3, 'x', 'int')] }
const XY: IcebergType = { kind: 'struct', fields: [field(3, 'x', 'int'), field(4, 'y', 'int')] }
const MAP: IcebergType = { kind: 'map', keyId: 2, key: INT, valueId: 3, value: INT, isValueRequired: false }

const ELEMENT = [
  {
    'field-id': 2,
    names: ['element'],
    fields: [
      { 'field-id': 3, names: ['x'] },
      { 'field-id': 4, names: ['y'] },
    ],
  },
]
const ENTRY = [
  { 'field-id': 2, names: ['key'] },
  { 'field-id': 3, names: ['value'] },
]
/** A repeated column is the element itself, so its fields stand right under it in a mapping by names. */
const OWN = [
  { 'field-id': 3, names: ['x'] },
  { 'field-id': 4, names: ['y'] },
]

async function read(
  build: Build,
  rows: readonly MadeValue[],
  type: IcebergType,
  sqlType: string,
  nested: unknown,
) {
  const nameMapping = parseNameMapping(JSON.stringify([{ 'field-id': 1, names: ['f'], fields: nested }]))
  const outcome = await excerptOf(write(build, rows), schemaOf(field(1, 'f', type)), directory, {
    nameMapping,
  })
  return (await excerptRows(duck, outcome, sqlType)).map((row) => (row as unknown[])[0])
}

describe('[TY3] [H74] lists', () => {
  const ints: MadeValue[] = [[[1, 2]], null, [[]]]
  test.each<[string, Build, MadeValue[], IcebergType, string, unknown[]]>([
    [
      'a repeated value',
      group('optional', 'f', 'list', leaf('repeated', 'array')),
      ints,
      list(INT),
      'INTEGER[]',
      [[1, 2], null, []],
    ],
    [
      'bag of array_element',
      group('optional', 'f', 'list', group('repeated', 'bag', 'none', leaf('optional', 'array_element'))),
      [[[[1], [null]]], null, [[]]],
      list(INT),
      'INTEGER[]',
      [[1, null], null, []],
    ],
    [
      'list of required item',
      group('optional', 'f', 'list', group('repeated', 'list', 'none', leaf('required', 'item'))),
      [[[[1], [2]]], null, [[]]],
      list(INT),
      'INTEGER[]',
      [[1, 2], null, []],
    ],
    [
      'a repeated group of two fields',
      group(
        'optional',
        'f',
        'list',
        group('repeated', 'element', 'none', leaf('optional', 'x'), leaf('optional', 'y')),
      ),
      [
        [
          [
            [1, 2],
            [null, null],
          ],
        ],
        null,
        [[]],
      ],
      list(XY),
      'STRUCT(x INTEGER, y INTEGER)[]',
      [
        [
          { x: 1, y: 2 },
          { x: null, y: null },
        ],
        null,
        [],
      ],
    ],
    [
      'a repeated group named array of one field',
      group('optional', 'f', 'list', group('repeated', 'array', 'none', leaf('optional', 'x'))),
      [[[[1], [null]]], null],
      list(X),
      'STRUCT(x INTEGER)[]',
      [[{ x: 1 }, { x: null }], null],
    ],
    [
      'a repeated group named as a tuple of the list',
      group('optional', 'f', 'list', group('repeated', 'f_tuple', 'none', leaf('required', 'x'))),
      [[[[1], [2]]], [[]]],
      list(X),
      'STRUCT(x INTEGER)[]',
      [[{ x: 1 }, { x: 2 }], []],
    ],
    [
      'lists of lists in two levels',
      group('optional', 'f', 'list', group('repeated', 'array', 'list', leaf('repeated', 'array'))),
      [[[[[1, 2]], [[]]]], null, [[]]],
      list({ kind: 'list', elementId: 5, element: INT, isElementRequired: false }),
      'INTEGER[][]',
      [[[1, 2], []], null, []],
    ],
    [
      'a repeated column without annotation',
      leaf('repeated', 'f'),
      [[1, 2], []],
      list(INT),
      'INTEGER[]',
      [[1, 2], []],
    ],
  ])('%s', async (_name, build, rows, type, sqlType, expected) => {
    expect(await read(build, rows, type, sqlType, ELEMENT)).toEqual(expected)
  })

  test('a repeated group without annotation', async () => {
    const build = group('repeated', 'f', 'none', leaf('optional', 'x'), leaf('required', 'y'))
    const rows: MadeValue[] = [
      [
        [1, 2],
        [null, 3],
      ],
      [],
    ]
    expect(await read(build, rows, list(XY), 'STRUCT(x INTEGER, y INTEGER)[]', OWN)).toEqual([
      [
        { x: 1, y: 2 },
        { x: null, y: 3 },
      ],
      [],
    ])
  })

  test('a struct is no list', async () => {
    const build = group('optional', 'f', 'none', leaf('optional', 'x'))
    await expect(read(build, [[1]], list(INT), 'INTEGER[]', ELEMENT)).rejects.toMatchObject({
      code: 'TABLE_UNSUPPORTED',
    })
  })
})

describe('[TY3] [H74] maps', () => {
  test.each(['map', 'key_value', 'entries'])('whose repeated group is named %s', async (name) => {
    const build = group(
      'optional',
      'f',
      'map',
      group('repeated', name, 'none', leaf('required', 'key'), leaf('optional', 'value')),
    )
    const rows: MadeValue[] = [
      [
        [
          [1, 2],
          [3, null],
        ],
      ],
      null,
      [[]],
    ]
    expect(await read(build, rows, MAP, 'MAP(INTEGER, INTEGER)', ENTRY)).toEqual([
      [
        { key: 1, value: 2 },
        { key: 3, value: null },
      ],
      null,
      [],
    ])
  })
})
