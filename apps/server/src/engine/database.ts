// Opens the DuckDB of an engine process and locks it down. Runs in the child process only.
// Order matters: what is denied last must still be allowed while the rest is set up. After `lock_configuration`, no
// statement can widen anything. What holds is tested in engine-lockdown.test.ts.
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import type { EngineSettings } from './protocol.ts'
import { quoteString } from './quote.ts'

export interface Database {
  readonly connection: DuckDBConnection
  close(): void
}

/** Keeps plans of empty tables telling: without these, an empty table answers a statement by itself. */
const ANALYSIS_OPTIMIZERS_OFF = 'statistics_propagation,late_materialization,compressed_materialization'

function settings(options: EngineSettings): string[] {
  const directory = quoteString(options.directory)
  return [
    'SET autoinstall_known_extensions = false',
    'SET autoload_known_extensions = false',
    'SET allow_community_extensions = false',
    'SET allow_persistent_secrets = false',
    "SET TimeZone = 'UTC'",
    `SET memory_limit = '${options.memoryBytesMax}B'`,
    `SET threads = ${options.threads}`,
    `SET temp_directory = ${quoteString(`${options.directory}/spill`)}`,
    `SET max_temp_directory_size = '${options.spillBytesMax}B'`,
    // A statement over one snapshot gives its rows in the same order each time, which a reader who pages or compares
    // results relies on; the price is some buffering in parallel scans.
    'SET preserve_insertion_order = true',
    'SET enable_progress_bar = false',
    'SET errors_as_json = true',
    ...(options.role === 'analysis' ? [`SET disabled_optimizers = '${ANALYSIS_OPTIMIZERS_OFF}'`] : []),
    "ATTACH ':memory:' AS iceberg",
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
  const connection = await instance.connect()
  for (const statement of settings(options)) await connection.run(statement)
  return {
    connection,
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
