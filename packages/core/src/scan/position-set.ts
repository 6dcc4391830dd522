// Positions of deleted rows of one data file, as many as millions, in little memory: per 65,536 rows either a short list or
// one bit each. Positions may come unsorted and more than once. Which file they are of, and what is done with them, is for
// others. Positions count rows of the data file from 0, over all its row groups (Iceberg table spec, "Position Deletes").

const CHUNK_ROWS = 65_536
const CHUNK_BYTES = CHUNK_ROWS / 8
/** A list of this many positions takes as much room as bits for the whole chunk. */
const LISTED_MAX = 4_096
/** A range of more rows makes bits at once. */
const RANGE_LISTED_MAX = 256
/** More rows than any file has; also bounds the number of chunks. */
const POSITION_MAX = 2 ** 36

export interface DeletedRows {
  /** One bit a row from the first on, lowest bit first: 1 where the row is deleted. */
  readonly bits: Uint8Array
  readonly deletedCount: number
}

export interface PositionSet {
  /** @throws RangeError for what is no position of any file */
  add(position: number): void
  /** @param end exclusive */
  addRange(start: number, end: number): void
  /** How many of the rows `[start, end)` are deleted, however many rows that are. */
  count(start: number, end: number): number
  /** Of the rows `[start, end)`. Positions outside are left out, so one beyond the end of the file deletes nothing. */
  select(start: number, end: number): DeletedRows
}

type Chunk = { list: Uint16Array; length: number; bits: undefined } | { bits: Uint8Array }

export function createPositionSet(): PositionSet {
  const chunks = new Map<number, Chunk>()

  const bitsOf = (index: number): Uint8Array => {
    const chunk = chunks.get(index)
    if (chunk?.bits) return chunk.bits
    const bits = new Uint8Array(CHUNK_BYTES)
    if (chunk) for (const low of chunk.list.subarray(0, chunk.length)) setBit(bits, low)
    chunks.set(index, { bits })
    return bits
  }
  const addLow = (index: number, low: number): void => {
    let chunk = chunks.get(index)
    if (!chunk) {
      chunk = { list: new Uint16Array(8), length: 0, bits: undefined }
      chunks.set(index, chunk)
    }
    if (chunk.bits) {
      setBit(chunk.bits, low)
    } else if (chunk.length >= LISTED_MAX) {
      setBit(bitsOf(index), low)
    } else {
      if (chunk.length === chunk.list.length) {
        const longer = new Uint16Array(chunk.length * 2)
        longer.set(chunk.list)
        chunk.list = longer
      }
      chunk.list[chunk.length] = low
      chunk.length += 1
    }
  }

  const select = (start: number, end: number): DeletedRows => {
    const bits = new Uint8Array(Math.ceil(Math.max(0, end - start) / 8))
    for (let index = Math.floor(start / CHUNK_ROWS); index * CHUNK_ROWS < end; index += 1) {
      const chunk = chunks.get(index)
      if (chunk) copyChunk(chunk, { base: index * CHUNK_ROWS - start, rowCount: end - start, bits })
    }
    return { bits, deletedCount: countBits(bits) }
  }

  return {
    add(position) {
      checkPosition(position)
      addLow(Math.floor(position / CHUNK_ROWS), position % CHUNK_ROWS)
    },
    addRange(start, end) {
      if (end <= start) return
      checkPosition(start)
      checkPosition(end - 1)
      for (let index = Math.floor(start / CHUNK_ROWS); index * CHUNK_ROWS < end; index += 1) {
        const first = Math.max(0, start - index * CHUNK_ROWS)
        const last = Math.min(CHUNK_ROWS, end - index * CHUNK_ROWS)
        // Few rows are listed, so that many short ranges far from each other take little.
        if (last - first <= RANGE_LISTED_MAX) {
          for (let low = first; low < last; low += 1) addLow(index, low)
          continue
        }
        const bits = bitsOf(index)
        for (let low = first; low < last; low += 1) setBit(bits, low)
      }
    },
    count(start, end) {
      let total = 0
      for (const index of chunks.keys()) {
        const [from, to] = [Math.max(start, index * CHUNK_ROWS), Math.min(end, (index + 1) * CHUNK_ROWS)]
        if (from < to) total += select(from, to).deletedCount
      }
      return total
    },
    select,
  }
}

/** @param target.base what position 0 of the chunk is in the target; negative where the target begins inside the chunk */
function copyChunk(
  chunk: Chunk,
  target: { readonly base: number; readonly rowCount: number; readonly bits: Uint8Array },
): void {
  const copyBit = (low: number): void => {
    const row = target.base + low
    if (row >= 0 && row < target.rowCount) setBit(target.bits, row)
  }
  if (!chunk.bits) {
    for (const low of chunk.list.subarray(0, chunk.length)) copyBit(low)
    return
  }
  for (const [index, byte] of chunk.bits.entries()) {
    if (byte === 0) continue
    for (let bit = 0; bit < 8; bit += 1) if ((byte & (1 << bit)) !== 0) copyBit(index * 8 + bit)
  }
}

function setBit(bits: Uint8Array, index: number): void {
  const byte = index >>> 3
  bits[byte] = (bits[byte] ?? 0) | (1 << (index & 7))
}

function countBits(bits: Uint8Array): number {
  let count = 0
  for (let byte of bits) {
    for (; byte !== 0; byte &= byte - 1) count += 1
  }
  return count
}

function checkPosition(position: number): void {
  if (!Number.isInteger(position) || position < 0 || position >= POSITION_MAX) {
    throw new RangeError(`${position} is no position of a row`)
  }
}
