// Writes values as column chunks of an excerpt: for columns that the file does not have in a form the engine reads.
// Levels are computed here, pages are written by the library: plain encoding, uncompressed, without statistics.
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writeColumn } from 'hyparquet-writer/src/column.js'
import { LIMITS } from '../limits.ts'
import type { ColumnChunk } from './parquet-metadata.ts'
import type { ProjectedNode } from './projection.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

/**
 * The value of a node: null where it is absent; a repeated node's is the array of its items; a group's is the array of
 * its children's values; a leaf's is as stored (64-bit integers as bigint, bytes as bytes).
 */
export type MadeValue = null | boolean | number | bigint | Uint8Array | readonly MadeValue[]

type WrittenColumn = Parameters<typeof writeColumn>[0]['column']
type SchemaElement = WrittenColumn['element']

interface Levels {
  readonly values: (MadeValue | null)[]
  readonly definitionLevels: number[]
  readonly repetitionLevels: number[]
}

interface MadeLeaf extends Levels {
  readonly node: ProjectedNode
  readonly definitionMax: number
  readonly repetitionMax: number
}

const UNCOMPRESSED = 0
const PLAIN = 0
const RLE = 3
const PAGE_BYTES = 1_048_576

/** A chunk for every leaf of `node`, in order. @throws AppError TABLE_CORRUPT for null where a node is required */
export function encodeMadeChunks(node: ProjectedNode, rows: readonly MadeValue[]): ColumnChunk[] {
  const leaves = leavesOf(node, 0, 0)
  const writer = new LevelWriter(leaves)
  for (const row of rows) writer.writeRow(node, row)
  return leaves.map(encodeLeaf)
}

function leavesOf(node: ProjectedNode, definition: number, repetition: number): MadeLeaf[] {
  const definitionMax = definition + (node.repetition === 'required' ? 0 : 1)
  const repetitionMax = repetition + (node.repetition === 'repeated' ? 1 : 0)
  if (node.leaf === undefined) {
    return node.children.flatMap((child) => leavesOf(child, definitionMax, repetitionMax))
  }
  return [{ node, definitionMax, repetitionMax, values: [], definitionLevels: [], repetitionLevels: [] }]
}

/** Writes rows: visits the leaves in order. */
class LevelWriter {
  readonly #leaves: readonly MadeLeaf[]
  #next = 0

  constructor(leaves: readonly MadeLeaf[]) {
    this.#leaves = leaves
  }

  writeRow(node: ProjectedNode, row: MadeValue): void {
    this.#next = 0
    this.write(node, row, 0, 0, 0)
  }

  /** @param depth repeated nodes above */
  write(node: ProjectedNode, value: MadeValue, definition: number, repetition: number, depth: number): void {
    if (node.repetition === 'repeated') {
      const items = Array.isArray(value) ? (value as readonly MadeValue[]) : []
      if (items.length === 0) {
        this.#absent(node, definition, repetition)
        return
      }
      const first = this.#next
      items.forEach((item, index) => {
        this.#next = first
        this.#present(node, item, definition + 1, index === 0 ? repetition : depth + 1, depth + 1)
      })
    } else if (value !== null) {
      this.#present(node, value, definition + (node.repetition === 'optional' ? 1 : 0), repetition, depth)
    } else if (node.repetition === 'optional') {
      this.#absent(node, definition, repetition)
    } else {
      throw parquetCorrupt('a required value is null')
    }
  }

  #present(
    node: ProjectedNode,
    value: MadeValue,
    definition: number,
    repetition: number,
    depth: number,
  ): void {
    if (node.leaf !== undefined) {
      this.#push(value, definition, repetition)
      return
    }
    const children = value as readonly MadeValue[]
    node.children.forEach((child, index) => {
      this.write(child, children[index] ?? null, definition, repetition, depth)
    })
  }

  #absent(node: ProjectedNode, definition: number, repetition: number): void {
    if (node.leaf !== undefined) this.#push(null, definition, repetition)
    else for (const child of node.children) this.#absent(child, definition, repetition)
  }

  #push(value: MadeValue, definition: number, repetition: number): void {
    const leaf = this.#leaves[this.#next]
    this.#next += 1
    leaf?.values.push(value)
    leaf?.definitionLevels.push(definition)
    leaf?.repetitionLevels.push(repetition)
  }
}

function encodeLeaf(leaf: MadeLeaf): ColumnChunk {
  const { node, definitionMax, repetitionMax, values } = leaf
  const type = node.leaf?.physicalType
  if (type === undefined) throw parquetCorrupt('a column has no type')
  const element: SchemaElement = {
    name: node.name,
    type,
    repetition_type: 'OPTIONAL',
    ...(node.leaf?.lengthBytes === undefined ? {} : { type_length: node.leaf.lengthBytes }),
  }
  const writer = new ByteWriter()
  writeColumn({
    writer,
    column: {
      columnName: node.name,
      element,
      schemaPath: schemaPathOf(element, repetitionMax),
      codec: 'UNCOMPRESSED',
      compressors: {},
      stats: false,
      pageSize: PAGE_BYTES,
      columnIndex: false,
      offsetIndex: false,
      encoding: 'PLAIN',
    },
    pageData: {
      values: values as unknown[],
      definitionLevels: definitionMax === 0 ? [] : leaf.definitionLevels,
      repetitionLevels: repetitionMax === 0 ? [] : leaf.repetitionLevels,
      maxDefinitionLevel: definitionMax,
    },
  })
  const bytes = writer.getBytes()
  if (bytes.byteLength > LIMITS.madeChunkBytesMax)
    throw parquetUnsupported('a very large row group to be rewritten')
  return {
    bytes,
    range: { start: 0, end: bytes.byteLength },
    codec: UNCOMPRESSED,
    encodings: [PLAIN, RLE],
    valueCount: values.length,
    compressedBytes: bytes.byteLength,
    uncompressedBytes: bytes.byteLength,
    dataPageOffset: 0,
    dictionaryPageOffset: undefined,
    statistics: undefined,
    bloomFilter: undefined,
  }
}

/** Only the number of repeated nodes in it counts. */
function schemaPathOf(element: SchemaElement, repetitionMax: number): SchemaElement[] {
  const repeated: SchemaElement = { name: 'list', repetition_type: 'REPEATED' }
  return [{ name: 'root' }, ...Array.from({ length: repetitionMax }, () => repeated), element]
}
