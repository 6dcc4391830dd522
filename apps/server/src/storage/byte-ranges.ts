// Joins wanted byte ranges into fewer requests, and cuts the wanted ones out of what was fetched. Pure.
// Fetching a small gap costs less than another request; a joined range stays small enough to be repeated cheaply.
import { assert } from '@lake/core/assert.ts'
import type { ByteRange } from './object-store.ts'

export interface JoinedRange {
  readonly range: ByteRange
  /** Indexes into the wanted ranges that lie wholly inside, in order of their start. */
  readonly members: readonly number[]
}

/**
 * Joins ranges whose gap is at most `gapBytesMax` while the joined range stays within `joinedBytesMax`.
 * A wanted range larger than that is kept whole, alone. Empty ranges belong to no joined range.
 * @returns ascending by start; every non-empty wanted range is a member of exactly one
 */
export function joinRanges(
  wanted: readonly ByteRange[],
  limits: { readonly gapBytesMax: number; readonly joinedBytesMax: number },
): JoinedRange[] {
  const order = wanted
    .map((range, index) => ({ range, index }))
    .filter(({ range }) => range.end > range.start)
    .sort((a, b) => a.range.start - b.range.start || a.range.end - b.range.end)
  const joined: { start: number; end: number; members: number[] }[] = []
  for (const { range, index } of order) {
    const last = joined.at(-1)
    const end = last === undefined ? range.end : Math.max(last.end, range.end)
    const canJoin =
      last !== undefined &&
      range.start - last.end <= limits.gapBytesMax &&
      (end - last.start <= limits.joinedBytesMax || range.end <= last.end)
    if (canJoin) {
      last.end = end
      last.members.push(index)
    } else {
      joined.push({ start: range.start, end: range.end, members: [index] })
    }
  }
  return joined.map(({ start, end, members }) => ({ range: { start, end }, members }))
}

/** The bytes of `wanted` out of `bytes`, which begin at `fetched.start`. A view, not a copy. */
export function sliceRange(bytes: Uint8Array, fetched: ByteRange, wanted: ByteRange): Uint8Array {
  assert(
    wanted.start >= fetched.start && wanted.end <= fetched.end,
    'wanted range lies outside the fetched one',
  )
  return bytes.subarray(wanted.start - fetched.start, wanted.end - fetched.start)
}
