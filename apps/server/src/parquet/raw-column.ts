// Decodes the column chunks of one top-level column as they are stored, without logical types: for columns that must be
// written anew because the engine cannot read them. Everything a page says of itself is checked before it is decoded.
// The pages are decoded by the library; what it throws is TABLE_CORRUPT.
import type { CompressionCodec, DecodedArray, SchemaElement, SchemaTree } from 'hyparquet'
import { assembleNested } from 'hyparquet/src/assemble.js'
import { readColumn } from 'hyparquet/src/column.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { isAppError } from '@lake/core/errors.ts'
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js'
import { LIMITS } from '../limits.ts'
import { checkPage, type CheckedColumn } from './page-check.ts'
import { PAGE_CODECS, PAGE_DECOMPRESSORS } from './page-codecs.ts'
import { readPageHeader } from './page-header.ts'
import type { ColumnChunk, SchemaNode } from './parquet-metadata.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

/** A column chunk with its bytes (`chunk.range`). */
export interface RawChunk {
  readonly chunk: ColumnChunk
  readonly bytes: Uint8Array
}

/** Names the child of a group by its place. */
type ChildKey = (index: number) => string

const REPETITION_NAMES = { required: 'REQUIRED', optional: 'OPTIONAL', repeated: 'REPEATED' } as const

/** Leaves of a column in file order. */
export function leavesOf(node: SchemaNode): readonly NonNullable<SchemaNode['leaf']>[] {
  return node.leaf === undefined ? node.children.flatMap(leavesOf) : [node.leaf]
}

/**
 * Rows of one row group: groups as objects by `childKey`, repeated nodes as arrays, bytes as bytes, 64-bit integers as
 * bigint, null where nothing is.
 *
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED
 */
export function decodeRawColumn(
  node: SchemaNode,
  rowCount: number,
  chunkOf: (leafIndex: number) => RawChunk | undefined,
  childKey: ChildKey,
): readonly unknown[] {
  const tree = treeOf(node, ['c'], childKey)
  const root: SchemaTree = {
    element: { name: 'root', num_children: 1 },
    children: [tree],
    count: 0,
    path: [],
  }
  const columns = new Map<string, DecodedArray>()
  try {
    const visit = (part: SchemaNode, branch: SchemaTree, above: readonly SchemaTree[]): void => {
      const schemaPath = [...above, branch]
      if (part.leaf !== undefined) {
        const chunk = chunkOf(part.leaf.index)
        if (chunk === undefined) throw parquetCorrupt('a row group lacks a column')
        columns.set(branch.path.join('.'), decodeLeaf(chunk, schemaPath, rowCount))
      }
      part.children.forEach((child, index) => {
        const childBranch = branch.children[index]
        if (childBranch) visit(child, childBranch, schemaPath)
      })
    }
    visit(node, tree, [root])
    assembleNested(columns, tree, DEFAULT_PARSERS)
  } catch (error) {
    throw isAppError(error) ? error : parquetCorrupt('a column does not decode', error)
  }
  const rows = columns.get('c') ?? []
  if (rows.length !== rowCount) throw parquetCorrupt('a column has another number of rows than its row group')
  return Array.from(rows)
}

function treeOf(node: SchemaNode, path: string[], childKey: ChildKey): SchemaTree {
  const { leaf } = node
  const element: SchemaElement = {
    name: path.at(-1) ?? '',
    repetition_type: REPETITION_NAMES[node.repetition],
    ...(leaf === undefined ? { num_children: node.children.length } : { type: leaf.physicalType }),
    ...(leaf?.lengthBytes === undefined ? {} : { type_length: leaf.lengthBytes }),
  }
  const children = node.children.map((child, index) => treeOf(child, [...path, childKey(index)], childKey))
  return { element, children, count: children.reduce((sum, { count }) => sum + count, 1), path }
}

function decodeLeaf({ chunk, bytes }: RawChunk, schemaPath: SchemaTree[], rowCount: number): DecodedArray {
  const codec = PAGE_CODECS[chunk.codec]
  if (codec === undefined) throw parquetUnsupported(`Parquet compression ${chunk.codec} of a variant`)
  const decoder = decoderOf(schemaPath, codec)
  const end = checkPages(bytes, chunk, {
    codec,
    type: decoder.type,
    typeLength: decoder.element.type_length,
    definitionMax: getMaxDefinitionLevel(schemaPath),
    repetitionMax: getMaxRepetitionLevel(schemaPath),
  })
  // No page that has not been checked.
  const view = new DataView(bytes.buffer, bytes.byteOffset, end)
  const { data } = readColumn(
    { view, offset: 0 },
    { groupStart: 0, groupRows: rowCount, selectStart: 0, selectEnd: rowCount },
    decoder,
  )
  refuseHoles(data)
  return data.length === 1 ? (data[0] ?? []) : data.flatMap((part) => Array.from(part))
}

/** An index that its dictionary does not have gives undefined, where null is what is absent. */
function refuseHoles(data: unknown): void {
  if (!Array.isArray(data)) return
  for (const item of data) {
    if (item === undefined) throw parquetCorrupt('a value is not in its dictionary')
    if (Array.isArray(item)) refuseHoles(item)
  }
}

function decoderOf(schemaPath: SchemaTree[], codec: CompressionCodec): Parameters<typeof readColumn>[2] {
  const element = schemaPath.at(-1)?.element
  if (element?.type === undefined) throw parquetCorrupt('a column has no type')
  return {
    pathInSchema: schemaPath.slice(1).map((branch) => branch.element.name),
    type: element.type,
    element,
    schemaPath,
    codec,
    parsers: DEFAULT_PARSERS,
    compressors: PAGE_DECOMPRESSORS,
    utf8: false,
  }
}

/**
 * Walks the pages by their headers: sizes within bounds, and as many values as the chunk is said to have.
 * @returns where the last page ends
 */
function checkPages(bytes: Uint8Array, chunk: ColumnChunk, column: CheckedColumn): number {
  if (chunk.valueCount > LIMITS.rawColumnValuesMax || chunk.uncompressedBytes > LIMITS.rawChunkBytesMax) {
    throw parquetUnsupported('a very large row group of variants')
  }
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  let valueCount = 0
  let decodedBytes = 0
  while (valueCount < chunk.valueCount && reader.offset < bytes.byteLength) {
    const header = readPageHeader(reader)
    const { compressed_page_size: storedBytes, uncompressed_page_size: pageBytes } = header
    const page = header.data_page_header ?? header.data_page_header_v2
    valueCount += page?.num_values ?? 0
    decodedBytes += pageBytes
    const dictionaryCount = header.dictionary_page_header?.num_values ?? 0
    const isPossible =
      storedBytes <= bytes.byteLength - reader.offset &&
      decodedBytes <= LIMITS.rawChunkBytesMax &&
      dictionaryCount <= LIMITS.rawColumnValuesMax
    if (!isPossible || valueCount > chunk.valueCount) throw parquetCorrupt('a page has an impossible size')
    checkPage(header, bytes.subarray(reader.offset, reader.offset + storedBytes), column)
    reader.offset += storedBytes
  }
  if (valueCount !== chunk.valueCount)
    throw parquetCorrupt('pages hold another number of values than their chunk')
  return reader.offset
}
