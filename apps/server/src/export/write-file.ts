// The one table of formats: who writes which.
import type { ExportTarget } from '@lake/core/api/export-contract.ts'
import { assertNever } from '@lake/core/assert.ts'
import { writeArrowFile } from './arrow-file.ts'
import { writeParquet } from './parquet-file.ts'
import type { ResultSource } from './result-source.ts'
import { writeCsv, writeJsonLines } from './text-files.ts'
import { writeXlsx } from './xlsx-file.ts'

/** The bytes of the file, in pieces. Throws EXPORT_FORMAT_LIMIT, and what the source throws. */
export function writeFile(
  target: ExportTarget,
  source: ResultSource,
  issuedAtMs: number,
): AsyncGenerator<Uint8Array> {
  switch (target.format) {
    case 'csv':
      return writeCsv(source, target)
    case 'jsonl':
      return writeJsonLines(source, target)
    case 'parquet':
      return writeParquet(source)
    case 'arrow':
      return writeArrowFile(source)
    case 'xlsx':
      return writeXlsx(source, issuedAtMs)
    default:
      return assertNever(target)
  }
}
