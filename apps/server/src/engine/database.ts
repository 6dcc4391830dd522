// Opens the DuckDB of an engine process and locks it down. Runs in the child process only.
// Order matters: what is denied last must still be allowed while the rest is set up. After `lock_configuration`, no
// statement can widen anything. What holds is tested in engine-lockdown.test.ts.
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import type { EngineSettings } from './protocol.ts'
import { quoteString } from './quote.ts'

export interface Database {
  /** Another one after `renew`. */
  readonly connection: DuckDBConnection
  /** Takes away all that statements and their views have left: what is in the catalogs, and the connection itself. */
  renew(): Promise<void>
  close(): void
}

const ATTACH_ICEBERG = "ATTACH ':memory:' AS iceberg"

/** Keeps plans of empty tables telling: without these, an empty table answers a statement by itself. */
const ANALYSIS_OPTIMIZERS_OFF = 'statistics_propagation,late_materialization,compressed_materialization'

function settings(options: EngineSettings): string[] {
  const directory = quoteString(options.directory)
  return [
    'SET autoinstall_known_extensions = false',
    'SET autoload_known_extensions = false',
    'SET allow_community_extensions = false',
    'SET allow_persistent_secrets = false',
    // GLOBAL: of every connection, since each statement has its own.
    "SET GLOBAL TimeZone = 'UTC'",
    `SET memory_limit = '${options.memoryBytesMax}B'`,
    `SET threads = ${options.threads}`,
    `SET temp_directory = ${quoteString(`${options.directory}/spill`)}`,
    `SET max_temp_directory_size = '${options.spillBytesMax}B'`,
    // A statement over one snapshot gives its rows in the same order each time, which a reader who pages or compares
    // results relies on; the price is some buffering in parallel scans.
    'SET preserve_insertion_order = true',
    'SET GLOBAL errors_as_json = true',
    // An excerpt is read once.
    'SET enable_external_file_cache = false',
    ...(options.role === 'analysis' ? [`SET disabled_optimizers = '${ANALYSIS_OPTIMIZERS_OFF}'`] : []),
    ATTACH_ICEBERG,
    `SET allowed_directories = [${directory}]`,
    'SET enable_external_access = false',
    'SET lock_configuration = true',
  ]
}

/** Opens an empty in-memory database with an empty catalog `iceberg`. */
export async function openDatabase(options: EngineSettings): Promise<Database> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
  })
  let connection = await instance.connect()
  for (const statement of settings(options)) await connection.run(statement)
  return {
    get connection() {
      return connection
    },
    async renew() {
      // Ends what the last statement still streams: its memory would be the next one's.
      await connection.run('SELECT 1')
      connection.closeSync()
      connection = await instance.connect()
      await connection.run('DETACH iceberg')
      await connection.run(ATTACH_ICEBERG)
    },
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
