// What the writers of columns, flat and nested, have in common.
import type { Data, DataType } from 'apache-arrow'
import type { ValidityBuilder } from './growable-buffer.ts'
import type { VectorSource } from './vector-source.ts'

export interface ColumnWriter {
  /** Appends rows `[start, start + count)`. */
  append(source: VectorSource, start: number, count: number): void
  /** Bytes that these rows would add, about: values and offsets, not validity. */
  measure(source: VectorSource, start: number, count: number): number
  /** The column so far. Shares memory with the writer until `reset`. */
  finish(): Data
  reset(): void
}

/** The part of an Arrow column's description that all types share. */
export const dataProps = (type: DataType, length: number, validity: ValidityBuilder) => ({
  type,
  offset: 0,
  length,
  nullCount: validity.nullCount,
  nullBitmap: validity.finish(),
})

/** Offsets of a variable-length column: one more than there are rows, from 0. */
export function createOffsets() {
  let offsets = new Int32Array(1_024)
  let length = 0
  return {
    push(end: number) {
      if (length + 2 > offsets.length) {
        const grown = new Int32Array(offsets.length * 2)
        grown.set(offsets)
        offsets = grown
      }
      length += 1
      offsets[length] = end
    },
    get last() {
      return offsets[length] as number
    },
    finish: () => offsets.subarray(0, length + 1),
    reset() {
      length = 0
    },
  }
}
