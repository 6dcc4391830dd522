// A DuckDB vector opened for reading: raw data, validity and children, without values being made. Runs in the child
// process only. The memory is DuckDB's own: it is valid while the data chunk is held, and must be copied before.
import duckdb from '@duckdb/node-bindings'
import {
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBEnumType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId,
  DuckDBVector,
  type DuckDBType,
} from '@duckdb/node-api'

export interface VectorSource {
  /** Width times rows; empty for types without data of their own. */
  readonly data: Buffer
  /** One bit per row, 1 for a value; null when no row is NULL. */
  readonly validity: Uint8Array | null
  readonly children: readonly VectorSource[]
  /** The same data as 32-bit words: strings and list entries. */
  readonly words: Uint32Array
  /** Text of one value as the engine writes it; slow, for types without an Arrow twin. */
  text(row: number): string
}

const WIDTHS: Partial<Record<DuckDBTypeId, number>> = {
  [DuckDBTypeId.BOOLEAN]: 1,
  [DuckDBTypeId.TINYINT]: 1,
  [DuckDBTypeId.UTINYINT]: 1,
  [DuckDBTypeId.SMALLINT]: 2,
  [DuckDBTypeId.USMALLINT]: 2,
  [DuckDBTypeId.INTEGER]: 4,
  [DuckDBTypeId.UINTEGER]: 4,
  [DuckDBTypeId.FLOAT]: 4,
  [DuckDBTypeId.DATE]: 4,
  [DuckDBTypeId.BIGINT]: 8,
  [DuckDBTypeId.UBIGINT]: 8,
  [DuckDBTypeId.DOUBLE]: 8,
  [DuckDBTypeId.TIME]: 8,
  [DuckDBTypeId.TIME_NS]: 8,
  [DuckDBTypeId.TIMESTAMP]: 8,
  [DuckDBTypeId.TIMESTAMP_S]: 8,
  [DuckDBTypeId.TIMESTAMP_MS]: 8,
  [DuckDBTypeId.TIMESTAMP_NS]: 8,
  [DuckDBTypeId.TIMESTAMP_TZ]: 8,
  [DuckDBTypeId.HUGEINT]: 16,
  [DuckDBTypeId.UUID]: 16,
  [DuckDBTypeId.VARCHAR]: 16,
  [DuckDBTypeId.BLOB]: 16,
  // Held as WKB, little-endian.
  [DuckDBTypeId.GEOMETRY]: 16,
  [DuckDBTypeId.LIST]: 16,
  [DuckDBTypeId.MAP]: 16,
}

/** Bytes of one value in DuckDB's vectors; 0 where a type has no data of its own or is read as text. */
export function physicalWidth(type: DuckDBType): number {
  if (type instanceof DuckDBDecimalType) {
    if (type.width <= 4) return 2
    if (type.width <= 9) return 4
    return type.width <= 18 ? 8 : 16
  }
  if (type instanceof DuckDBEnumType) {
    if (type.values.length <= 255) return 1
    return type.values.length <= 65_535 ? 2 : 4
  }
  return WIDTHS[type.typeId] ?? 0
}

function openChildren(vector: duckdb.Vector, type: DuckDBType, count: number): VectorSource[] {
  if (type instanceof DuckDBListType) {
    const size = duckdb.list_vector_get_size(vector)
    return [openVector(duckdb.list_vector_get_child(vector), type.valueType, size)]
  }
  if (type instanceof DuckDBMapType) {
    const size = duckdb.list_vector_get_size(vector)
    const entries = duckdb.list_vector_get_child(vector)
    return [type.keyType, type.valueType].map((child, index) =>
      openVector(duckdb.struct_vector_get_child(entries, index), child, size),
    )
  }
  if (type instanceof DuckDBArrayType) {
    return [openVector(duckdb.array_vector_get_child(vector), type.valueType, count * type.length)]
  }
  if (type instanceof DuckDBStructType) {
    return type.entryTypes.map((child, index) =>
      openVector(duckdb.struct_vector_get_child(vector, index), child, count),
    )
  }
  return []
}

const NO_DATA = Buffer.alloc(0)
const NO_WORDS = new Uint32Array(0)

/** @param count rows of the vector, which for the child of a list is the list's own size */
export function openVector(vector: duckdb.Vector, type: DuckDBType, count: number): VectorSource {
  const width = physicalWidth(type)
  const data =
    width === 0 || count === 0 ? NO_DATA : (duckdb.vector_get_data(vector, count * width) as Buffer)
  const validity =
    count === 0 ? null : (duckdb.vector_get_validity(vector, Math.ceil(count / 64) * 8) as Uint8Array | null)
  const children = openChildren(vector, type, count)
  let values: DuckDBVector | undefined
  return {
    data,
    validity,
    children,
    words:
      width === 16 && data.length > 0
        ? new Uint32Array(data.buffer, data.byteOffset, data.length / 4)
        : NO_WORDS,
    text(row) {
      values ??= DuckDBVector.create(vector, count, type)
      return String(values.getItem(row))
    },
  }
}

export const isValid = (validity: Uint8Array | null, row: number): boolean =>
  validity === null || ((validity[row >> 3] as number) & (1 << (row & 7))) !== 0
