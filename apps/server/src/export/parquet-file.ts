// A Parquet file, one row group at a time: what is held is one row group's Arrow batches and one column's values. The
// receipt is in the footer's key-value metadata, under `lake.receipt`. Names that repeat get a number, since readers
// find columns by name.
import type { Data, Field } from 'apache-arrow'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { FILE_RECEIPT_KEY } from '@lake/core/flight/receipt.ts'
import { uniqueNames } from '@lake/core/values/unique-names.ts'
import { LIMITS } from '../limits.ts'
import { formatLimit } from './format-limit.ts'
import { columnSource, parquetColumn } from './parquet-columns.ts'
import type { ResultSource } from './result-source.ts'

/** Gives the bytes that were written since the last time, and forgets them. */
class DrainedWriter extends ByteWriter {
  drain(): Uint8Array {
    const bytes = new Uint8Array(this.getBuffer())
    this.index = 0
    return bytes
  }
}

const FIRST_BUFFER_BYTES = 1_048_576

export async function* writeParquet(source: ResultSource): AsyncGenerator<Uint8Array> {
  const { fields } = source.schema
  if (fields.length === 0) throw formatLimit('parquet', 'columns', 'A Parquet file needs a column')
  const names = uniqueNames(fields.map(({ name }: Field) => name))
  const columns = fields.map((field: Field, index) => parquetColumn(names[index] ?? '', field.type))
  const writer = new DrainedWriter(FIRST_BUFFER_BYTES)
  const file = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: fields.length }, ...columns.flatMap(({ elements }) => elements)],
    createdBy: 'lake-workbench',
  })
  const rowsMax = Math.min(
    LIMITS.exportRowGroupRowsMax,
    Math.ceil(LIMITS.exportRowGroupCellsMax / fields.length),
  )
  const group = { parts: [] as Data[][], rowCount: 0, bytes: 0 }
  const writeGroup = (): Uint8Array => {
    void file.write({
      columnData: columns.map((column, index) =>
        columnSource(
          names[index] ?? '',
          column,
          group.parts.flatMap((part) => part[index] ?? []),
        ),
      ),
      rowGroupSize: group.rowCount,
    })
    Object.assign(group, { parts: [], rowCount: 0, bytes: 0 })
    return writer.drain()
  }

  for await (const { batch, bytes } of source.rows) {
    group.parts.push([...batch.data.children])
    group.rowCount += batch.numRows
    group.bytes += bytes.length
    if (group.rowCount >= rowsMax || group.bytes >= LIMITS.exportRowGroupBytesMax) yield writeGroup()
  }
  if (group.rowCount > 0) yield writeGroup()
  file.kvMetadata = [{ key: FILE_RECEIPT_KEY, value: JSON.stringify(source.receipt()) }]
  void file.finish()
  yield writer.drain()
}
