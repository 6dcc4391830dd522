// Parquet files written by DuckDB into the object store, each with the metrics that its manifest entry carries. Metrics
// come from the file as written: sizes, counts and bounds from the writer's own statistics, row group offsets from the
// footer, NaN counts from the data.
import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'
import { LAKE_BUCKET, toKey } from '../catalog/catalog.ts'
import { LIMITS } from '../limits.ts'
import type { ObjectFiles } from '../s3/object-files.ts'
import type { DataFile, IntMapEntry } from './manifest-files.ts'
import { fieldIdsOption, leafColumns } from './schema-fields.ts'
import type { FieldJson, LeafColumn } from './schema-fields.ts'
import { encodeBound } from './single-value.ts'

export interface ParquetFile {
  /** A query whose columns are those of `fields`, by name. */
  readonly sql: string
  readonly fields: readonly FieldJson[]
  /** `s3://…` where the file goes. */
  readonly location: string
  readonly partition: Readonly<Record<string, number | null>>
  /** DuckDB rounds to its vectors of 2,048 rows. */
  readonly rowGroupRows: number
  readonly content?: 0 | 1
  /** In whose order the rows are. Default: 0, in none. */
  readonly sortOrderId?: number
  /** Bounds of strings are kept whole; readers of position deletes compare paths with them. */
  readonly isBoundWhole?: boolean
}

interface WrittenColumn {
  readonly leaf: LeafColumn
  readonly path: string
  readonly stats: ReadonlyMap<string, string>
}

export class ParquetWriter {
  readonly #objects: ObjectFiles
  readonly #instance: DuckDBInstance
  readonly #connections: readonly DuckDBConnection[]

  private constructor(
    objects: ObjectFiles,
    instance: DuckDBInstance,
    connections: readonly DuckDBConnection[],
  ) {
    this.#objects = objects
    this.#instance = instance
    this.#connections = connections
  }

