// The corpus of tables by other engines, where it is present.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const CORPUS_DIRECTORY =
  process.env['LAKE_CORPUS_DIR'] ?? resolve(import.meta.dirname, '../../../../../shared/corpus')

export const CORPUS_MISSING = existsSync(join(CORPUS_DIRECTORY, '_computed/counts.json'))
  ? undefined
  : `no corpus at LAKE_CORPUS_DIR or beside the checkout`

export interface CorpusSnapshot {
  readonly id: string
  readonly dataFiles: number
  readonly positionDeleteFiles: number
  readonly equalityDeleteFiles: number
  readonly deletionVectors: number
  readonly records: number | null
  /** Rows when every path, those inside of delete files too, is compared in its canonical form. */
  readonly rowsMappedPaths: number | null
  readonly missing: unknown
  readonly notes: readonly string[]
}

export interface CorpusTable {
  readonly formatVersion: number
  readonly metadata: string
  readonly currentSnapshot: string | null
  readonly missing: number
  readonly snapshots: readonly CorpusSnapshot[] | null
}

/** By `<repository>/<table folder>`. */
export function readCorpusCounts(): Record<string, CorpusTable> {
  return JSON.parse(readFileSync(join(CORPUS_DIRECTORY, '_computed/counts.json'), 'utf8')) as Record<
    string,
    CorpusTable
  >
}
