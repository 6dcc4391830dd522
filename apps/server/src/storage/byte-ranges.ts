// Joins wanted byte ranges into fewer requests, and cuts the wanted ones out of what was fetched. Pure.
// Fetching a small gap costs less than another request; a joined range stays small enough to be repeated cheaply.
import { assert } from '@lake/core/assert.ts'
import type { ByteRange } from './object-store.ts'

export interface JoinedRange {
  readonly range: ByteRange
  /** Indexes into the wanted ranges that lie wholly inside, in order of their start. */
  readonly members: readonly number[]
}

export interface JoinLimits {
  /** No larger gap is joined over. */
  readonly gapBytesMax: number
  /** Of the wanted bytes: what the gaps that are joined over may add up to. 1 or absent: any. */
  readonly gapShareMax?: number
  /** While there would be more joined ranges than this, larger gaps are joined over whatever their share. */
  readonly rangesMax?: number
  readonly joinedBytesMax: number
}

/**
 * Joins near ranges within the limits, over the smallest gaps first. A wanted range larger than `joinedBytesMax` is
 * kept whole, alone. Empty ranges belong to no joined range.
 * @returns ascending by start; every non-empty wanted range is a member of exactly one
 */
export function joinRanges(wanted: readonly ByteRange[], limits: JoinLimits): JoinedRange[] {
  const order = wanted
    .map((range, index) => ({ range, index }))
    .filter(({ range }) => range.end > range.start)
    .sort((a, b) => a.range.start - b.range.start || a.range.end - b.range.end)
  const gapBytesMax = gapBytesToJoin(
    order.map(({ range }) => range),
    limits,
  )
  const joined: { start: number; end: number; members: number[] }[] = []
  for (const { range, index } of order) {
    const last = joined.at(-1)
    const end = last === undefined ? range.end : Math.max(last.end, range.end)
    const canJoin =
      last !== undefined &&
      range.start - last.end <= gapBytesMax &&
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

/** The largest gap to join over; `ordered` ascends by start. */
function gapBytesToJoin(
  ordered: readonly ByteRange[],
  { gapBytesMax, gapShareMax = 1, rangesMax = Number.POSITIVE_INFINITY }: JoinLimits,
): number {
  if (gapShareMax >= 1) return gapBytesMax
  const gaps: number[] = []
  let wantedBytes = 0
  let end = ordered[0]?.start ?? 0
  for (const range of ordered) {
    if (range.start > end) gaps.push(range.start - end)
    wantedBytes += Math.max(0, range.end - Math.max(range.start, end))
    end = Math.max(end, range.end)
  }
  gaps.sort((a, b) => a - b)
  const withinShare = largestWithin(gaps, wantedBytes * gapShareMax)
  const withinCount = gaps[gaps.length - rangesMax] ?? 0
  return Math.min(gapBytesMax, Math.max(withinShare, withinCount))
}

/** The largest size so that all gaps up to it add up to at most `bytesMax`. `gaps` ascends. */
function largestWithin(gaps: readonly number[], bytesMax: number): number {
  let bytes = 0
  for (const [index, gap] of gaps.entries()) {
    bytes += gap
    // Equal gaps are joined over all or none.
    if (bytes > bytesMax) return gaps[index - 1] === gap ? gap - 1 : (gaps[index - 1] ?? 0)
  }
  return gaps.at(-1) ?? 0
}

/** The bytes of `wanted` out of `bytes`, which begin at `fetched.start`. A view, not a copy. */
export function sliceRange(bytes: Uint8Array, fetched: ByteRange, wanted: ByteRange): Uint8Array {
  assert(
    wanted.start >= fetched.start && wanted.end <= fetched.end,
    'wanted range lies outside the fetched one',
  )
  return bytes.subarray(wanted.start - fetched.start, wanted.end - fetched.start)
}
