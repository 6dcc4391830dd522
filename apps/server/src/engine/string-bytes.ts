// Copies the bytes of DuckDB strings out of a vector. Runs in the child process only.
//
// A string is 16 bytes: length, then either up to 12 bytes in place or 4 bytes of prefix and a pointer. One native call
// per string would cost about a microsecond, so neighbouring strings are fetched as one block. A block may span a gap
// only below the size of a page: both of its ends are then mapped, so nothing unmapped lies between them.
import duckdb from '@duckdb/node-bindings'

const STRING_BYTES = 16
const INLINE_BYTES_MAX = 12
const GAP_BYTES_MAX = 2_048
const BLOCK_BYTES_MAX = 4_194_304
/** Below this length a plain loop beats a native copy. */
const LOOP_BYTES_MAX = 24

const pointerAt = (words: Uint32Array, row: number): number =>
  (words[row * 4 + 2] ?? 0) + (words[row * 4 + 3] ?? 0) * 4_294_967_296

function copyShort(from: Uint8Array, start: number, to: Uint8Array, at: number, length: number): void {
  for (let index = 0; index < length; index += 1) to[at + index] = from[start + index] as number
}

/**
 * @param data the vector's raw data, 16 bytes per row
 * @param rows rows with a value of more than 12 bytes; sorted by pointer here
 * @param offsets where in `target` the bytes of row `rowBase + i` go
 */
function copyPointed(
  data: Buffer,
  words: Uint32Array,
  rows: number[],
  offsets: Int32Array,
  rowBase: number,
  target: Buffer,
): void {
  let isSorted = true
  for (let index = 1; index < rows.length && isSorted; index += 1) {
    isSorted = pointerAt(words, rows[index] as number) >= pointerAt(words, rows[index - 1] as number)
  }
  if (!isSorted) rows.sort((left, right) => pointerAt(words, left) - pointerAt(words, right))
  const offsetOf = (row: number): number => offsets[row - rowBase] ?? 0

  let first = 0
  while (first < rows.length) {
    const firstRow = rows[first] as number
    const blockStart = pointerAt(words, firstRow)
    let blockEnd = blockStart + (words[firstRow * 4] ?? 0)
    let next = first + 1
    while (next < rows.length) {
      const row = rows[next] as number
      const start = pointerAt(words, row)
      const end = start + (words[row * 4] ?? 0)
      if (start > blockEnd + GAP_BYTES_MAX || end - blockStart > BLOCK_BYTES_MAX) break
      blockEnd = Math.max(blockEnd, end)
      next += 1
    }
    const pointerOffset = data.byteOffset + firstRow * STRING_BYTES + 8
    const block = duckdb.get_data_from_pointer(
      data.buffer as ArrayBuffer,
      pointerOffset,
      blockEnd - blockStart,
    ) as Buffer
    for (let index = first; index < next; index += 1) {
      const row = rows[index] as number
      const start = pointerAt(words, row) - blockStart
      const length = words[row * 4] ?? 0
      if (length <= LOOP_BYTES_MAX) copyShort(block, start, target, offsetOf(row), length)
      else block.copy(target, offsetOf(row), start, start + length)
    }
    first = next
  }
}

/** Copies rows `[start, start + count)`; `offsets[i]` says where row `start + i` goes, and -1 stands for NULL. */
export function copyStrings(
  data: Buffer,
  words: Uint32Array,
  start: number,
  count: number,
  offsets: Int32Array,
  target: Buffer,
): void {
  const pointed: number[] = []
  for (let index = 0; index < count; index += 1) {
    const offset = offsets[index] as number
    if (offset < 0) continue
    const row = start + index
    const length = words[row * 4] as number
    if (length <= INLINE_BYTES_MAX) copyShort(data, row * STRING_BYTES + 4, target, offset, length)
    else pointed.push(row)
  }
  if (pointed.length > 0) copyPointed(data, words, pointed, offsets, start, target)
}
