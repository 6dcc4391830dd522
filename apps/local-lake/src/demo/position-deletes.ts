// Position delete files of the demo tables.
import type { DataFile } from '../iceberg/manifest-files.ts'
import { literal } from '../iceberg/parquet-writer.ts'
import type { ParquetWriter } from '../iceberg/parquet-writer.ts'
import { field } from '../iceberg/schema-fields.ts'
import type { FieldJson } from '../iceberg/schema-fields.ts'

const FIELDS: readonly FieldJson[] = [
  { ...field(2_147_483_546, 'file_path', 'string'), required: true },
  { ...field(2_147_483_545, 'pos', 'long'), required: true },
]

export interface DeletedRows {
  /** All of one partition. */
  readonly file: DataFile
  readonly count: number
  /** Every how many rows one is deleted, from the first. */
  readonly stride: number
}

export async function writePositionDeletes(
  writer: ParquetWriter,
  location: string,
  deleted: readonly DeletedRows[],
): Promise<DataFile> {
  const positions = deleted.map(({ file, count, stride }) => {
    return `SELECT ${literal(file.file_path)} AS file_path, (i * ${stride})::BIGINT AS pos FROM range(${count}) r(i)`
  })
  return writer.write({
    sql: `${positions.join(' UNION ALL ')} ORDER BY file_path, pos`,
    fields: FIELDS,
    location,
    partition: deleted[0]?.file.partition ?? {},
    rowGroupRows: 8_192,
    content: 1,
    isBoundWhole: true,
  })
}
