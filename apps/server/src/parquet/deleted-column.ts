// The column of an excerpt that says which of its rows are deleted: one bit a row, written as a plain Parquet page of
// booleans. So the engine filters deleted rows while it reads, in whatever order, batch or wave it reads them.
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import type { PositionSet } from '@lake/core/scan/position-set.ts'
import { LIMITS } from '../limits.ts'
import { DELETED_COLUMN } from './excerpt.ts'
import type { ColumnChunk, RowGroup } from './parquet-metadata.ts'
import type { ProjectedNode } from './projection.ts'
import { parquetUnsupported } from './thrift.ts'

const DATA_PAGE = 0
const PLAIN = 0
const RLE = 3

export const DELETED_NODE: ProjectedNode = {
  name: DELETED_COLUMN,
  repetition: 'required',
  annotation: { kind: 'none' },
  leaf: { index: -1, physicalType: 'BOOLEAN', lengthBytes: undefined },
  children: [],
}

export interface LiveRowGroup {
  readonly group: RowGroup
  readonly deletedCount: number
  /** One page with a bit for every row; empty where no row of the file is deleted. */
  readonly deletedPage: Uint8Array
}

/**
 * The row groups that have a row which is not deleted, in order.
 * @throws AppError TABLE_UNSUPPORTED for very many rows: each takes a bit, whether the file has it or not
 */
export function liveRowGroups(
  groups: readonly RowGroup[],
  positions: PositionSet | undefined,
): readonly LiveRowGroup[] {
  const totalCount = groups.reduce((total, group) => total + group.rowCount, 0)
  if (positions && totalCount > LIMITS.madeRowsMax) throw parquetUnsupported('a data file of very many rows')
  return groups.flatMap((group): LiveRowGroup[] => {
    const { firstRow, rowCount } = group
    if (rowCount === 0) return []
    if (!positions) return [{ group, deletedCount: 0, deletedPage: new Uint8Array() }]
    const { bits, deletedCount } = positions.select(firstRow, firstRow + rowCount)
    return deletedCount === rowCount ? [] : [{ group, deletedCount, deletedPage: encodePage(bits, rowCount) }]
  })
}

/** How the footer of an excerpt describes a page of `liveRowGroups`. */
export function deletedChunkOf(page: Uint8Array, rowCount: number): ColumnChunk {
  return {
    range: { start: 0, end: page.byteLength },
    codec: 0,
    encodings: [PLAIN, RLE],
    valueCount: rowCount,
    compressedBytes: page.byteLength,
    uncompressedBytes: page.byteLength,
    dataPageOffset: 0,
    dictionaryPageOffset: undefined,
    statistics: undefined,
    bloomFilter: undefined,
  }
}

function encodePage(bits: Uint8Array, rowCount: number): Uint8Array {
  const writer = new ByteWriter()
  serializeTCompactProtocol(writer, {
    field_1: DATA_PAGE,
    field_2: bits.byteLength,
    field_3: bits.byteLength,
    field_5: { field_1: rowCount, field_2: PLAIN, field_3: RLE, field_4: RLE },
  })
  writer.appendBytes(bits)
  return writer.getBytes()
}
