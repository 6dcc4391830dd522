// Record batches as one run of bytes that tells where in it each buffer lies, and back: the same buffers under the types
// of a schema that is kept elsewhere. Written for the disk of this browser and this version of the page, for nothing else.
//
// Layout: byte count of the shapes (uint32), 4 unused bytes, the shapes as JSON, then the buffers at multiples of 8.
import { Data, RecordBatch, Struct, type DataType, type Schema } from 'apache-arrow'

type Buffer = ArrayBufferView<ArrayBuffer>

/** A buffer's kind of array (index in BUFFER_TYPES), first byte after the shapes, and bytes; null: there is none. */
type BufferPlace = readonly [type: number, start: number, byteCount: number] | null

/** Buffers in the order of Arrow's library: offsets, values, validity, type ids. */
type DataShape = readonly [
  offset: number,
  length: number,
  nullCount: number,
  buffers: readonly BufferPlace[],
  children: readonly DataShape[],
]

/** Their order is part of the format. */
const BUFFER_TYPES = [
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const

/** Any typed array may start at a multiple of it. */
const ALIGNMENT = 8
const HEADER_BYTES = 8

const aligned = (byteCount: number): number => Math.ceil(byteCount / ALIGNMENT) * ALIGNMENT

const bufferTypeOf = (buffer: Buffer): number => BUFFER_TYPES.findIndex((type) => buffer.constructor === type)

const buffersOf = (data: Data) => Array.from(data.buffers as unknown as (Buffer | undefined)[])

/** Dictionaries and views are shared between batches or lie in many buffers; the server sends neither. */
const isPlain = (data: Data): boolean =>
  data.dictionary === undefined &&
  data.variadicBuffers.length === 0 &&
  buffersOf(data).every((buffer) => buffer === undefined || bufferTypeOf(buffer) >= 0) &&
  data.children.every(isPlain)

/** Null where a batch cannot be taken apart: then all stay where they are. */
export function packBatches(batches: readonly RecordBatch[]): Uint8Array<ArrayBuffer> | null {
  if (!batches.every(({ data }) => isPlain(data))) return null
  const taken: { bytes: Uint8Array; start: number }[] = []
  let end = 0
  const place = (buffer: Buffer | undefined): BufferPlace => {
    if (buffer === undefined) return null
    const start = end
    taken.push({ bytes: new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength), start })
    end += aligned(buffer.byteLength)
    return [bufferTypeOf(buffer), start, buffer.byteLength]
  }
  const shapeOf = (data: Data): DataShape => [
    data.offset,
    data.length,
    data.nullCount,
    buffersOf(data).map(place),
    data.children.map(shapeOf),
  ]
  const shapes = new TextEncoder().encode(JSON.stringify(batches.map(({ data }) => shapeOf(data))))
  const base = HEADER_BYTES + aligned(shapes.byteLength)
  const bytes = new Uint8Array(base + end)
  new DataView(bytes.buffer).setUint32(0, shapes.byteLength)
  bytes.set(shapes, HEADER_BYTES)
  for (const part of taken) bytes.set(part.bytes, base + part.start)
  return bytes
}

function dataOf(
  [offset, length, nullCount, buffers, children]: DataShape,
  type: DataType,
  bytes: Uint8Array<ArrayBuffer>,
  base: number,
): Data {
  const arrays = buffers.map((place) => {
    if (place === null) return undefined
    const [kind, start, byteCount] = place
    const array = BUFFER_TYPES[kind] ?? Uint8Array
    return new array(bytes.buffer, bytes.byteOffset + base + start, byteCount / array.BYTES_PER_ELEMENT)
  })
  const fields = (type.children ?? []) as { type: DataType }[]
  const parts = children.map((child, index) => {
    const field = fields[index]
    if (field === undefined) throw new RangeError('stored rows are of another schema')
    return dataOf(child, field.type, bytes, base)
  })
  // The library types buffers by the type of values, which is not known here.
  return new Data(type, offset, length, nullCount, arrays as never, parts)
}

/** @throws RangeError or SyntaxError where the bytes are not those that were packed under this schema */
export function unpackBatches(schema: Schema, bytes: Uint8Array<ArrayBuffer>): RecordBatch[] {
  const shapesByteCount = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const shapesBytes = bytes.subarray(HEADER_BYTES, HEADER_BYTES + shapesByteCount)
  const shapes = JSON.parse(new TextDecoder().decode(shapesBytes)) as readonly DataShape[]
  const base = HEADER_BYTES + aligned(shapesByteCount)
  const type = new Struct(schema.fields)
  return shapes.map((shape) => new RecordBatch(schema, dataOf(shape, type, bytes, base) as never))
}
