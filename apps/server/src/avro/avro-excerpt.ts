// Makes the excerpt of one Avro data file. Avro stores rows, so the file is read whole, decoded, and its needed columns are
// written as Parquet; bounded in bytes as stored and as decoded. Rows keep their order and so their positions.
import { isAppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import { decodeAvroHeader, decodeAvroRecords } from '../metadata/avro-container.ts'
import { compileAvroDecoder } from '../metadata/avro-decoder.ts'
import type { AvroDecoder } from '../metadata/avro-decoder.ts'
import type { AvroField } from '../metadata/avro-schema.ts'
import { resolveColumns, writeRowGroups } from '../parquet/excerpt-writer.ts'
import type { ExcerptOutcome, ExcerptRequest, ResolvedColumns } from '../parquet/excerpt-writer.ts'
import { createFileReader } from '../parquet/file-reader.ts'
import type { FileReader } from '../parquet/file-reader.ts'
import { projectedLeaves } from '../parquet/footer-writer.ts'
import { encodeMadeChunks } from '../parquet/made-chunk.ts'
import type { MadeValue } from '../parquet/made-chunk.ts'
import type { ColumnChunk, RowGroup, SchemaNode } from '../parquet/parquet-metadata.ts'
import { parquetUnsupported } from '../parquet/thrift.ts'
import { avroColumns } from './avro-columns.ts'
import type { AvroColumn } from './avro-columns.ts'

/** @throws AppError as `writeExcerpt` */
export async function writeAvroExcerpt(
  request: ExcerptRequest,
  signal: AbortSignal,
): Promise<ExcerptOutcome> {
  const { store, uri, cache, task } = request
  const { fileSizeBytes } = task.file
  try {
    const reader = createFileReader({ store, uri, fileSizeBytes, cache })
    return await writeFrom(request, reader, fileSizeBytes, signal)
  } catch (error) {
    // Some writers put wrong file sizes into manifests.
    if (!isAppError(error, 'TABLE_CORRUPT')) throw error
    const { sizeBytes } = await store.statObject(uri, signal)
    if (sizeBytes === fileSizeBytes) throw error
    const reader = createFileReader({ store, uri, fileSizeBytes: sizeBytes, cache })
    return await writeFrom(request, reader, sizeBytes, signal)
  }
}

async function writeFrom(
  request: ExcerptRequest,
  reader: FileReader,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<ExcerptOutcome> {
  if (sizeBytes > LIMITS.avroDataFileBytesMax) throw parquetUnsupported('a very large Avro data file')
  const bytes = new Uint8Array(sizeBytes)
  await reader.readRanges(
    [{ start: 0, end: sizeBytes }],
    async (_index, position, part) => {
      bytes.set(part, position)
      await Promise.resolve()
    },
    signal,
  )
  const path = request.task.file.path
  const header = decodeAvroHeader(bytes, path)
  const { fields } = header.schema
  const { columns, leafCount } = avroColumns(fields)
  const nodes = columns.map(({ node }) => node)
  const hasFieldIds = nodes.some(hasFieldId)
  if (!hasFieldIds && request.nameMapping === undefined) {
    throw parquetUnsupported('Avro data files without field ids or name mapping')
  }
  const resolved = resolveColumns(request, { columns: nodes, leafCount, hasFieldIds })
  if (resolved.variants.length > 0) throw parquetUnsupported('variants in Avro data files')
  const rowGroups = new RowGroupBuilder(columns, resolved)
  await decodeAvroRecords(
    {
      bytes,
      path,
      header,
      decode: rowDecoder(fields, columns, rowGroups.isNeeded),
      decodedBytesMax: LIMITS.avroDataDecodedBytesMax,
    },
    (row) => {
      rowGroups.add(row as unknown as readonly MadeValue[])
    },
    signal,
  )
  const kept = rowGroups.finish()
  return await writeRowGroups(request, resolved, { reader, kept, rowGroupsTotal: kept.length }, signal)
}

function hasFieldId(node: SchemaNode): boolean {
  return node.fieldId !== undefined || node.children.some(hasFieldId)
}

/** Decodes a record into the values of its columns; those that are not needed are passed over and null. */
function rowDecoder(
  fields: readonly AvroField[],
  columns: readonly AvroColumn[],
  isNeeded: readonly boolean[],
): AvroDecoder {
  const decoders = fields.map((field, index) => {
    const decode = isNeeded[index] === true ? columns[index]?.decode : undefined
    if (decode) return decode
    const pass = compileAvroDecoder(field.type)
    return (cursor: Parameters<AvroDecoder>[0]): MadeValue => {
      pass(cursor)
      return null
    }
  })
  return (cursor) => decoders.map((decode) => decode(cursor))
}

/** Collects rows into row groups of chunks. */
class RowGroupBuilder {
  /** By column. */
  readonly isNeeded: readonly boolean[]
  readonly #columns: readonly AvroColumn[]
  readonly #groups: RowGroup[] = []
  #rows: (readonly MadeValue[])[] = []
  #firstRow = 0

  constructor(columns: readonly AvroColumn[], { nodes }: ResolvedColumns) {
    const needed = new Set(projectedLeaves(nodes).map(({ index }) => index))
    this.#columns = columns
    this.isNeeded = columns.map(({ node }) => leafIndexes(node).some((index) => needed.has(index)))
  }

  add(row: readonly MadeValue[]): void {
    this.#rows.push(row)
    if (this.#rows.length >= LIMITS.avroDataRowGroupRows) this.#flush()
  }

  finish(): readonly RowGroup[] {
    if (this.#rows.length > 0) this.#flush()
    return this.#groups
  }

  #flush(): void {
    const rows = this.#rows
    const chunks: ColumnChunk[] = []
    this.#columns.forEach(({ node }, column) => {
      if (this.isNeeded[column] !== true) return
      const made = encodeMadeChunks(
        node,
        rows.map((row) => row[column] ?? null),
      )
      leafIndexes(node).forEach((index, place) => {
        const chunk = made[place]
        if (chunk) chunks[index] = chunk
      })
    })
    this.#groups.push({ firstRow: this.#firstRow, rowCount: rows.length, chunks })
    this.#firstRow += rows.length
    this.#rows = []
  }
}

function leafIndexes(node: SchemaNode): readonly number[] {
  return node.leaf === undefined ? node.children.flatMap(leafIndexes) : [node.leaf.index]
}
