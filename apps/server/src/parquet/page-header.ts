// Reads the header of a page before the library does: its Thrift is bounded, its type is one of those with values, and of
// the parts that describe values it has the one of its type and no other, so that what is checked is what is decoded.
// Source: parquet-format parquet.thrift, PageHeader.
import { parquetHeader } from 'hyparquet/src/column.js'
import type { PageHeader } from 'hyparquet/src/types.js'
import { decodeThrift, parquetCorrupt } from './thrift.ts'

const DATA_PAGE = 0
const DICTIONARY_PAGE = 2
const DATA_PAGE_V2 = 3
/** Which field describes the values of a page of each type. */
const FIELD_OF_TYPE: Readonly<Record<number, number>> = {
  [DATA_PAGE]: 5,
  [DICTIONARY_PAGE]: 7,
  [DATA_PAGE_V2]: 8,
}

/** Reads a header and moves to the page behind it. @throws AppError TABLE_CORRUPT */
export function readPageHeader(reader: { readonly view: DataView; offset: number }): PageHeader {
  const { buffer, byteOffset, byteLength } = reader.view
  const struct = decodeThrift(new Uint8Array(buffer, byteOffset, byteLength), reader.offset)
  const expected = FIELD_OF_TYPE[typeof struct['field_1'] === 'number' ? struct['field_1'] : -1]
  const described = Object.values(FIELD_OF_TYPE).filter((fieldId) => struct[`field_${fieldId}`] !== undefined)
  if (described.length !== 1 || described[0] !== expected) throw parquetCorrupt('a page is of no known kind')
  const header = parquetHeader(reader)
  const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: dictionary } = header
  const counts: readonly unknown[] = [
    header.compressed_page_size,
    header.uncompressed_page_size,
    ...(v1 ? [v1.num_values] : []),
    ...(dictionary ? [dictionary.num_values] : []),
    ...(v2
      ? [
          v2.num_values,
          v2.num_nulls,
          v2.num_rows,
          v2.definition_levels_byte_length,
          v2.repetition_levels_byte_length,
        ]
      : []),
  ]
  if (!counts.every((count) => typeof count === 'number' && count >= 0)) {
    throw parquetCorrupt('a page has an impossible size')
  }
  return header
}
