// Writes the rows of one row group of a column anew, each variant in it as JSON text. Pure and synchronous; run in a thread
// (page-threads.ts), so all that goes in and out is plain data.
import { encodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { VARIANT_TEXT } from '../column-types.ts'
import { encodeMadeChunks } from '../made-chunk.ts'
import type { MadeValue } from '../made-chunk.ts'
import type { ColumnChunk, SchemaNode } from '../parquet-metadata.ts'
import { decodeRawColumn } from '../raw-column.ts'
import { parquetCorrupt, parquetUnsupported } from '../thrift.ts'
import { childKey, compileVariantReader } from './shredded-variant.ts'

/** Which column, and where its variants are: paths of child indexes from the column down. */
export interface Rewriting {
  readonly source: SchemaNode
  readonly variantPaths: readonly (readonly number[])[]
  /** Index of the first leaf of the rewritten column. */
  readonly leafStart: number
}

export interface RewriteInput extends Rewriting {
  readonly rowCount: number
  /** Of every leaf of `source`. */
  readonly chunks: readonly {
    readonly leafIndex: number
    readonly chunk: ColumnChunk
    readonly bytes: Uint8Array
  }[]
}

export interface RewrittenColumn {
  readonly node: SchemaNode
  /** From a row as stored to a row of `node`. */
  readonly convert: (row: unknown) => MadeValue
  /** The node of the file that a node of `node` was. */
  readonly origins: ReadonlyMap<SchemaNode, SchemaNode>
}

/** @throws AppError TABLE_UNSUPPORTED, TABLE_CORRUPT */
export function compileRewriting({ source, variantPaths, leafStart }: Rewriting): RewrittenColumn {
  const variants = new Set(variantPaths.map((path) => nodeAt(source, path)))
  const origins = new Map<SchemaNode, SchemaNode>()
  let nextLeaf = leafStart
  const takeLeaf = (): number => {
    nextLeaf += 1
    return nextLeaf - 1
  }
  const rewrite = (node: SchemaNode): Rewritten => {
    const { node: rewritten, convert } = variants.has(node)
      ? rewriteVariant(node, takeLeaf)
      : node.leaf === undefined
        ? rewriteGroup(node, rewrite)
        : rewriteLeaf(node, takeLeaf)
    origins.set(rewritten, node)
    return { node: rewritten, convert: node.repetition === 'repeated' ? each(convert) : orNull(convert) }
  }
  return { ...rewrite(source), origins }
}

function nodeAt(node: SchemaNode, path: readonly number[]): SchemaNode | undefined {
  return path.reduce<SchemaNode | undefined>((found, index) => found?.children[index], node)
}

/** Chunks for the leaves of the rewritten column, in order. @throws AppError TABLE_UNSUPPORTED, TABLE_CORRUPT */
export function rewriteRowGroup(input: RewriteInput): ColumnChunk[] {
  const { node, convert } = compileRewriting(input)
  const byLeaf = new Map(input.chunks.map((chunk) => [chunk.leafIndex, chunk]))
  const rows = decodeRawColumn(input.source, input.rowCount, (leafIndex) => byLeaf.get(leafIndex), childKey)
  return encodeMadeChunks(node, rows.map(convert))
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
  (raw: unknown): MadeValue => {
    const items: unknown = raw ?? []
    if (!Array.isArray(items)) throw parquetCorrupt('a column is nested otherwise than its schema says')
    return items.map(convert)
  }
