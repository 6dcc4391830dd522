// Answers that the corpus' own repositories state, with their SQL rewritten to ours by the mapping below. What needs
// more than reading a table as it is now is left out, each time for a reason that can be read here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORPUS_DIRECTORY } from './corpus.ts'

export interface StatedAnswer {
  /** `<repository>/<table>`. */
  readonly table: string
  readonly sql: string
  /** Cells as text, NULL as `null`. */
  readonly rows: readonly (readonly (string | null)[])[]
}

export interface LeftOut {
  readonly table: string
  readonly query: string
  readonly reason: string
}

interface StatedEntry {
  readonly query: string
  readonly results: string | null
  readonly kind?: string
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /iceberg_(metadata|snapshots|column_stats|partition_stats)|\.`?(all_files|files|entries|manifests|history|snapshots|refs|partitions|position_deletes)`?/i,
    'a metadata table',
  ],
  [
    /version\s*=|snapshot_from|for system_|version as of|timestamp as of/i,
    'time travel or another metadata file',
  ],
  [
    /filename|input__file__name|file__position|file_row_number|_row_id|_file_row|last_updated/i,
    'a metadata column',
  ],
  [
    /describe|^\s*(create|insert|set|explain|attach|pragma|alter|drop|show|refresh|invalidate|delete|update|merge|optimize|truncate|load)\b/i,
    'not a query',
  ],
  [/\brand\(|unnest_tokens|to_timestamp\(|from_unixtime|typeof\(/i, 'a function of the other engine'],
  [/\.(pos|item|key|value)\b/i, 'a nested collection as a table'],
  [/read_parquet|range\(|duckdb_logs|oracle_(asc|desc)|ice_tbl_v2_part|alltypestiny/i, 'another table'],
  [/__\w+__\w+|partition__spec__id/i, 'a metadata column'],
  [/tablesample|base64decode|straight_join|iceberg_scan\(\s*\n/i, 'a form of the other engine'],
]

function reasonToLeaveOut(entry: StatedEntry): string | undefined {
  if (entry.results === null || (entry.kind !== undefined && !entry.kind.startsWith('query')))
    return 'no rows stated'
  return REASONS.find(([pattern]) => pattern.test(entry.query))?.[1]
}

/** Stated by DuckDB's Iceberg extension: `iceberg_scan('<path>')` becomes the table, cells are parted by tabs. */
function fromDuckDb(table: string, entry: StatedEntry): StatedAnswer {
  const from = `iceberg.${table
    .split('/')
    .map((part) => `"${part}"`)
    .join('.')}`
  const sql = entry.query
    .replaceAll(/my_datalake\.default\.\w+/gi, from)
    .replaceAll(/iceberg_scan\('[^']*'(\s*,\s*allow_moved_paths\s*=\s*true)?\s*\)/gi, from)
    .replace(/;\s*$/, '')
  const lines = (entry.results ?? '').split('\n').filter((line) => line !== '')
  return {
    table,
    sql,
    rows: lines.map((line) => line.split('\t').map((cell) => (cell === 'NULL' ? null : cell))),
  }
}

/** Stated by Impala: bare table names become full ones, cells are parted by commas and texts are quoted. */
function fromImpala(table: string, entry: StatedEntry): StatedAnswer {
  const name = table.split('/')[1] ?? ''
  const bare = new RegExp(`\\b(functional_parquet\\.)?${name}(_external)?\\b`, 'gi')
  const sql = entry.query
    .replaceAll(/"([^"]*)"/g, "'$1'")
    .replaceAll(/`([^`]*)`/g, '"$1"')
    .replaceAll(bare, `iceberg.impala."${name}"`)
    .replace(/;\s*$/, '')
  const lines = (entry.results ?? '').split('\n').filter((line) => line !== '')
  const cells = (line: string): (string | null)[] =>
    [...line.matchAll(/'((?:[^'\\]|\\.)*)'|([^,]+)/g)].map(([, text, bareCell]) =>
      text === undefined && bareCell === 'NULL'
        ? null
        : (text?.replaceAll(/\\(.)/g, '$1') ?? bareCell ?? ''),
    )
  return { table, sql, rows: lines.map(cells) }
}

export function readStatedAnswers(): { answers: StatedAnswer[]; leftOut: LeftOut[] } {
  const answers: StatedAnswer[] = []
  const leftOut: LeftOut[] = []
  const read = (file: string): [string, StatedEntry[]][] =>
    Object.entries(
      JSON.parse(readFileSync(join(CORPUS_DIRECTORY, '_stated', file), 'utf8')) as Record<
        string,
        StatedEntry[]
      >,
    )
  const add = (table: string, entry: StatedEntry, convert: typeof fromDuckDb): void => {
    const reason = reasonToLeaveOut(entry)
    if (reason === undefined) answers.push(convert(table, entry))
    else leftOut.push({ table, query: entry.query, reason })
  }
  for (const [table, entries] of read('duckdb-iceberg.json'))
    for (const entry of entries) add(table, entry, fromDuckDb)
  for (const [name, entries] of read('impala.json'))
    for (const entry of entries) add(`impala/${name}`, entry, fromImpala)
  return { answers, leftOut }
}
