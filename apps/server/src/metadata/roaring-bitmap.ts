// Reads a 64-bit roaring bitmap in its portable form: a count, then per high half one 32-bit bitmap of array, bitmap and run
// containers. Pure and strict: what is not exactly such a bitmap is refused, since a row could come back otherwise.
// Source: RoaringFormatSpec, "Standard 32-bit" and "Extension for 64-bit implementations".
import type { PositionSet } from '@lake/core/scan/position-set.ts'

const COOKIE_WITH_RUNS = 12_347
const COOKIE_WITHOUT_RUNS = 12_346
/** With runs, offsets are written from this many containers on. */
const OFFSETS_FROM = 4
const ARRAY_VALUES_MAX = 4_096
const CHUNK_ROWS = 65_536
const BITMAP_BYTES = 8_192

/**
 * Adds every position of the bitmap to `positions`.
 * @param countMax what the bitmap may hold: a few bytes may claim very many positions
 * @returns how many there are
 * @throws RangeError for malformed bytes, bytes left over, too many positions, or positions that no file has
 */
export function readRoaring64(bytes: Uint8Array, positions: PositionSet, countMax: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const bitmapCount = view.getBigUint64(0, true)
  let offset = 8
  let cardinality = 0
  let previousKey = -1
  for (let index = 0n; index < bitmapCount; index += 1n) {
    const key = view.getUint32(offset, true)
    if (key <= previousKey) throw new RangeError('keys of bitmaps do not ascend')
    previousKey = key
    const place = { view, start: offset + 4, base: key * 2 ** 32, countMax: countMax - cardinality }
    const read = readRoaring32(place, positions)
    offset = read.offset
    cardinality += read.cardinality
  }
  if (offset !== view.byteLength) throw new RangeError('bytes are left over after the bitmap')
  return cardinality
}

function readRoaring32(
  {
    view,
    start,
    base,
    countMax,
  }: { readonly view: DataView; readonly start: number; readonly base: number; readonly countMax: number },
  positions: PositionSet,
): { offset: number; cardinality: number } {
  const cookie = view.getUint32(start, true)
  let offset = start + 4
  let containerCount: number
  let runFlags: number | undefined
  if ((cookie & 0xffff) === COOKIE_WITH_RUNS) {
    containerCount = (cookie >>> 16) + 1
    runFlags = offset
    offset += Math.ceil(containerCount / 8)
  } else if (cookie === COOKIE_WITHOUT_RUNS) {
    containerCount = view.getUint32(offset, true)
    offset += 4
  } else {
    throw new RangeError('the cookie of a bitmap is not known')
  }
  if (containerCount > CHUNK_ROWS) throw new RangeError('a bitmap has too many containers')
  const header = offset
  offset += containerCount * 4
  if (runFlags === undefined || containerCount >= OFFSETS_FROM) offset += containerCount * 4
  let cardinality = 0
  let previousKey = -1
  for (let index = 0; index < containerCount; index += 1) {
    const key = view.getUint16(header + index * 4, true)
    const count = view.getUint16(header + index * 4 + 2, true) + 1
    if (key <= previousKey) throw new RangeError('keys of containers do not ascend')
    previousKey = key
    cardinality += count
    if (cardinality > countMax) throw new RangeError('a bitmap has too many positions')
    const isRun =
      runFlags !== undefined && (view.getUint8(runFlags + (index >> 3)) & (1 << (index & 7))) !== 0
    const container = { view, offset, count, base: base + key * CHUNK_ROWS }
    if (isRun) offset = readRuns(container, positions)
    else if (count <= ARRAY_VALUES_MAX) offset = readArray(container, positions)
    else offset = readBits(container, positions)
  }
  return { offset, cardinality }
}

interface Container {
  readonly view: DataView
  readonly offset: number
  /** Number of its positions as the header has it. */
  readonly count: number
  readonly base: number
}

/** Each returns the offset behind the container. */
function readRuns({ view, offset, count, base }: Container, positions: PositionSet): number {
  const runCount = view.getUint16(offset, true)
  let previousEnd = 0
  let found = 0
  for (let index = 0; index < runCount; index += 1) {
    const start = view.getUint16(offset + 2 + index * 4, true)
    const length = view.getUint16(offset + 4 + index * 4, true) + 1
    if (start < previousEnd || start + length > CHUNK_ROWS) throw new RangeError('runs overlap')
    previousEnd = start + length
    found += length
    if (found > count) break
    positions.addRange(base + start, base + start + length)
  }
  if (found !== count) throw new RangeError('a container has another number of positions than it says')
  return offset + 2 + runCount * 4
}

function readArray({ view, offset, count, base }: Container, positions: PositionSet): number {
  let previous = -1
  for (let index = 0; index < count; index += 1) {
    const low = view.getUint16(offset + index * 2, true)
    if (low <= previous) throw new RangeError('positions of a container do not ascend')
    previous = low
    positions.add(base + low)
  }
  return offset + count * 2
}

function readBits({ view, offset, count, base }: Container, positions: PositionSet): number {
  let found = 0
  for (let index = 0; index < BITMAP_BYTES; index += 1) {
    const byte = view.getUint8(offset + index)
    for (let bit = 0; byte >>> bit !== 0; bit += 1) {
      if ((byte & (1 << bit)) === 0) continue
      found += 1
      positions.add(base + index * 8 + bit)
    }
  }
  if (found !== count) throw new RangeError('a container has another number of positions than it says')
  return offset + BITMAP_BYTES
}
