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
import { packBatches, unpackBatches } from './packed-batch.ts'

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
    const bytes = packBatches([rows, batch])!
    const [first, second, ...others] = unpackBatches(schema, bytes.slice())
    expect([first?.numRows, second?.numRows, others.length]).toEqual([rows.numRows, 4, 0])
    expect(texts(first!)).toEqual(texts(rows))
    expect(texts(second!)).toEqual(texts(batch))
  }
})

it('[RW5] rows whose bytes are fewer than were stored are none', () => {
  const bytes = packBatches([batch])!
  expect(() => unpackBatches(schema, bytes.slice(0, -64))).toThrow(RangeError)
  expect(() => unpackBatches(new Schema(schema.fields.slice(1)), bytes)).toThrow()
})

it('a batch with a dictionary is left where it is', () => {
  const column = vectorFromArray(['a', 'b', 'a'], new Dictionary(new Utf8(), new Int32()))
  expect(packBatches(tableFromArrays({ column: [1] }).batches)).not.toBeNull()
  const type = new Struct([new Field('d', column.type)])
  const dictionary = new RecordBatch(
    new Schema(type.children),
    makeData({ type, length: 3, nullCount: 0, children: [column.data[0]!] }),
  )
  expect(packBatches([dictionary])).toBeNull()
})
