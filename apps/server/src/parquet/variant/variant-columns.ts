// Columns with variants in an excerpt: read from the file row group by row group, each variant turned into JSON text, and
// written anew, since the engine does not read variants right. A variant may be a column or lie anywhere inside of one.
// Takes turns with the rest of the server while it decodes.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import { encodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { throwIfAborted } from '../../concurrency/deadline.ts'
import { VARIANT_TEXT } from '../column-types.ts'
import { listShape, mapShape } from '../containers.ts'
import type { FieldIds } from '../field-ids.ts'
import type { FileReader } from '../file-reader.ts'
import { encodeMadeChunks } from '../made-chunk.ts'
import type { MadeValue } from '../made-chunk.ts'
import type { ColumnChunk, RowGroup, SchemaNode } from '../parquet-metadata.ts'
import { decodeRawColumn, leavesOf } from '../raw-column.ts'
import { parquetCorrupt, parquetUnsupported } from '../thrift.ts'
import { childKey, compileVariantReader } from './shredded-variant.ts'

export interface VariantColumn {
  /** In the file. */
  readonly source: SchemaNode
  /** The same with texts for variants; its leaves are counted on from those of the file. */
  readonly node: SchemaNode
  /** Finds fields of the table in `node` as in `source`. */
  readonly ids: FieldIds
  /** From a row as stored to a row of `node`. */
  readonly convert: (row: unknown) => MadeValue
}

const TURN_MS = 8
const ROWS_PER_CLOCK_CHECK = 64

export function hasVariant(type: IcebergType): boolean {
  switch (type.kind) {
    case 'variant':
      return true
    case 'struct':
      return type.fields.some((field) => hasVariant(field.type))
    case 'list':
      return hasVariant(type.element)
    case 'map':
      return hasVariant(type.key) || hasVariant(type.value)
    default:
      return false
  }
}

/**
 * @param leafStart index of the first leaf of `node`, in the row groups that `addVariantChunks` returns
 * @throws AppError TABLE_UNSUPPORTED
 */
export function variantColumn(
  type: IcebergType,
  source: SchemaNode,
  leafStart: number,
  ids: FieldIds,
): VariantColumn {
  const variants = new Set<SchemaNode>()
  findVariants(type, source, ids, variants)
  const origins = new Map<SchemaNode, SchemaNode>()
  let nextLeaf = leafStart
  const takeLeaf = (): number => {
    nextLeaf += 1
    return nextLeaf - 1
  }
  const rewrite = (node: SchemaNode): { node: SchemaNode; convert: (raw: unknown) => MadeValue } => {
    const { node: rewritten, convert } = variants.has(node)
      ? rewriteVariant(node, takeLeaf)
      : node.leaf === undefined
        ? rewriteGroup(node, rewrite)
        : rewriteLeaf(node, takeLeaf)
    origins.set(rewritten, node)
    return { node: rewritten, convert: node.repetition === 'repeated' ? each(convert) : orNull(convert) }
  }
  const { node, convert } = rewrite(source)
  return {
    source,
    node,
    ids: { ...ids, idOf: (candidate) => ids.idOf(origins.get(candidate) ?? candidate) },
    convert,
  }
}

/** What has no place in the file is left out: it is missing, or refused when it is projected. */
function findVariants(type: IcebergType, node: SchemaNode, ids: FieldIds, found: Set<SchemaNode>): void {
  if (type.kind === 'variant') {
    found.add(node)
  } else if (type.kind === 'struct') {
    for (const field of type.fields) {
      const child = node.children.find((candidate) => ids.idOf(candidate) === field.id)
      if (child) findVariants(field.type, child, ids, found)
    }
  } else if (type.kind === 'list') {
    const element = listShape(node)?.element
    if (element !== undefined && element !== node) findVariants(type.element, element, ids, found)
  } else if (type.kind === 'map') {
    const shape = mapShape(node)
    if (shape) {
      findVariants(type.key, shape.key, ids, found)
      findVariants(type.value, shape.value, ids, found)
    }
  }
}

