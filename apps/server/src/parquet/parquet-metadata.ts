// The metadata of a Parquet file as plain data, decoded from its footer and checked against the file's size, so that
// whatever follows may trust offsets, counts and the shape of the schema tree. Source: parquet-format parquet.thrift.
// Decoded here and not by the library's own model, which rounds statistics; the Thrift decoding is the library's.
import { LIMITS } from '../limits.ts'
import type { ByteRange } from '../storage/object-store.ts'
import { readAnnotation } from './annotation.ts'
import type { Annotation } from './annotation.ts'
import {
  decodeThrift,
  optionalBytes,
  optionalInt,
  optionalSize,
  optionalStruct,
  optionalText,
  parquetCorrupt,
  parquetUnsupported,
  requiredSize,
  requiredStructs,
} from './thrift.ts'
import type { ThriftStruct } from './thrift.ts'

const PHYSICAL_TYPES = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
] as const
export type PhysicalType = (typeof PHYSICAL_TYPES)[number]
const REPETITIONS = ['required', 'optional', 'repeated'] as const
export type Repetition = (typeof REPETITIONS)[number]

export interface SchemaNode {
  readonly name: string
  readonly repetition: Repetition
  readonly annotation: Annotation
  /** 0 occurs in the wild. */
  readonly fieldId: number | undefined
  /** undefined for a group. */
  readonly leaf:
    | {
        readonly index: number
        readonly physicalType: PhysicalType
        readonly lengthBytes: number | undefined
      }
    | undefined
  readonly children: readonly SchemaNode[]
}

/** As written, undecoded. Counts and bounds that are absent are unknown. */
export interface RawStatistics {
  readonly nullCount: number | undefined
  readonly minValue: Uint8Array | undefined
  readonly maxValue: Uint8Array | undefined
  /** The older fields, whose order is signed whatever the type. */
  readonly deprecatedMin: Uint8Array | undefined
  readonly deprecatedMax: Uint8Array | undefined
}

export interface ColumnChunk {
  /** Where its pages are, dictionary page first. Lies inside the file. */
  readonly range: ByteRange
  readonly codec: number
  readonly encodings: readonly number[]
  /** Values with nulls, at the leaf. */
  readonly valueCount: number
  readonly compressedBytes: number
  readonly uncompressedBytes: number
  readonly dataPageOffset: number
  readonly dictionaryPageOffset: number | undefined
  readonly statistics: RawStatistics | undefined
  readonly bloomFilter: { readonly offset: number; readonly lengthBytes: number } | undefined
  /** Set where the chunk was made here: what `range` has instead of the file. */
  readonly bytes?: Uint8Array
}

export interface RowGroup {
  /** Position of its first row in the file, from 0. */
  readonly firstRow: number
  readonly rowCount: number
  /** By leaf index. */
  readonly chunks: readonly ColumnChunk[]
}

export interface ParquetMetadata {
  readonly columns: readonly SchemaNode[]
  readonly leafCount: number
  readonly rowGroups: readonly RowGroup[]
  readonly rowCount: number
  /** True when any element has a field id: then elements without one belong to no column of the table. */
  readonly hasFieldIds: boolean
  /** True when the writer says which order its bounds of text and bytes follow. */
  readonly hasColumnOrders: boolean
  readonly footerBytes: number
}

/**
 * Decodes the Thrift bytes of a footer.
 *
 * @param dataEnd where the footer begins in the file: no column chunk reaches beyond it
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED (encryption, columns in other files)
 */
export function decodeParquetMetadata(bytes: Uint8Array, dataEnd: number): ParquetMetadata {
  const file = decodeThrift(bytes)
  if (file['field_8'] !== undefined) throw parquetUnsupported('Parquet encryption')
  const tree = buildTree(requiredStructs(file, 2))
  const mustPad = hasShortChunkSizes(optionalText(file, 6) ?? '')
  const rowGroups: RowGroup[] = []
  let firstRow = 0
  let chunkBytes = 0
  for (const group of requiredStructs(file, 4)) {
    const rowCount = requiredSize(group, 3)
    const columns = requiredStructs(group, 1)
    if (columns.length !== tree.leaves.length) throw parquetCorrupt('a row group lacks columns')
    const chunks = columns.map((column, index) => {
      const leaf = tree.leaves[index]
      if (leaf === undefined) throw parquetCorrupt('a row group has too many columns')
      return decodeChunk(column, leaf, { dataEnd, mustPad, rowCount })
    })
    rowGroups.push({ firstRow, rowCount, chunks })
    firstRow += rowCount
    chunkBytes += chunks.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0)
  }
  // Or a small file would be read many times over.
  if (chunkBytes > dataEnd) throw parquetCorrupt('its column chunks overlap')
  const rowCount = requiredSize(file, 3)
  if (firstRow !== rowCount) throw parquetCorrupt('its row groups do not add up to its row count')
  return {
    columns: tree.root.children,
    leafCount: tree.leaves.length,
    rowGroups,
    rowCount,
    hasFieldIds: tree.hasFieldIds,
    hasColumnOrders: file['field_7'] !== undefined,
    footerBytes: bytes.byteLength,
  }
}

interface Leaf {
  readonly physicalType: PhysicalType
  readonly isRepeated: boolean
}

