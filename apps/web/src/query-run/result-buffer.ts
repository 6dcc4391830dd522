// Keeps the record batches of one result outside React and finds a row's batch by binary search. Column data stays in
// Arrow's buffers: no row objects. Bounded: when full, the reader waits until the limit is raised by one more step.
import type { RecordBatch, Schema } from 'apache-arrow'
import { RESULT_BYTES_PER_STEP_MAX, RESULT_ROWS_PER_STEP_MAX } from '../limits.ts'

export interface RowPosition {
  batch: RecordBatch
  /** Row within the batch, from 0. */
  index: number
}

export class ResultBuffer {
  schema: Schema | null = null
  rowCount = 0
  byteCount = 0
  readonly #batches: RecordBatch[] = []
  /** First row of each batch; ascending, one for each batch. */
  readonly #starts: number[] = []
  #rowsMax: number
  #bytesMax: number
  readonly #rowsPerStep: number
  readonly #bytesPerStep: number

  constructor(rowsPerStep = RESULT_ROWS_PER_STEP_MAX, bytesPerStep = RESULT_BYTES_PER_STEP_MAX) {
    this.#rowsPerStep = this.#rowsMax = rowsPerStep
    this.#bytesPerStep = this.#bytesMax = bytesPerStep
  }

  get isFull(): boolean {
    return this.rowCount >= this.#rowsMax || this.byteCount >= this.#bytesMax
  }

  raiseLimit(): void {
    this.#rowsMax = this.rowCount + this.#rowsPerStep
    this.#bytesMax = this.byteCount + this.#bytesPerStep
  }

  append(batch: RecordBatch): void {
    if (batch.numRows === 0) return
    this.#batches.push(batch)
    this.#starts.push(this.rowCount)
    this.rowCount += batch.numRows
    this.byteCount += batch.data.byteLength
  }

  /** Where row `row` (from 0) lies; null outside of the result. */
  locate(row: number): RowPosition | null {
    if (row < 0 || row >= this.rowCount) return null
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= row) low = middle
      else high = middle - 1
    }
    const batch = this.#batches[low]
    return batch === undefined ? null : { batch, index: row - (this.#starts[low] ?? 0) }
  }
}
