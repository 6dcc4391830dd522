// Rows that go to the disk and come back are the same rows, whatever their types.
import {
  Bool,
  Decimal,
  Dictionary,
  Field,
  Int32,
  Int64,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  tableFromArrays,
  Utf8,
  vectorFromArray,
  type Vector,
} from 'apache-arrow'
import { expect, it } from 'vitest'
import { cellText } from '@lake/core/values/cell-text.ts'
import { packBatch, unpackBatch } from './packed-batch.ts'

const vectors: Vector[] = [
  vectorFromArray([1, null, 3, -4], new Int32()),
  vectorFromArray(['a', '', null, '😀'], new Utf8()),
  vectorFromArray([true, null, false, true], new Bool()),
  vectorFromArray([1n, 2n, null, -(2n ** 62n)], new Int64()),
  vectorFromArray([[1, null], null, [], [2]], new List(new Field('item', new Int32()))),
  vectorFromArray(
    [{ x: 1, y: 'q' }, null, { x: null, y: '' }, { x: 3, y: null }],
    new Struct([new Field('x', new Int32()), new Field('y', new Utf8())]),
  ),
  vectorFromArray(
    [new Uint32Array([1, 0, 0, 0]), null, new Uint32Array([2, 3, 4, 5]), null],
    new Decimal(6, 38, 128),
  ),
]
// Two columns of one name: nothing here goes by names.
const schema = new Schema(vectors.map(({ type }) => new Field('same', type)))
const children = vectors.map(({ data }) => data[0]!)
const batch = new RecordBatch(
  schema,
  makeData({ type: new Struct(schema.fields), length: 4, nullCount: 0, children }),
)

const texts = ({ data, numRows }: RecordBatch) =>
  data.children.map((column) =>
    Array.from({ length: numRows }, (_, row) => cellText(column, row, { sqlType: '' })),
  )

it('[RW5] packed rows come back as they were, in slices too', () => {
  for (const rows of [batch, batch.slice(1, 4)]) {
    const { shape, bytes } = packBatch(rows)!
    const back = unpackBatch(shape, bytes.slice())
    expect(back.numRows).toBe(rows.numRows)
    expect(texts(back)).toEqual(texts(rows))
  }
})

it('[RW5] rows whose bytes are fewer than were stored are none', () => {
  const { shape, bytes } = packBatch(batch)!
  expect(() => unpackBatch(shape, bytes.slice(8))).toThrow(RangeError)
})

it('a batch with a dictionary is left where it is', () => {
  const column = vectorFromArray(['a', 'b', 'a'], new Dictionary(new Utf8(), new Int32()))
  expect(packBatch(tableFromArrays({ column: [1] }).batches[0]!)).not.toBeNull()
  const type = new Struct([new Field('d', column.type)])
  const dictionary = new RecordBatch(
    new Schema(type.children),
    makeData({ type, length: 3, nullCount: 0, children: [column.data[0]!] }),
  )
  expect(packBatch(dictionary)).toBeNull()
})
