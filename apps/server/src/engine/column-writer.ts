// Builds Arrow columns from DuckDB vectors, one writer per column and nesting level. Runs in the child process only.
// Raw values are copied as they are, never converted through JavaScript values, so that extremes and infinities arrive
// unchanged. Memory under a NULL is zeroed: it may hold leftovers of other rows.
import {
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBEnumType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBType,
} from '@duckdb/node-api'
import { makeData, type DataType } from 'apache-arrow'
import { arrowType } from './arrow-types.ts'
import { createOffsets, dataProps, type ColumnWriter } from './column-parts.ts'
import { createGrowableBuffer, createValidityBuilder } from './growable-buffer.ts'
import { createListWriter, createArrayWriter, createStructWriter } from './nested-column-writer.ts'
import { copyStrings } from './string-bytes.ts'
import { isValid, physicalWidth, type VectorSource } from './vector-source.ts'

/** Types that a vector holds as strings of bytes. */
const STRING_TYPES: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.VARCHAR,
  DuckDBTypeId.BLOB,
  DuckDBTypeId.GEOMETRY,
])

type CopyValues = (source: VectorSource, start: number, count: number, target: Buffer, at: number) => void

const copyRaw =
  (width: number): CopyValues =>
  (source, start, count, target, at) => {
    source.data.copy(target, at, start * width, (start + count) * width)
  }

/** Sign-extends the three narrower widths of decimals to 128 bits, as 32-bit words. */
const copyDecimal =
  (width: number): CopyValues =>
  (source, start, count, target, at) => {
    for (let index = 0; index < count; index += 1) {
      const from = (start + index) * width
      const low = width === 2 ? source.data.readInt16LE(from) : source.data.readInt32LE(from)
      const next = width === 8 ? source.data.readInt32LE(from + 4) : low >> 31
      const to = at + index * 16
      target.writeInt32LE(low, to)
      target.writeInt32LE(next, to + 4)
      target.writeInt32LE(next >> 31, to + 8)
      target.writeInt32LE(next >> 31, to + 12)
    }
  }

/** DuckDB keeps a UUID as a little-endian integer with the top bit flipped, so that it sorts; Arrow wants it in order. */
const copyUuid: CopyValues = (source, start, count, target, at) => {
  for (let index = 0; index < count; index += 1) {
    const from = (start + index) * 16
    const to = at + index * 16
    for (let byte = 0; byte < 16; byte += 1) target[to + byte] = source.data[from + 15 - byte] as number
    target[to] = (target[to] as number) ^ 0x80
  }
}

function createFixedWriter(type: DataType, width: number, copy: CopyValues): ColumnWriter {
  const values = createGrowableBuffer()
  const validity = createValidityBuilder()
  const { ArrayType } = type as unknown as { ArrayType: Uint8ArrayConstructor }
  let length = 0
  return {
    append(source, start, count) {
      const at = values.extend(count * width)
      copy(source, start, count, values.bytes, at)
      validity.append(source.validity, start, count, (index) => {
        values.bytes.fill(0, at + index * width, at + (index + 1) * width)
      })
      length += count
    },
    measure: (_source, _start, count) => count * width,
    finish: () =>
      makeData({
        ...dataProps(type, length, validity),
        data: new ArrayType(values.bytes.buffer, 0, values.length / ArrayType.BYTES_PER_ELEMENT),
      } as never),
    reset() {
      values.reset()
      validity.reset()
      length = 0
    },
  }
}

function createBoolWriter(type: DataType): ColumnWriter {
  const values = createGrowableBuffer()
  const validity = createValidityBuilder()
  let length = 0
  return {
    append(source, start, count) {
      values.extend(((length + count + 7) >> 3) - values.length)
      const { bytes } = values
      for (let index = 0; index < count; index += 1) {
        const at = length + index
        const isTrue = source.data[start + index] !== 0 && isValid(source.validity, start + index)
        if ((at & 7) === 0) bytes[at >> 3] = 0
        if (isTrue) bytes[at >> 3] = (bytes[at >> 3] as number) | (1 << (at & 7))
      }
      validity.append(source.validity, start, count)
      length += count
    },
    measure: (_source, _start, count) => count,
    finish: () =>
      makeData({
        ...dataProps(type, length, validity),
        data: new Uint8Array(values.bytes.buffer, 0, values.length),
      } as never),
    reset() {
      values.reset()
      validity.reset()
      length = 0
    },
  }
}

