// A record batch as one run of bytes and a small description of what lies where in it, and back: the same buffers under
// the same types, without a schema. Written for the disk of this browser and this version of the page, and for nothing else.
import { Data, RecordBatch, type DataType, type Schema } from 'apache-arrow'

type Buffer = ArrayBufferView<ArrayBuffer>
interface BufferType {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: ArrayBuffer, byteOffset: number, length: number): Buffer
}

interface BufferPlace {
  readonly type: BufferType
  readonly start: number
  readonly byteCount: number
}

interface DataShape {
  readonly type: DataType
  readonly offset: number
  readonly length: number
  readonly nullCount: number
  /** Offsets, values, validity, type ids: as Arrow's library has them. */
  readonly buffers: readonly (BufferPlace | undefined)[]
  readonly children: readonly DataShape[]
}

export interface BatchShape {
  readonly schema: Schema
  readonly data: DataShape
  readonly byteCount: number
}

export interface PackedBatch {
  shape: BatchShape
  bytes: Uint8Array<ArrayBuffer>
}

/** Any typed array may start at a multiple of it. */
const ALIGNMENT = 8

/** Dictionaries and views are shared between batches or lie in many buffers; the server sends neither. */
const isPlain = (data: Data): boolean =>
  data.dictionary === undefined && data.variadicBuffers.length === 0 && data.children.every(isPlain)

/** Null for a batch that cannot be taken apart; it stays where it is. */
export function packBatch(batch: RecordBatch): PackedBatch | null {
  if (!isPlain(batch.data)) return null
  const taken: { bytes: Uint8Array; start: number }[] = []
  let end = 0
  const place = (buffer: Buffer | undefined): BufferPlace | undefined => {
    if (buffer === undefined) return undefined
    const start = end
    taken.push({ bytes: new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength), start })
    end += Math.ceil(buffer.byteLength / ALIGNMENT) * ALIGNMENT
    return { type: buffer.constructor as BufferType, start, byteCount: buffer.byteLength }
  }
  const shapeOf = (data: Data): DataShape => ({
    type: data.type,
    offset: data.offset,
    length: data.length,
    nullCount: data.nullCount,
    buffers: (data.buffers as unknown as (Buffer | undefined)[]).map(place),
    children: data.children.map(shapeOf),
  })
  const data = shapeOf(batch.data)
  const bytes = new Uint8Array(end)
  for (const part of taken) bytes.set(part.bytes, part.start)
  return { shape: { schema: batch.schema, data, byteCount: end }, bytes }
}

/** @throws RangeError where the bytes are fewer than were packed */
export function unpackBatch(
  { schema, data, byteCount }: BatchShape,
  bytes: Uint8Array<ArrayBuffer>,
): RecordBatch {
  if (bytes.byteLength !== byteCount) throw new RangeError('stored rows are cut')
  const dataOf = (shape: DataShape): Data => {
    const buffers = shape.buffers.map(
      (place) =>
        place &&
        new place.type(
          bytes.buffer,
          bytes.byteOffset + place.start,
          place.byteCount / place.type.BYTES_PER_ELEMENT,
        ),
    )
    const children = shape.children.map(dataOf)
    // The library types buffers by the type of values, which is not known here.
    return new Data(shape.type, shape.offset, shape.length, shape.nullCount, buffers as never, children)
  }
  return new RecordBatch(schema, dataOf(data) as never)
}
