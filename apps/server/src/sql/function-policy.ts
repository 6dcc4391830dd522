// Which functions a statement may call. Pure functions of values pass; what reads files, settings, the catalog of the
// engine, the session or the environment, or runs SQL from text, does not. The engine process is locked down as well:
// this list is for clear answers, and a second line.

/** Table functions that make rows from their arguments alone. */
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  'range',
  'generate_series',
  'unnest',
  'repeat',
  'repeat_row',
  'json_each',
  'json_tree',
])

const REFUSED_PREFIXES = [
  'read_',
  'write_',
  'pg_',
  'duckdb_',
  'pragma_',
  'parquet_',
  'iceberg_',
  'sniff_',
  'scan_',
  'sqlite_',
  'postgres_',
  'mysql_',
  'delta_',
  'arrow_scan',
  'pandas_',
  'python_',
  'test_',
  'enable_',
  'disable_',
  'truncate_duckdb_',
  'from_substrait',
  'get_substrait',
  'json_deserialize_sql',
  'json_execute_',
  'json_serialize_',
  'load_',
  'storage_',
  'reset_',
]

const REFUSED: ReadonlySet<string> = new Set([
  'add_parquet_key',
  'checkpoint',
  'col_description',
  'current_catalog',
  'current_connection_id',
  'current_database',
  'current_query',
  'current_query_id',
  'current_role',
  'current_schema',
  'current_schemas',
  'current_setting',
  'current_transaction_id',
  'current_user',
  'currval',
  'force_checkpoint',
  'format_pg_type',
  'format_type',
  'getenv',
  'getvariable',
  'glob',
  'in_search_path',
  'inet_client_addr',
  'inet_server_addr',
  'lastval',
  'nextval',
  'obj_description',
  'query',
  'query_table',
  'seq_scan',
  'session_user',
  'set_config',
  'setseed',
  'sleep_ms',
  'stats',
  'get_block_size',
  'setval',
  'shobj_description',
  'sql_auto_complete',
  'summary',
  'txid_current',
  'txid_current_snapshot',
  'user',
  'version',
  'which_secret',
])

/** Pure functions that a prefix above would refuse. */
const PURE: ReadonlySet<string> = new Set(['pg_typeof', 'pg_size_pretty'])

const isRefused = (name: string): boolean =>
  REFUSED.has(name) || (!PURE.has(name) && REFUSED_PREFIXES.some((prefix) => name.startsWith(prefix)))

export function isTableFunctionAllowed(name: string): boolean {
  return TABLE_FUNCTIONS.has(name.toLowerCase())
}

/** Scalar, aggregate and window functions. A function that does not exist passes: the engine says so better. */
export function isFunctionAllowed(name: string): boolean {
  return !isRefused(name.toLowerCase())
}
