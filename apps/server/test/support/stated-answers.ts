// Answers that the corpus' own repositories state, with their SQL rewritten to ours by the mapping below. What needs
// more than reading a table as it is now is left out, each time for a reason that can be read here.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CORPUS_DIRECTORY, readCorpusCounts } from './corpus.ts'

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
    /iceberg_(column_stats|partition_stats)|\* from iceberg_metadata|select \* from \S+\.all_files|manifest_sequence_number/i,
    'a metadata table of another form',
  ],
  [/filename|file_row_number|_file_row|_file_last_updated/i, 'a metadata column of another form'],
  [
    /describe|^\s*(create|insert|set|explain|attach|pragma|alter|drop|show|refresh|invalidate|delete|update|merge|optimize|truncate|load)\b/i,
    'not a query',
  ],
  [/\brand\(|unnest_tokens|to_timestamp\(|from_unixtime|typeof\(/i, 'a function of the other engine'],
  [/\.(pos|item|key|value)\b/i, 'a nested collection as a table'],
  [/read_parquet|range\(|duckdb_logs|oracle_(asc|desc)|ice_tbl_v2_part|alltypestiny/i, 'another table'],
  [/iceberg__\w+__\w+/i, 'a metadata column of another form'],
  [/tablesample|base64decode|straight_join/i, 'a form of the other engine'],
]

/** @param entries all of the table */
function reasonToLeaveOut(entry: StatedEntry, entries: readonly StatedEntry[]): string | undefined {
  if (entry.results === null || (entry.kind !== undefined && !entry.kind.startsWith('query')))
    return 'no rows stated'
  // The same statement fails elsewhere in the test, before some check is switched off.
  if (entries.some(({ query, kind }) => query === entry.query && kind === 'statement error'))
    return 'a check switched off'
  return REASONS.find(([pattern]) => pattern.test(entry.query))?.[1]
}

const CALL =
  /iceberg_(scan|metadata|snapshots)\(\s*'([^']*)'((?:\s*,\s*\w+\s*=\s*(?:'[^']*'|[^,)\s]+))*)\s*\)/gi

/** True for the metadata file that the corpus' catalog serves, as `3`, `v3` or by its whole name. */
function isServed(table: string, version: string): boolean {
  const file = basename(readCorpusCounts()[table]?.metadata ?? '', '.metadata.json')
  return (
    [version, `v${version}`, `${version}.metadata.json`].includes(file) || version === `${file}.metadata.json`
  )
}

/** A table function as the table that it reads; undefined where it reads another metadata file. */
function tableOfCall(
  table: string,
  from: string,
  [, kind, path, options]: RegExpMatchArray,
): string | undefined {
  const option = (name: string): string | undefined =>
    new RegExp(`\\b${name}\\s*=\\s*'?([^',)\\s]+)`, 'i').exec(options ?? '')?.[1]
  const version = option('version') ?? /([^/]+)\.metadata\.json$/.exec(path ?? '')?.[1]
  if (version !== undefined && !isServed(table, version)) return undefined
  const snapshotId = option('snapshot_from_id')
  const at = snapshotId === undefined ? '' : ` AT (VERSION => ${snapshotId})`
  const metadataTable = (name: string): string => `${from.slice(0, -1)}$${name}"${at}`
  if (kind?.toLowerCase() === 'snapshots') return metadataTable('snapshots')
  if (kind?.toLowerCase() === 'scan') return `${from}${at}`
  const contents = "['DATA', 'POSITION_DELETES', 'EQUALITY_DELETES'][data_file.content + 1]"
  return `(SELECT if(data_file.content = 0, 'DATA', 'DELETE') AS manifest_content, ${contents} AS content,
    sequence_number AS data_sequence_number, file_sequence_number FROM ${metadataTable('entries')})`
}

/** Stated by DuckDB's Iceberg extension: `iceberg_scan('<path>')` becomes the table, cells are parted by tabs. */
function fromDuckDb(table: string, entry: StatedEntry): StatedAnswer | undefined {
  const from = `iceberg.${table
    .split('/')
    .map((part) => `"${part}"`)
    .join('.')}`
  const calls = [...entry.query.matchAll(CALL)].map(
    (call) => [call[0], tableOfCall(table, from, call)] as const,
  )
  if (calls.some(([, replacement]) => replacement === undefined)) return undefined
  const sql = calls
    .reduce((query, [call, replacement]) => query.replace(call, () => replacement ?? ''), entry.query)
    .replaceAll(/my_datalake\.default\.\w+/gi, from)
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
  const bare = new RegExp(
    `\\b(?:functional_parquet\\.)?${name}(?:_external)?\\b(?:\\."?(all_files|files)\\b"?)?`,
    'gi',
  )
  const sql = entry.query
    .replaceAll(/"([^"]*)"/g, "'$1'")
    .replaceAll(/`([^`]*)`/g, '"$1"')
    .replaceAll(bare, (_bare, metadataTable?: string) =>
      metadataTable === undefined ? `iceberg.impala."${name}"` : `iceberg.impala."${name}$${metadataTable}"`,
    )
    .replaceAll(/\binput__file__name\b/gi, '_file')
    .replaceAll(/\bfile__position\b/gi, '_pos')
    .replaceAll(/\bpartition__spec__id\b/gi, '_spec_id')
    .replaceAll(/\bstrright\(/gi, 'right(')
    .replaceAll(/\bfor system_version as of (\d+)/gi, 'AT (VERSION => $1)')
    .replaceAll(/\bfor system_time as of now\(\)/gi, "AT (TIMESTAMP => '2100-01-01')")
    .replace(/;\s*$/, '')
  const lines = (entry.results ?? '').split('\n').filter((line) => line !== '')
  const cells = (line: string): (string | null)[] =>
    [...line.matchAll(/'((?:[^'\\]|\\.)*)'|([^,]+)/g)].map(([, text, bareCell]) =>
      text === undefined && bareCell === 'NULL' ? null : (text?.replaceAll(/\\(.)/g, '$1') ?? bareCell ?? ''),
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
  const addAll = (table: string, entries: StatedEntry[], convert: typeof fromDuckDb): void => {
    for (const entry of entries) {
      const reason = reasonToLeaveOut(entry, entries)
      const answer = reason === undefined ? convert(table, entry) : undefined
      if (answer) answers.push(answer)
      else leftOut.push({ table, query: entry.query, reason: reason ?? 'another metadata file' })
    }
  }
  for (const [table, entries] of read('duckdb-iceberg.json')) addAll(table, entries, fromDuckDb)
  for (const [name, entries] of read('impala.json')) addAll(`impala/${name}`, entries, fromImpala)
  return { answers, leftOut }
}