function buildTree(elements: readonly ThriftStruct[]): {
  root: SchemaNode
  leaves: Leaf[]
  hasFieldIds: boolean
} {
  if (elements.length > LIMITS.parquetSchemaElementsMax)
    throw parquetUnsupported('a very wide Parquet schema')
  const leaves: Leaf[] = []
  let next = 0
  let hasFieldIds = false
  const take = (depth: number, isInRepeated: boolean): SchemaNode => {
    const element = elements[next]
    next += 1
    if (element === undefined) throw parquetCorrupt('its schema ends too early')
    if (depth > LIMITS.parquetSchemaDepthMax) throw parquetUnsupported('a very deep Parquet schema')
    const repetition = REPETITIONS[optionalInt(element, 3) ?? 0]
    const typeIndex = optionalInt(element, 1)
    const childCount = optionalSize(element, 5) ?? 0
    const name = optionalText(element, 4)
    if (repetition === undefined || name === undefined) throw parquetCorrupt('its schema is malformed')
    const fieldId = optionalInt(element, 9)
    if (fieldId !== undefined && depth > 0) hasFieldIds = true
    const isRepeated = isInRepeated || (depth > 0 && repetition === 'repeated')
    const node = { name, repetition, annotation: readAnnotation(element), fieldId }
    if (typeIndex === undefined || (depth === 0 && childCount > 0)) {
      if (childCount > elements.length) throw parquetCorrupt('its schema is malformed')
      const children = Array.from({ length: childCount }, () => take(depth + 1, isRepeated))
      return { ...node, leaf: undefined, children }
    }
    const physicalType = PHYSICAL_TYPES[typeIndex]
    if (physicalType === undefined || childCount > 0) throw parquetCorrupt('its schema is malformed')
    leaves.push({ physicalType, isRepeated })
    const leaf = { index: leaves.length - 1, physicalType, lengthBytes: optionalSize(element, 2) }
    return { ...node, leaf, children: [] }
  }
  const root = take(0, false)
  if (next !== elements.length || root.leaf !== undefined) throw parquetCorrupt('its schema is malformed')
  return { root, leaves, hasFieldIds }
}

function decodeChunk(
  column: ThriftStruct,
  leaf: Leaf,
  file: { dataEnd: number; mustPad: boolean; rowCount: number },
): ColumnChunk {
  if (column['field_8'] !== undefined || column['field_9'] !== undefined) {
    throw parquetUnsupported('Parquet encryption')
  }
  if (column['field_1'] !== undefined) throw parquetUnsupported('Parquet columns in other files')
  const meta = optionalStruct(column, 3)
  if (meta === undefined) throw parquetCorrupt('a column chunk has no metadata')
  if (PHYSICAL_TYPES[optionalInt(meta, 1) ?? -1] !== leaf.physicalType) {
    throw parquetCorrupt('a column chunk has another type than its column')
  }
  const dataPageOffset = requiredSize(meta, 9)
  // Some writers put 0 where there is no dictionary.
  const dictionaryPageOffset = optionalSize(meta, 11) || undefined
  const compressedBytes = requiredSize(meta, 7)
  const valueCount = requiredSize(meta, 5)
  if (!leaf.isRepeated && valueCount !== file.rowCount) {
    throw parquetCorrupt('a column chunk has another number of values than its row group has rows')
  }
  const start = Math.min(dataPageOffset, dictionaryPageOffset ?? dataPageOffset)
  const end = start + compressedBytes
  if (start < 4 || end > file.dataEnd || dataPageOffset > end) {
    throw parquetCorrupt('a column chunk lies outside of the file')
  }
  return {
    range: { start, end: file.mustPad ? Math.min(end + 100, file.dataEnd) : end },
    codec: requiredSize(meta, 4),
    encodings: readEncodings(meta),
    valueCount,
    compressedBytes,
    uncompressedBytes: requiredSize(meta, 6),
    dataPageOffset,
    dictionaryPageOffset,
    statistics: readStatistics(optionalStruct(meta, 12)),
    bloomFilter: readBloomFilterPlace(meta, file.dataEnd),
  }
}

/** A filter that does not lie inside the file, or does not say how long it is, is as good as none. */
function readBloomFilterPlace(meta: ThriftStruct, dataEnd: number): ColumnChunk['bloomFilter'] {
  const offset = optionalSize(meta, 14)
  const lengthBytes = optionalSize(meta, 15)
  if (offset === undefined || lengthBytes === undefined || offset + lengthBytes > dataEnd) return undefined
  return { offset, lengthBytes }
}

function readEncodings(meta: ThriftStruct): readonly number[] {
  const encodings: unknown = meta['field_2']
  if (!Array.isArray(encodings) || !encodings.every((encoding) => typeof encoding === 'number')) {
    throw parquetCorrupt('a column chunk does not say how it is encoded')
  }
  return encodings
}

function readStatistics(statistics: ThriftStruct | undefined): RawStatistics | undefined {
  if (statistics === undefined) return undefined
  return {
    nullCount: optionalSize(statistics, 3),
    minValue: optionalBytes(statistics, 6),
    maxValue: optionalBytes(statistics, 5),
    deprecatedMin: optionalBytes(statistics, 2),
    deprecatedMax: optionalBytes(statistics, 1),
  }
}

/** parquet-mr before 1.2.9 left the dictionary page's header out of the chunk's size (PARQUET-816). */
function hasShortChunkSizes(createdBy: string): boolean {
  const version = /^parquet-mr version (\d+)\.(\d+)\.(\d+)/.exec(createdBy)
  if (version === null) return false
  const [major, minor, patch] = version.slice(1).map(Number) as [number, number, number]
  return major < 1 || (major === 1 && (minor < 2 || (minor === 2 && patch < 9)))
}
