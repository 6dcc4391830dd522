// A copied range as tab-separated text that spreadsheets read back: fields with a tab, a line break or a quote are
// quoted, NULL is an empty field and '' is "". Values are whole and exact, never what fitted the cell.
import { COPY_CHARS_MAX } from '../../limits.ts'

function tsvField(value: string | null): string {
  if (value === null) return ''
  if (value === '' || /["\t\r\n]/.test(value)) return `"${value.replaceAll('"', '""')}"`
  return value
}

/** @returns null when the text would pass COPY_CHARS_MAX: a cut copy would look complete */
export function tsvOf(
  rows: Iterable<Iterable<string | null>>,
  charsMax: number = COPY_CHARS_MAX,
): string | null {
  const lines: string[] = []
  let charCount = 0
  for (const row of rows) {
    const line = Array.from(row, tsvField).join('\t')
    charCount += line.length + 1
    if (charCount > charsMax) return null
    lines.push(line)
  }
  return lines.join('\n')
}
