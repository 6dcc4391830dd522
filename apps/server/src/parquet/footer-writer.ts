// Writes the footer of an excerpt: the wanted columns and row groups with the chunks' new places. Statistics, page indexes
// and bloom filters are left out: their work is done, and what is not there cannot mislead the engine.
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import { annotationFields } from './annotation.ts'
import type { ColumnChunk, PhysicalType } from './parquet-metadata.ts'
import type { ProjectedNode } from './projection.ts'

export interface PlacedRowGroup {
  readonly rowCount: number
  /** By order of the leaves of the projected columns. */
  readonly chunks: readonly PlacedChunk[]
}

export interface PlacedChunk {
  readonly source: ColumnChunk
  /** Where the bytes of `source.range` begin in the excerpt. */
  readonly offset: number
}

export interface ProjectedLeaf {
  readonly path: readonly string[]
  /** Of the source file. */
  readonly index: number
  readonly physicalType: PhysicalType
}

const PHYSICAL_TYPES: Readonly<Record<PhysicalType, number>> = {
  BOOLEAN: 0,
  INT32: 1,
  INT64: 2,
  INT96: 3,
  FLOAT: 4,
  DOUBLE: 5,
  BYTE_ARRAY: 6,
  FIXED_LEN_BYTE_ARRAY: 7,
}
const REPETITIONS = { required: 0, optional: 1, repeated: 2 } as const
export const MAGIC = new TextEncoder().encode('PAR1')

/** The leaves in file order, which is the order of chunks in every row group. */
export function projectedLeaves(columns: readonly ProjectedNode[]): readonly ProjectedLeaf[] {
  const leaves: ProjectedLeaf[] = []
  const visit = (node: ProjectedNode, parent: readonly string[]): void => {
    const path = [...parent, node.name]
    if (node.leaf !== undefined) {
      leaves.push({ path, index: node.leaf.index, physicalType: node.leaf.physicalType })
    }
    for (const child of node.children) visit(child, path)
  }
  for (const column of columns) visit(column, [])
  return leaves
}

/** Everything after the last chunk: footer, its length, and the magic. */
export function encodeFooter(
  columns: readonly ProjectedNode[],
  rowGroups: readonly PlacedRowGroup[],
): Uint8Array {
  const leaves = projectedLeaves(columns)
  const rowCount = rowGroups.reduce((total, group) => total + group.rowCount, 0)
  const writer = new ByteWriter()
  serializeTCompactProtocol(writer, {
    field_1: 1,
    field_2: [{ field_4: 'root', field_5: columns.length }, ...columns.flatMap(schemaElements)],
    field_3: BigInt(rowCount),
    field_4: rowGroups.map((group) => encodeRowGroup(group, leaves)),
    field_6: 'lake-workbench excerpt',
  })
  writer.appendUint32(writer.offset)
  writer.appendBytes(MAGIC)
  return writer.getBytes()
}

function schemaElements(node: ProjectedNode): Record<string, unknown>[] {
  const element = {
    field_1: node.leaf && PHYSICAL_TYPES[node.leaf.physicalType],
    field_2: node.leaf?.physicalType === 'FIXED_LEN_BYTE_ARRAY' ? node.leaf.lengthBytes : undefined,
    field_3: REPETITIONS[node.repetition],
    field_4: node.name,
    field_5: node.leaf === undefined ? node.children.length : undefined,
    ...annotationFields(node.annotation),
  }
  return [element, ...node.children.flatMap(schemaElements)]
}

function encodeRowGroup(group: PlacedRowGroup, leaves: readonly ProjectedLeaf[]): Record<string, unknown> {
  const sum = (of: (chunk: ColumnChunk) => number): bigint =>
    BigInt(group.chunks.reduce((total, { source }) => total + of(source), 0))
  return {
    field_1: group.chunks.map((chunk, index) => encodeChunk(chunk, leaves[index])),
    field_2: sum((chunk) => chunk.uncompressedBytes),
    field_3: BigInt(group.rowCount),
    field_5: BigInt(group.chunks[0]?.offset ?? MAGIC.byteLength),
    field_6: sum((chunk) => chunk.compressedBytes),
  }
}

function encodeChunk(
  { source, offset }: PlacedChunk,
  leaf: ProjectedLeaf | undefined,
): Record<string, unknown> {
  const moved = (position: number): bigint => BigInt(position - source.range.start + offset)
  return {
    field_2: BigInt(offset),
    field_3: {
      field_1: leaf && PHYSICAL_TYPES[leaf.physicalType],
      field_2: source.encodings,
      field_3: leaf?.path,
      field_4: source.codec,
      field_5: BigInt(source.valueCount),
      field_6: BigInt(source.uncompressedBytes),
      field_7: BigInt(source.compressedBytes),
      field_9: moved(source.dataPageOffset),
      field_11: source.dictionaryPageOffset === undefined ? undefined : moved(source.dictionaryPageOffset),
    },
  }
}
