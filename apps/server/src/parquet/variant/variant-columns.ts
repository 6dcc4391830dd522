// Columns with variants in an excerpt: read from the file row group by row group, each variant turned into JSON text, and
// written anew, since the engine does not read variants right. A variant may be a column or lie anywhere inside of one.
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import { listShape, mapShape } from '../containers.ts'
import type { FieldIds } from '../field-ids.ts'
import type { FileReader } from '../file-reader.ts'
import { decodeInThread } from '../page-threads.ts'
import type { ColumnChunk, RowGroup, SchemaNode } from '../parquet-metadata.ts'
import { leavesOf } from '../raw-column.ts'
import { parquetCorrupt } from '../thrift.ts'
import { compileRewriting } from './rewrite-column.ts'
import type { RewriteInput, Rewriting } from './rewrite-column.ts'

export interface VariantColumn {
  readonly rewriting: Rewriting
  /** The column of the file with texts for variants; its leaves are counted on from those of the file. */
  readonly node: SchemaNode
  /** Finds fields of the table in `node` as in the file. */
  readonly ids: FieldIds
}

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
  const rewriting = { source, variantPaths: pathsTo(source, variants, []), leafStart }
  const { node, origins } = compileRewriting(rewriting)
  const idOf: FieldIds['idOf'] = (candidate) => ids.idOf(origins.get(candidate) ?? candidate)
  return { rewriting, node, ids: { ...ids, idOf } }
}

function pathsTo(
  node: SchemaNode,
  variants: ReadonlySet<SchemaNode>,
  path: readonly number[],
): (readonly number[])[] {
  if (variants.has(node)) return [path]
  return node.children.flatMap((child, index) => pathsTo(child, variants, [...path, index]))
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
    for (const { rewriting } of columns) {
      const chunks = await readChunks(rewriting.source, group, reader, signal)
      const input: RewriteInput = { ...rewriting, rowCount: group.rowCount, chunks }
      const buffers = chunks.map(({ bytes }) => bytes)
      made.push(...(await decodeInThread('a row group of variants', input, buffers, signal)))
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
): Promise<RewriteInput['chunks']> {
  const chunks = leavesOf(node).map(({ index }) => {
    const chunk = group.chunks[index]
    if (chunk === undefined) throw parquetCorrupt('a row group lacks a column')
    const { start, end } = chunk.range
    return { leafIndex: index, chunk, bytes: new Uint8Array(end - start) }
  })
  await reader.readRanges(
    chunks.map(({ chunk }) => chunk.range),
    async (index, position, bytes) => {
      const target = chunks[index]
      target?.bytes.set(bytes, position - target.chunk.range.start)
      await Promise.resolve()
    },
    signal,
  )
  return chunks
}