  static async open(objects: ObjectFiles): Promise<ParquetWriter> {
    const instance = await DuckDBInstance.create(':memory:', {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    const connections: DuckDBConnection[] = []
    for (let n = 0; n < LIMITS.filesWrittenAtOnceMax; n += 1) {
      const connection = await instance.connect()
      await connection.run("SET TimeZone = 'UTC'")
      connections.push(connection)
    }
    return new ParquetWriter(objects, instance, connections)
  }

  /** Path of a file in the store, for a query that reads it again. */
  pathOf(location: string): string {
    return this.#objects.path(LAKE_BUCKET, toKey(location))
  }

  /** Writes files, a few at a time; results are in the order of `files`. */
  async writeAll(files: readonly ParquetFile[]): Promise<DataFile[]> {
    const written: DataFile[] = []
    const queue = files.entries()
    const work = async (connection: DuckDBConnection): Promise<void> => {
      for (const [index, file] of queue) written[index] = await this.#write(connection, file)
    }
    await Promise.all(this.#connections.map(work))
    return written
  }

  async write(file: ParquetFile): Promise<DataFile> {
    const [written] = await this.writeAll([file])
    if (written === undefined) throw new Error('No file was written')
    return written
  }

  /** Rows of a query, with values as text where numbers would not hold them. */
  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const [connection] = this.#connections
    if (connection === undefined) throw new Error('No connection is open')
    return rowsOf(connection, sql)
  }

  async #write(connection: DuckDBConnection, file: ParquetFile): Promise<DataFile> {
    const scratch = await this.#objects.scratchFile()
    const options = [
      'FORMAT parquet',
      `FIELD_IDS ${fieldIdsOption(file.fields)}`,
      'COMPRESSION zstd',
      `ROW_GROUP_SIZE ${file.rowGroupRows}`,
      'RETURN_STATS',
    ]
    const [written] = await rowsOf(
      connection,
      `COPY (${file.sql}) TO ${literal(scratch)} (${options.join(', ')})`,
    )
    if (written === undefined) throw new Error('DuckDB reported no written file')
    const columns = readColumns(written['column_statistics'], file.fields)
    const nanCounts = await countNans(connection, scratch, columns)
    const splitOffsets = await readSplitOffsets(connection, scratch)
    await this.#objects.commitFile(scratch, LAKE_BUCKET, toKey(file.location), true)
    const single = columns.filter(({ leaf }) => !leaf.isRepeated)
    const lengthMax = file.isBoundWhole === true ? Number.MAX_SAFE_INTEGER : undefined
    return {
      content: file.content ?? 0,
      file_path: file.location,
      file_format: 'PARQUET',
      partition: file.partition,
      record_count: BigInt(String(written['count'])),
      file_size_in_bytes: BigInt(String(written['file_size_bytes'])),
      column_sizes: counts(columns, 'column_size_bytes'),
      value_counts: counts(columns, 'num_values'),
      null_value_counts: counts(single, 'null_count'),
      nan_value_counts: nanCounts,
      lower_bounds: bounds(single, 'lower', lengthMax),
      upper_bounds: bounds(single, 'upper', lengthMax),
      key_metadata: null,
      split_offsets: splitOffsets,
      equality_ids: null,
      sort_order_id: file.content === 1 ? null : (file.sortOrderId ?? 0),
    }
  }

  close(): void {
    for (const connection of this.#connections) connection.closeSync()
    this.#instance.closeSync()
  }
}

async function readSplitOffsets(connection: DuckDBConnection, path: string): Promise<bigint[]> {
  const sql = `SELECT min(least(data_page_offset, coalesce(nullif(dictionary_page_offset, 0), data_page_offset)))
    AS first_byte FROM parquet_metadata(${literal(path)}) GROUP BY row_group_id ORDER BY row_group_id`
  return (await rowsOf(connection, sql)).map((row) => BigInt(String(row['first_byte'])))
}

/** Exact NaN counts of the floating point columns; only columns that have NaNs are read again. */
async function countNans(
  connection: DuckDBConnection,
  path: string,
  columns: readonly WrittenColumn[],
): Promise<IntMapEntry<bigint>[]> {
  const floats = columns.filter(({ leaf }) => !leaf.isRepeated && /^(float|double)$/.test(leaf.type))
  const found: IntMapEntry<bigint>[] = []
  for (const { leaf, path: column, stats } of floats) {
    const sql = `SELECT count(*) FILTER (isnan(${column})) AS nans FROM read_parquet(${literal(path)})`
    const nans = stats.get('has_nan') === 'true' ? (await rowsOf(connection, sql))[0]?.['nans'] : 0
    found.push({ key: leaf.id, value: BigInt(String(nans)) })
  }
  return found
}

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson()
}

type PairsJson = readonly { readonly key: string; readonly value: unknown }[]

function readColumns(statistics: unknown, fields: readonly FieldJson[]): WrittenColumn[] {
  const leaves = leafColumns(fields)
  const columns = (statistics as PairsJson).map(({ key: path, value }) => {
    const leaf = leaves.get(path)
    if (leaf === undefined) throw new Error(`DuckDB wrote a column that the schema lacks: ${path}`)
    const stats = new Map((value as PairsJson).map((pair) => [pair.key, String(pair.value)]))
    return { leaf, path, stats }
  })
  return columns.sort((a, b) => a.leaf.id - b.leaf.id)
}

function counts(columns: readonly WrittenColumn[], stat: string): IntMapEntry<bigint>[] {
  return columns.flatMap(({ leaf, stats }) => {
    const value = stats.get(stat)
    return value === undefined ? [] : [{ key: leaf.id, value: BigInt(value) }]
  })
}

function bounds(
  columns: readonly WrittenColumn[],
  kind: 'lower' | 'upper',
  lengthMax: number | undefined,
): IntMapEntry<Buffer>[] {
  return columns.flatMap(({ leaf, stats }) => {
    const text = stats.get(kind === 'lower' ? 'min' : 'max')
    const value = text === undefined ? undefined : encodeBound(leaf.type, text, kind, lengthMax)
    return value === undefined ? [] : [{ key: leaf.id, value }]
  })
}

/** A string literal of SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
