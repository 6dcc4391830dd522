// A statement that reads the snapshots it was once answered from: `AT (VERSION => id)` after every mention of a pinned
// table. The alias goes before AT. A mention that says its own version already is left as it is.
import { blankLiterals } from './blank-literals.ts'

export interface TableVersion {
  /** Levels joined by dots, as in SQL. */
  namespace: string
  table: string
  snapshotId: string
}

/** The source of a pattern for one identifier, quoted or bare. */
export const NAME = String.raw`(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)`
const MENTION = new RegExp(String.raw`(?:\biceberg|(?<!")"iceberg")\s*\.\s*(${NAME})\s*\.\s*(${NAME})`, 'giu')
const ALIAS = new RegExp(String.raw`\s+(as\s+)?(${NAME})`, 'iuy')
const COLUMN_ALIASES = new RegExp(String.raw`\s*\(\s*${NAME}(?:\s*,\s*${NAME})*\s*\)`, 'iuy')
const OWN_VERSION = /\s+at\s*\(\s*(version|timestamp)\b/iy

/** Words that may follow a table in FROM and so are no alias of it. */
export const NOT_ALIAS: ReadonlySet<string> = new Set(
  (
    'anti asof at cross except fetch for full group having inner intersect join lateral left limit natural offset on ' +
    'order pivot positional qualify right sample select semi set tablesample union unpivot using where window'
  ).split(' '),
)

export const unquoteName = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}

/** Where AT belongs after a table's name that ends at `at`; null where the mention has its own. */
function placeOfVersion(text: string, at: number): number | null {
  if (endOf(OWN_VERSION, text, at) !== null) return null
  ALIAS.lastIndex = at
  const alias = ALIAS.exec(text)
  let end = at
  if (alias !== null && (alias[1] !== undefined || !NOT_ALIAS.has((alias[2] ?? '').toLowerCase()))) {
    end += alias[0].length
    end = endOf(COLUMN_ALIASES, text, end) ?? end
  }
  return endOf(OWN_VERSION, text, end) === null ? end : null
}

export function sqlAtVersions(sql: string, versions: readonly TableVersion[]): string {
  return placeVersions(sql, versions).sql
}

export interface PlacedVersions {
  sql: string
  /** Those of which the text has no mention that could be found. */
  unplaced: readonly TableVersion[]
}

/** As `sqlAtVersions`, for whom a version that is not in the text would be a wrong answer. */
export function placeVersions(sql: string, versions: readonly TableVersion[]): PlacedVersions {
  const placed = new Set<TableVersion>()
  const text = blankLiterals(sql, { keepNames: true })
  let result = ''
  let done = 0
  for (const match of text.matchAll(MENTION)) {
    const namespace = unquoteName(match[1] ?? '').toLowerCase()
    const table = unquoteName(match[2] ?? '').toLowerCase()
    const version = versions.find(
      (known) => known.namespace.toLowerCase() === namespace && known.table.toLowerCase() === table,
    )
    const place = version === undefined ? null : placeOfVersion(text, match.index + match[0].length)
    if (version === undefined || place === null) continue
    placed.add(version)
    result += `${sql.slice(done, place)} AT (VERSION => ${version.snapshotId})`
    done = place
  }
  return { sql: result + sql.slice(done), unplaced: versions.filter((version) => !placed.has(version)) }
}
