// Makes the excerpt of one data file: reads its footer, drops row groups that cannot match, fetches the chunks of the
// needed columns, and writes them unchanged under a footer of their own. Rows keep their order, and row groups are dropped
// whole, so positions in the file can be translated. Either a complete excerpt appears under its name or none.
import { assertDefined } from '@lake/core/assert.ts'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import type { NameMapping } from '@lake/core/iceberg/name-mapping.ts'
import { isPrimitive } from '@lake/core/iceberg/schema.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import type { IcebergType, NestedField, Schema } from '@lake/core/iceberg/types.ts'
import { encodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import type { PositionSet } from '@lake/core/scan/position-set.ts'
import { xxhash64 } from 'hyparquet/src/xxhash.js'
import { LIMITS } from '../limits.ts'
import type { RangeCache } from '../storage/column-chunk-cache.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { dropByBloomFilters } from './bloom-filters.ts'
import { isUsualLeaf } from './column-types.ts'
import { liveRowGroups } from './deleted-column.ts'
import { literalSql, missingFieldSql } from './default-sql.ts'
import { writeExcerptFile } from './excerpt-file.ts'
import type { Excerpt, ExcerptColumn } from './excerpt.ts'
import { resolveFieldIds, type FieldIds } from './field-ids.ts'
import { createFileReader } from './file-reader.ts'
import type { FileReader } from './file-reader.ts'
import { readFooter } from './footer.ts'
import type { FooterGuess, FooterShape } from './footer-guess.ts'
import { projectedLeaves } from './footer-writer.ts'
import type { ParquetMetadata, RowGroup, SchemaNode } from './parquet-metadata.ts'
import { project, refuseGuess } from './projection.ts'
import type { ProjectedNode, Projection, ProjectionContext } from './projection.ts'
import { filterableColumns, selectRowGroups } from './row-group-pruning.ts'
import { isLineage, reservedColumn } from './reserved-column.ts'
import type { MadeColumn, MadeLeaf, ReservedRequest } from './reserved-column.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'
import { leavesOf } from './raw-column.ts'
import { takeWanted, type WantedRows } from './wanted-rows.ts'
import { addVariantChunks, hasVariant, variantColumn } from './variant/variant-columns.ts'
import type { VariantColumn } from './variant/variant-columns.ts'

export interface ExcerptRequest {
  readonly task: FileScanTask
  /** Rows of the file that are deleted by position. */
  readonly deleted?: PositionSet | undefined
  /** True for a file whose columns cannot be guessed: each is there by its field id or by the file's partition. */
  readonly isStrict?: boolean
  /** The spec that the file was written with (`task.file.specId`). */
  readonly partitionSpec: PartitionSpec
  /** The pinned schema, reserved columns behind its own. */
  readonly schema: Schema
  readonly reserved?: ReservedRequest | undefined
  readonly nameMapping: NameMapping | undefined
  /** Top-level columns that the statement reads. */
  readonly columnIndexes: ReadonlySet<number>
  /** Row groups beyond these may be left out; all are kept where it is absent. */
  readonly wanted?: WantedRows | undefined
  /** Row groups without a row that passes may be left out; the engine filters what is left. */
  readonly predicate: Predicate
  readonly store: Pick<ObjectStore, 'readRange' | 'statObject'>
  /** Canonical URI of the data file. */
  readonly uri: string
  readonly cache?: RangeCache | undefined
  /** What is known of the table's footers. */
  readonly footerGuess?: FooterGuess
  /** See `FileSource`. */
  readonly gapShareMax?: number | undefined
  /** Absolute; the excerpt is written there as `<name>.parquet`. */
  readonly directory: string
  readonly name: string
}

/** Rows of the data file that an excerpt holds, in order: positions `[firstRow, firstRow + rowCount)`. */
interface KeptRows {
  readonly firstRow: number
  readonly rowCount: number
}

export interface ExcerptOutcome {
  readonly excerpt: Excerpt
  readonly keptRows: readonly KeptRows[]
  readonly rowGroupsTotal: number
  readonly rowGroupsRead: number
  readonly bytesRead: number
  readonly requests: number
}

/**
 * @throws AppError TABLE_UNSUPPORTED, TABLE_CORRUPT, BUSY when the disk is full, and those of the store
 */
export async function writeExcerpt(request: ExcerptRequest, signal: AbortSignal): Promise<ExcerptOutcome> {
  const { task, uri, store, cache, gapShareMax } = request
  const { fileSizeBytes } = task.file
  const reader = createFileReader({ store, uri, fileSizeBytes, cache, gapShareMax })
  const shape = footerShape(request)
  const guessBytes = request.footerGuess?.guessBytes(shape)
  const metadata = await readFooter(reader, { fileSizeBytes, ...(guessBytes ? { guessBytes } : {}) }, signal)
  request.footerGuess?.learn(shape, metadata.footerBytes)
  const resolved = resolveColumns(request, metadata)
  const filter = {
    columns: filterableColumns(metadata, ownSchema(request), resolveFieldIds(metadata, request.nameMapping)),
    predicate: request.predicate,
    positionId: positionIdOf(request),
  }
  const selected = selectRowGroups(metadata, filter)
  const neededLeaves = projectedLeaves(resolved.nodes).map((leaf) => leaf.index)
  const kept = await dropByBloomFilters(selected, filter, neededLeaves, reader, signal)
  const source = { reader, kept, rowGroupsTotal: metadata.rowGroups.length }
  return await writeRowGroups(request, resolved, source, signal)
}

/** Where the rows of an excerpt come from. */
export interface ExcerptSource {
  readonly reader: FileReader
  /** Row groups that may hold rows of the table; chunks are in the file or carry their own bytes. */
  readonly kept: readonly RowGroup[]
  readonly rowGroupsTotal: number
}

/** Writes what is kept and not deleted. @throws AppError as `writeExcerpt` */
export async function writeRowGroups(
  request: ExcerptRequest,
  { columns, nodes, variants, made: madeLeaves }: ResolvedColumns,
  { reader, kept, rowGroupsTotal }: ExcerptSource,
  signal: AbortSignal,
): Promise<ExcerptOutcome> {
  const live = takeWanted(liveRowGroups(kept, request.deleted), request.wanted)
  const groups = live.map(({ group }) => group)
  const deletedCount = live.reduce((total, group) => total + group.deletedCount, 0)
  const rowCount = groups.reduce((total, group) => total + group.rowCount, 0)

  let path: string | undefined
  if (rowCount > 0 && nodes.length > 0) {
    // A value is made for each, however few bytes the file has.
    if (madeLeaves.length > 0 && rowCount > LIMITS.madeRowsMax) {
      throw parquetUnsupported('a data file of very many rows')
    }
    const rewritten = await addVariantChunks(groups, variants, reader, signal)
    const content = {
      nodes,
      groups: live.map((group, index) => ({
        ...group,
        group: addMadeChunks(rewritten[index] ?? group.group, madeLeaves),
      })),
      hasDeletedRows: deletedCount > 0,
    }
    path = await writeExcerptFile(request, content, reader, signal)
  }
  return {
    // Without rows there is no file, so nothing may refer to its columns.
    excerpt: {
      path,
      rowCount: path === undefined ? rowCount - deletedCount : rowCount,
      hasDeletedRows: path !== undefined && deletedCount > 0,
      columns: rowCount > 0 ? columns : allNull(columns),
    },
    keptRows: groups.map((group) => ({ firstRow: group.firstRow, rowCount: group.rowCount })),
    rowGroupsTotal,
    rowGroupsRead: groups.length,
    bytesRead: reader.bytesRead,
    requests: reader.requests,
  }
}

function addMadeChunks(group: RowGroup, leaves: readonly MadeLeaf[]): RowGroup {
  if (leaves.length === 0) return group
  const chunks = [...group.chunks]
  for (const { node, chunkOf } of leaves) if (node.leaf) chunks[node.leaf.index] = chunkOf(group)
  return { ...group, chunks }
}

/** Without reserved columns: where a file has one, its statistics do not speak of the rows that it leaves out. */
function ownSchema({ schema, reserved }: ExcerptRequest): Schema {
  if (!reserved) return schema
  return { ...schema, fields: schema.fields.filter((_field, index) => !reserved.columns.has(index)) }
}

function positionIdOf({ reserved }: ExcerptRequest): number | undefined {
  return [...(reserved?.columns.values() ?? [])].find(({ name }) => name === '_pos')?.fieldId
}

function footerShape(request: ExcerptRequest): FooterShape {
  const { fields } = ownSchema(request)
  return { leafCount: countLeaves(fields), rowGroupCount: request.task.file.splitCount ?? 1 }
}

function countLeaves(fields: readonly { readonly type: IcebergType }[]): number {
  return fields.reduce((count, { type }) => count + leafCountOf(type), 0)
}

function leafCountOf(type: IcebergType): number {
  switch (type.kind) {
    case 'struct':
      return countLeaves(type.fields)
    case 'list':
      return leafCountOf(type.element)
    case 'map':
      return leafCountOf(type.key) + leafCountOf(type.value)
    default:
      return 1
  }
}

export interface ResolvedColumns {
  readonly columns: ReadonlyMap<number, ExcerptColumn>
  /** What comes from the file or is written anew, named `c<index>`. */
  readonly nodes: readonly ProjectedNode[]
  /** What has to be written anew: leaves of `nodes` beyond those of the file. */
  readonly variants: readonly VariantColumn[]
  /** What has to be made without the file: leaves of `nodes` beyond all others. */
  readonly made: readonly MadeLeaf[]
}

/**
 * Finds the needed columns in a file by its schema.
 * @throws AppError TABLE_UNSUPPORTED, TABLE_CORRUPT
 */
export function resolveColumns(
  request: ExcerptRequest,
  metadata: Pick<ParquetMetadata, 'columns' | 'leafCount' | 'hasFieldIds'>,
): ResolvedColumns {
  const ids = resolveFieldIds(metadata, request.nameMapping)
  const identityFieldIds = new Set(identityFields(request.partitionSpec).map((field) => field.sourceId))
  const context: ProjectionContext = { ids, identityFieldIds }
  if (request.isStrict === true) requireFields(request, metadata.columns, ids)
  const columns = new Map<number, ExcerptColumn>()
  const nodes: ProjectedNode[] = []
  const variants: VariantColumn[] = []
  let nextLeaf = metadata.leafCount
  for (const index of [...request.columnIndexes].sort((a, b) => a - b)) {
    if (request.reserved?.columns.has(index) === true) continue
    const field = assertDefined(request.schema.fields[index], `the schema has no column ${index}`)
    const found = metadata.columns.filter((node) => ids.idOf(node) === field.id)
    const node = field.type.kind === 'unknown' ? undefined : found[0]
    if (found.length > 1) throw parquetCorrupt('two columns have one field id')
    if (node === undefined) {
      if (field.type.kind !== 'unknown') refuseGuess(ids, field.name)
      columns.set(index, { source: 'constant', sql: missingColumnSql(request, field) })
      continue
    }
    const name = `c${index}`
    const rewritten = hasVariant(field.type) ? variantColumn(field.type, node, nextLeaf, ids) : undefined
    if (rewritten) {
      variants.push(rewritten)
      nextLeaf += leavesOf(rewritten.node).length
    }
    const projection = project(field.type, rewritten?.node ?? node, name, field.name, {
      ...context,
      ids: rewritten?.ids ?? ids,
    })
    nodes.push(projection.node)
    columns.set(index, columnOf(field.type, projection, `"${name}"`))
  }
  const made = resolveReserved(request, metadata, context, nextLeaf)
  for (const { index, column } of made) columns.set(index, column)
  return {
    columns,
    nodes: [...nodes, ...made.flatMap((column) => column.nodes)],
    variants,
    made: made.flatMap(({ leaves }) => leaves),
  }
}

interface ResolvedReserved extends MadeColumn {
  readonly index: number
  readonly nodes: readonly ProjectedNode[]
}

/** @param leafStart index of the first leaf behind those of the file and those that are written anew */
function resolveReserved(
  request: ExcerptRequest,
  { columns }: Pick<ParquetMetadata, 'columns'>,
  context: ProjectionContext,
  leafStart: number,
): ResolvedReserved[] {
  const { reserved, task, schema } = request
  if (!reserved) return []
  let nextLeaf = leafStart
  return [...reserved.columns].flatMap(([index, column]): ResolvedReserved[] => {
    const field = schema.fields[index]
    if (!field || !request.columnIndexes.has(index)) return []
    const found = columns.filter((node) => context.ids.idOf(node) === field.id)
    if (found.length > 1) throw parquetCorrupt('two columns have one field id')
    const [node] = isLineage(column) ? found : []
    const stored = node && project(field.type, node, `c${index}`, field.name, context)
    const storedSql = stored && sqlOf(columnOf(field.type, stored, `"c${index}"`), `"c${index}"`)
    const place = { index, leafStart: nextLeaf }
    const made = reservedColumn(column, field, { task, request: reserved }, place, storedSql)
    nextLeaf += made.leaves.length
    const nodes = [...(stored ? [stored.node] : []), ...made.leaves.map((leaf) => leaf.node)]
    return [{ ...made, index, nodes }]
  })
}

const sqlOf = (column: ExcerptColumn, name: string): string =>
  column.source === 'constant' ? column.sql : name

/** A column of a delete file that is not found would be read as NULL and delete what it must not. */
function requireFields(request: ExcerptRequest, nodes: readonly SchemaNode[], ids: FieldIds): void {
  const inPartition = new Set(
    identityFields(request.partitionSpec)
      .filter(({ fieldId }) => request.task.file.partition.has(fieldId))
      .map(({ sourceId }) => sourceId),
  )
  const visit = (fields: readonly NestedField[], candidates: readonly SchemaNode[]): void => {
    for (const { id, name, type } of fields) {
      const node = candidates.find((candidate) => ids.idOf(candidate) === id)
      if (node === undefined && !inPartition.has(id)) {
        throw parquetCorrupt(`it is a delete file that has no column ${name}`)
      }
      if (type.kind === 'struct') visit(type.fields, node?.children ?? [])
    }
  }
  if (ids.isPositional) throw parquetUnsupported('delete files without field ids or name mapping')
  visit(request.schema.fields, nodes)
}

/**
 * Files are read together where their columns are said to be the same. So a column whose type is not the usual one of
 * the table's type carries its shape in a comment: two files of different shape then never share one reading.
 */
function columnOf(type: IcebergType, { node, compute }: Projection, name: string): ExcerptColumn {
  if (compute === undefined && isUsualLeaf(type, node)) return { source: 'file' }
  // A hash, since names inside could end the comment.
  const shape = xxhash64(encodeUtf8(JSON.stringify(shapeOf(node)))).toString(16)
  return { source: 'constant', sql: `${compute?.(name) ?? name} /* ${shape} */` }
}

function shapeOf({ name, annotation, leaf, children }: ProjectedNode): unknown {
  return [name, annotation, leaf?.physicalType, leaf?.lengthBytes, children.map(shapeOf)]
}

/** Iceberg table spec, "Column Projection": the partition's value, the initial default, NULL, in this order. */
function missingColumnSql(request: ExcerptRequest, field: NestedField): string {
  const { partition } = request.task.file
  for (const { sourceId, fieldId } of identityFields(request.partitionSpec)) {
    const value = sourceId === field.id ? partition.get(fieldId) : undefined
    if (value === undefined || !isPrimitive(field.type)) continue
    return value === null ? 'NULL' : literalSql(field.type, value)
  }
  return missingFieldSql(field, field.name)
}

function identityFields(spec: PartitionSpec): { sourceId: number; fieldId: number }[] {
  return spec.fields.flatMap(({ transform, sourceIds, fieldId }) => {
    const sourceId = sourceIds.length === 1 ? sourceIds[0] : undefined
    return transform.toLowerCase() === 'identity' && sourceId !== undefined ? [{ sourceId, fieldId }] : []
  })
}

function allNull(columns: ReadonlyMap<number, ExcerptColumn>): ReadonlyMap<number, ExcerptColumn> {
  return new Map([...columns.keys()].map((index) => [index, { source: 'constant', sql: 'NULL' }]))
}
