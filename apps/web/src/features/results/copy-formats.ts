// Copied rows in the forms that other tools take. Values are whole and exact in each: what JSON numbers would round is
// a text there, and NULL, '' and 'NULL' stay apart wherever the form can say so.
import { createCsvFieldWriter, PLAIN_CSV } from '@lake/core/values/csv-text.ts'
import { uniqueNames } from '@lake/core/values/unique-names.ts'
import { COPY_CHARS_MAX } from '../../limits.ts'
import type { ResultColumn } from './grid-columns.ts'
import { tsvOf } from './tsv.ts'
import { quoted } from '../../sql/quoted.ts'

export type CopyFormat = 'TSV' | 'CSV' | 'JSON' | 'Markdown' | 'SQL IN list'
export const COPY_FORMATS: readonly CopyFormat[] = ['TSV', 'CSV', 'JSON', 'Markdown', 'SQL IN list']

type Row = readonly (string | null)[]

const joined = (rows: Iterable<Row>, line: (row: Row) => string): string[] | null => {
  const lines: string[] = []
  let charCount = 0
  for (const row of rows) {
    const text = line(row)
    charCount += text.length + 1
    if (charCount > COPY_CHARS_MAX) return null
    lines.push(text)
  }
  return lines
}

const csvField = createCsvFieldWriter(PLAIN_CSV)

function markdownField(value: string | null): string {
  if (value === null) return '*NULL*'
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll(/\r\n|\r|\n/g, '<br>')
}

const DOUBLE = /^(DOUBLE|FLOAT|REAL)$/
const INTEGER = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/

function jsonValue(value: string | null, { sqlType }: ResultColumn): unknown {
  if (value === null) return null
  if (sqlType === 'BOOLEAN') return value === 'true'
  const number = Number(value)
  if (INTEGER.test(sqlType)) return Number.isSafeInteger(number) ? number : value
  // A double's text is the shortest that reads back as it, so the number is the same one.
  return DOUBLE.test(sqlType) && Number.isFinite(number) && value !== '-0' ? number : value
}

function jsonOf(columns: readonly ResultColumn[], rows: Iterable<Row>): string | null {
  const names = uniqueNames(columns.map(({ name }) => name))
  const lines = joined(rows, (row) => {
    const members = columns.map(
      (column, i) => `${JSON.stringify(names[i])}: ${JSON.stringify(jsonValue(row[i] ?? null, column))}`,
    )
    return `  {${members.join(', ')}}`
  })
  return lines === null ? null : `[\n${lines.join(',\n')}\n]`
}

const TYPED_LITERAL =
  /^(DATE|TIME|TIMESTAMP|TIMESTAMP WITH TIME ZONE|TIMESTAMP_NS|TIMESTAMP_MS|TIMESTAMP_S|UUID|BLOB)$/

function sqlLiteral(value: string, { sqlType: type, isNumeric }: ResultColumn): string {
  // The engine has no such type; its time in UTC takes the text with its offset.
  const sqlType = type === 'TIMESTAMP_NS WITH TIME ZONE' ? 'TIMESTAMP_NS' : type
  if (sqlType === 'BOOLEAN') return value
  if (isNumeric && /^-?\d+(\.\d+)?$/.test(value)) return value
  const text = quoted(value)
  if (isNumeric) return `${text}::${sqlType}`
  if (sqlType === 'BLOB') return `unhex('${value.replace(/^0x/, '')}')`
  return TYPED_LITERAL.test(sqlType) ? `${text}::${sqlType}` : text
}

/** Distinct values of the first column; NULL is left out, since IN never finds it. */
function inListOf(columns: readonly ResultColumn[], rows: Iterable<Row>): string | null {
  const [column] = columns
  if (column === undefined) return '()'
  const values = new Set<string>()
  for (const [value] of rows) if (value !== null && value !== undefined) values.add(sqlLiteral(value, column))
  const text = `(${[...values].join(', ')})`
  return text.length > COPY_CHARS_MAX ? null : text
}

/** @returns null when the text would pass COPY_CHARS_MAX: a cut copy would look complete */
export function copyTextOf(
  format: CopyFormat,
  columns: readonly ResultColumn[],
  rows: Iterable<Row>,
): string | null {
  const header = columns.map(({ name }) => name)
  switch (format) {
    case 'TSV':
      return tsvOf(rows)
    case 'CSV': {
      const lines = joined(rows, (row) => row.map((value) => csvField(value, true)).join(','))
      return lines === null
        ? null
        : `${[header.map((name) => csvField(name, true)).join(','), ...lines].join('\r\n')}\r\n`
    }
    case 'JSON':
      return jsonOf(columns, rows)
    case 'Markdown': {
      const lines = joined(rows, (row) => `| ${row.map(markdownField).join(' | ')} |`)
      const rule = columns.map(({ isNumeric }) => (isNumeric ? '---:' : '---'))
      return lines === null
        ? null
        : [`| ${header.map(markdownField).join(' | ')} |`, `| ${rule.join(' | ')} |`, ...lines].join('\n')
    }
    case 'SQL IN list':
      return inListOf(columns, rows)
  }
}
