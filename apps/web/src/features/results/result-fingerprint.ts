// A short text by which two answers are compared without keeping either: hashes over the exact text of every cell.
// Says whether answers agree, not how they differ, and is no protection against forged data: 128 bits of a fast hash.
//
// Four hashes: of the rows in any order, twice with floating-point values rounded (a sum in another order differs in
// its last bits), and of the rows in their order where the statement has one. Two roundings on shifted grids, because
// any one grid has edges that two nearly equal values may fall on either side of. Times are hashed in UTC.
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { visitRows } from '../../query-run/visit-rows.ts'
import { FINGERPRINT_CELLS_MAX } from '../../limits.ts'
import { textAt, type ResultColumn } from './grid-columns.ts'
import { hashText, MultisetHash, SequenceHash } from './row-hash.ts'

const VERSION = 'f1'
const FLOAT_TYPES = new Set(['DOUBLE', 'FLOAT', 'REAL'])
const FLOAT_DIGITS = 10

/** A double rounded on one of two grids that share no edge; other texts as they are. */
export function roundedFloat(text: string, grid: 0 | 1): string {
  const value = Number(text)
  if (!Number.isFinite(value)) return text
  if (value === 0) return '0'
  const exponent = Math.floor(Math.log10(Math.abs(value)))
  const scaled = value / 10 ** exponent
  const digits = String(Math.round(scaled * 10 ** (FLOAT_DIGITS - 1) + grid / 2))
  // 9.999… and 10 differ in exponent; without closing zeros they are one text.
  const significant = digits.replace(/0+$/, '')
  return `${significant}e${exponent + digits.length - significant.length}`
}

/**
 * The fingerprint of a whole answer; null when it has more cells than FINGERPRINT_CELLS_MAX.
 *
 * @param isOrdered whether the statement asks for an order of its rows
 */
export async function resultFingerprint(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  isOrdered: boolean,
  signal: AbortSignal,
): Promise<string | null> {
  const { rowCount } = buffer
  if (rowCount * columns.length > FINGERPRINT_CELLS_MAX) return null
  const exact = new MultisetHash()
  const rounded = [new MultisetHash(), new MultisetHash()] as const
  const sequence = new SequenceHash()
  const isFloat = columns.map((column) => FLOAT_TYPES.has(column.sqlType))
  const hasFloats = isFloat.includes(true)
  const add = (row: number) => {
    const cells = columns.map((_, column) => textAt(buffer, columns, column, row) ?? null)
    const text = JSON.stringify(cells)
    exact.add(text)
    if (isOrdered) sequence.add(text)
    if (hasFloats)
      for (const grid of [0, 1] as const)
        rounded[grid].add(
          JSON.stringify(
            cells.map((cell, i) => (cell !== null && isFloat[i] === true ? roundedFloat(cell, grid) : cell)),
          ),
        )
  }
  await visitRows(buffer, rowCount, add, signal)
  const shape = hashText(JSON.stringify(columns.map(({ name, sqlType }) => [name, sqlType])))
  const floats = hasFloats ? rounded.map((hash) => hash.text()) : ['', '']
  return [VERSION, String(rowCount), shape, exact.text(), ...floats, isOrdered ? sequence.text() : ''].join(
    '.',
  )
}

export type FingerprintVerdict =
  | { kind: 'identical' }
  /** All but the last digits of floating-point values. */
  | { kind: 'identicalButFloats' }
  /** The same rows; the statement's ORDER BY leaves their order open in places. */
  | { kind: 'otherOrder' }
  | { kind: 'otherColumns' }
  | { kind: 'otherRowCount'; expected: number; actual: number }
  | { kind: 'differs' }
  /** The two were made by different versions of this function, or one is unreadable. */
  | { kind: 'unknown' }

export function compareFingerprints(expected: string, actual: string): FingerprintVerdict {
  const [version, rows, shape, exact, floatsA, floatsB, sequence] = expected.split('.')
  const now = actual.split('.')
  if (version !== VERSION || now[0] !== VERSION || sequence === undefined || now.length !== 7)
    return { kind: 'unknown' }
  if (shape !== now[2]) return { kind: 'otherColumns' }
  if (rows !== now[1]) return { kind: 'otherRowCount', expected: Number(rows), actual: Number(now[1]) }
  if (exact === now[3])
    return sequence === '' || now[6] === '' || sequence === now[6]
      ? { kind: 'identical' }
      : { kind: 'otherOrder' }
  const isNearlySame = floatsA !== '' && (floatsA === now[4] || floatsB === now[5])
  return { kind: isNearlySame ? 'identicalButFloats' : 'differs' }
}
