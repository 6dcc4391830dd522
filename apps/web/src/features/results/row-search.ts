// Which rows hold what is looked for. Rows may still be arriving: each is looked at once, and what was found so far is told
// with how many rows that is of.
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { visitRows } from '../../query-run/visit-rows.ts'
import { EXAMINED_ROWS_MAX } from '../../limits.ts'
import { textAt, type ResultColumn } from './grid-columns.ts'

/** The exact text of a column's value; null is NULL. */
export interface CellValue {
  column: number
  text: string | null
}

export interface Wanted {
  /** Held by one of `shown`, whatever its case; empty: by any row. NULL holds nothing. */
  search: string
  /** Columns that are searched, by index. */
  shown: readonly number[]
  /** The value that a row must have; null: any. */
  only: CellValue | null
}

export interface Matches {
  /** Row numbers, ascending. */
  rows: Uint32Array
  /** How many rows, from the first, these were found in. */
  lookedAtCount: number
}

function matcher(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  { search, shown, only }: Wanted,
): (row: number) => boolean {
  const wanted = search.toLowerCase()
  const isHeld = (row: number): boolean =>
    shown.some((column) => (textAt(buffer, columns, column, row) ?? '').toLowerCase().includes(wanted))
  return (row) =>
    (only === null || textAt(buffer, columns, only.column, row) === only.text) &&
    (wanted === '' || isHeld(row))
}

export class RowSearch {
  readonly #buffer: ResultBuffer
  readonly #isMatch: (row: number) => boolean
  readonly #onFound: (matches: Matches) => void
  readonly #found: number[] = []
  #lookedAtCount = 0
  #isLooking = false

  constructor(
    buffer: ResultBuffer,
    columns: readonly ResultColumn[],
    wanted: Wanted,
    onFound: (matches: Matches) => void,
  ) {
    this.#buffer = buffer
    this.#isMatch = matcher(buffer, columns, wanted)
    this.#onFound = onFound
  }

  /** Looks at the rows that are new, up to EXAMINED_ROWS_MAX in all. Does nothing while it is looking already. */
  async goOn(signal: AbortSignal): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      for (;;) {
        const start = this.#lookedAtCount
        const end = Math.min(this.#buffer.rowCount, EXAMINED_ROWS_MAX)
        if (end <= start) return
        const look = (row: number): void => {
          if (this.#isMatch(row)) this.#found.push(row)
        }
        await visitRows(this.#buffer, { start, end }, look, signal)
        signal.throwIfAborted()
        this.#lookedAtCount = end
        this.#onFound({ rows: Uint32Array.from(this.#found), lookedAtCount: end })
      }
    } finally {
      this.#isLooking = false
    }
  }
}