type AppendBytes = (
  source: VectorSource,
  start: number,
  count: number,
  values: ReturnType<typeof createGrowableBuffer>,
  offsets: ReturnType<typeof createOffsets>,
) => void

function createBytesWriter(
  type: DataType,
  measure: ColumnWriter['measure'],
  appendBytes: AppendBytes,
): ColumnWriter {
  const values = createGrowableBuffer()
  const validity = createValidityBuilder()
  const offsets = createOffsets()
  let length = 0
  return {
    append(source, start, count) {
      appendBytes(source, start, count, values, offsets)
      validity.append(source.validity, start, count)
      length += count
    },
    measure,
    finish: () =>
      makeData({
        ...dataProps(type, length, validity),
        valueOffsets: offsets.finish(),
        data: new Uint8Array(values.bytes.buffer, 0, values.length),
      } as never),
    reset() {
      values.reset()
      validity.reset()
      offsets.reset()
      length = 0
    },
  }
}

function createStringWriter(type: DataType): ColumnWriter {
  let places = new Int32Array(2_048)
  return createBytesWriter(
    type,
    (source, start, count) => {
      let total = 4 * count
      for (let row = start; row < start + count; row += 1) {
        if (isValid(source.validity, row)) total += source.words[row * 4] as number
      }
      return total
    },
    (source, start, count, values, offsets) => {
      if (places.length < count) places = new Int32Array(count)
      let end = offsets.last
      for (let index = 0; index < count; index += 1) {
        const row = start + index
        const hasValue = isValid(source.validity, row)
        places[index] = hasValue ? end : -1
        if (hasValue) end += source.words[row * 4] as number
        offsets.push(end)
      }
      values.extend(end - values.length)
      copyStrings(source.data, source.words, start, count, places, values.bytes)
    },
  )
}

function createTextWriter(
  type: DataType,
  textOf: (source: VectorSource, row: number) => string,
): ColumnWriter {
  return createBytesWriter(
    type,
    (source, start, count) => {
      let total = 4 * count
      for (let row = start; row < start + count; row += 1) {
        if (isValid(source.validity, row)) total += textOf(source, row).length
      }
      return total
    },
    (source, start, count, values, offsets) => {
      for (let row = start; row < start + count; row += 1) {
        if (isValid(source.validity, row)) {
          const text = Buffer.from(textOf(source, row))
          const at = values.extend(text.length)
          text.copy(values.bytes, at)
        }
        offsets.push(values.length)
      }
    },
  )
}

function createEnumWriter(type: DataType, enumType: DuckDBEnumType): ColumnWriter {
  const width = physicalWidth(enumType)
  return createTextWriter(
    type,
    (source, row) => enumType.values[source.data.readUIntLE(row * width, width)] ?? '',
  )
}

/** A writer of columns of `type`, in the Arrow type that arrow-types.ts gives it. */
export function createColumnWriter(type: DuckDBType): ColumnWriter {
  const arrow = arrowType(type)
  const width = physicalWidth(type)
  if (type instanceof DuckDBListType) return createListWriter(arrow, [createColumnWriter(type.valueType)])
  if (type instanceof DuckDBMapType) {
    return createListWriter(arrow, [createColumnWriter(type.keyType), createColumnWriter(type.valueType)])
  }
  if (type instanceof DuckDBArrayType) {
    return createArrayWriter(arrow, type.length, createColumnWriter(type.valueType))
  }
  if (type instanceof DuckDBStructType) {
    return createStructWriter(arrow, type.entryTypes.map(createColumnWriter))
  }
  if (type instanceof DuckDBEnumType) return createEnumWriter(arrow, type)
  if (type instanceof DuckDBDecimalType) {
    return createFixedWriter(arrow, 16, width === 16 ? copyRaw(16) : copyDecimal(width))
  }
  const { typeId } = type
  if (typeId === DuckDBTypeId.BOOLEAN) return createBoolWriter(arrow)
  if (typeId === DuckDBTypeId.UUID) return createFixedWriter(arrow, 16, copyUuid)
  if (STRING_TYPES.has(typeId)) return createStringWriter(arrow)
  return width > 0
    ? createFixedWriter(arrow, width, copyRaw(width))
    : createTextWriter(arrow, (source, row) => source.text(row))
}