interface Rewritten {
  readonly node: SchemaNode
  readonly convert: (raw: unknown) => MadeValue
}

function rewriteVariant(node: SchemaNode, takeLeaf: () => number): Rewritten {
  if (node.repetition === 'repeated') throw parquetUnsupported('a repeated variant')
  const read = compileVariantReader(node)
  const leaf = { index: takeLeaf(), physicalType: 'BYTE_ARRAY', lengthBytes: undefined } as const
  return {
    node: { ...node, annotation: VARIANT_TEXT, leaf, children: [] },
    convert: (raw) => encodeUtf8(read(raw) ?? 'null'),
  }
}

function rewriteGroup(node: SchemaNode, rewrite: (child: SchemaNode) => Rewritten): Rewritten {
  const children = node.children.map(rewrite)
  return {
    node: { ...node, children: children.map((child) => child.node) },
    convert: (raw) => {
      const group = raw as Readonly<Record<string, unknown>>
      return children.map(({ convert }, index) => convert(group[childKey(index)]))
    },
  }
}

function rewriteLeaf(node: SchemaNode, takeLeaf: () => number): Rewritten {
  if (node.leaf?.physicalType === 'INT96') throw parquetUnsupported('INT96 beside a variant')
  const leaf = node.leaf && { ...node.leaf, index: takeLeaf() }
  return { node: { ...node, leaf }, convert: (raw) => raw as MadeValue }
}

const orNull =
  (convert: (raw: unknown) => MadeValue) =>
  (raw: unknown): MadeValue =>
    raw === null || raw === undefined ? null : convert(raw)

const each =
  (convert: (raw: unknown) => MadeValue) =>
  (raw: unknown): MadeValue =>
    ((raw ?? []) as readonly unknown[]).map(convert)

/** The row groups with more chunks: those of the columns' leaves. @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED */
export async function addVariantChunks(
  groups: readonly RowGroup[],
  columns: readonly VariantColumn[],
  reader: FileReader,
  signal: AbortSignal,
): Promise<readonly RowGroup[]> {
  if (columns.length === 0) return groups
  const added: RowGroup[] = []
  for (const group of groups) {
    const made: ColumnChunk[] = []
    for (const { source, node, convert } of columns) {
      const bytes = await readChunks(source, group, reader, signal)
      const rows = decodeRawColumn(source, group, (index) => bytes.get(index) ?? new Uint8Array(), childKey)
      made.push(...encodeMadeChunks(node, await convertRows(rows, convert, signal)))
    }
    added.push({ ...group, chunks: [...group.chunks, ...made] })
  }
  return added
}

async function readChunks(
  node: SchemaNode,
  group: RowGroup,
  reader: FileReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const chunks = leavesOf(node).map(({ index }) => {
    const chunk = group.chunks[index]
    if (chunk === undefined) throw parquetCorrupt('a row group lacks a column')
    return { index, range: chunk.range, bytes: new Uint8Array(chunk.range.end - chunk.range.start) }
  })
  await reader.readRanges(
    chunks.map(({ range }) => range),
    async (index, position, bytes) => {
      const chunk = chunks[index]
      chunk?.bytes.set(bytes, position - chunk.range.start)
      await Promise.resolve()
    },
    signal,
  )
  return new Map(chunks.map(({ index, bytes }) => [index, bytes]))
}

async function convertRows(
  rows: readonly unknown[],
  convert: (row: unknown) => MadeValue,
  signal: AbortSignal,
): Promise<MadeValue[]> {
  const converted: MadeValue[] = []
  let turnAtMs = performance.now()
  for (const [index, row] of rows.entries()) {
    converted.push(convert(row))
    if (index % ROWS_PER_CLOCK_CHECK === 0 && performance.now() - turnAtMs > TURN_MS) {
      await nextTurn()
      throwIfAborted(signal)
      turnAtMs = performance.now()
    }
  }
  return converted
}
