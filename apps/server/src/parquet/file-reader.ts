// Reads parts of one data file: from the chunk cache where it has them, else from object storage with near ranges joined.
// Counts what was read. Ranges are cached as they were asked for, whatever was fetched with them. Memory is bounded by the ranges in flight, not by the size of a column chunk.
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { LIMITS } from '../limits.ts'
import { joinRanges, sliceRange } from '../storage/byte-ranges.ts'
import type { RangeCache } from '../storage/column-chunk-cache.ts'
import type { ByteRange, ObjectStore } from '../storage/object-store.ts'

export interface FileSource {
  readonly store: Pick<ObjectStore, 'readRange' | 'statObject'>
  /** Canonical. */
  readonly uri: string
  readonly fileSizeBytes: number
  readonly cache?: RangeCache | undefined
  /** Bytes of gaps to wanted bytes; `LIMITS.rangeGapShareMax` where absent. */
  readonly gapShareMax?: number | undefined
}

export interface FileReader {
  /** The first fetch of something inside of this range fetches all of it, to be held for later reads. */
  expectRange(range: ByteRange): void
  /** Reads one range. It is held, so that nothing inside of it is fetched again. */
  readRange(range: ByteRange, signal: AbortSignal): Promise<Uint8Array>
  /** The size of the file as the store knows it. */
  stat(signal: AbortSignal): Promise<{ readonly sizeBytes: number }>
  /**
   * Reads ranges in any order, split into parts of at most `LIMITS.rangeJoinedBytesMax`, and hands over each part with
   * its position in the file. Every byte of every range is handed over exactly once per range.
   */
  readRanges(
    ranges: readonly ByteRange[],
    take: (rangeIndex: number, position: number, bytes: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
  /** Bytes that came from storage, gaps between wanted ranges included, or from the cache. */
  readonly bytesRead: number
  /** Requests that went to object storage. */
  readonly requests: number
}

interface Part {
  readonly rangeIndex: number
  readonly range: ByteRange
}

interface Held {
  readonly range: ByteRange
  readonly bytes: Uint8Array
}

type Fetch = (signal: AbortSignal) => Promise<Uint8Array>
type FetchRange = (range: ByteRange, signal: AbortSignal) => Promise<Uint8Array>

/** Single reads of one file with what they leave behind. */
interface Fetcher {
  /** What the first fetch inside of it fetches. */
  expected: ByteRange | undefined
  /** Mostly the end of the file, which of a small file is all of it. */
  held: Held | undefined
  readonly counts: { bytesRead: number; requests: number }
  readonly fetchRange: FetchRange
  /** From the cache, else by `fetch`. */
  readCached(range: ByteRange, fetch: Fetch, signal: AbortSignal): Promise<Uint8Array>
  isCached(range: ByteRange): boolean
}

function createFetcher({ store, uri, fileSizeBytes, cache }: FileSource): Fetcher {
  const keyOf = (range: ByteRange) => ({ uri, sizeBytes: fileSizeBytes, range })
  const fetcher: Fetcher = {
    expected: undefined,
    held: undefined,
    counts: { bytesRead: 0, requests: 0 },
    async fetchRange(range, signal) {
      const { expected, counts } = fetcher
      const whole = expected !== undefined && covers(expected, range) ? expected : undefined
      if (whole) fetcher.expected = undefined
      const fetched = whole ?? range
      counts.requests += 1
      counts.bytesRead += fetched.end - fetched.start
      const bytes = await store.readRange(uri, fetched, signal)
      if (whole) fetcher.held = { range: whole, bytes }
      return sliceRange(bytes, fetched, range)
    },
    async readCached(range, fetch, signal) {
      if (!cache) return await fetch(signal)
      let isFetched = false
      const fetchOnMiss: Fetch = async (inner) => {
        isFetched = true
        return await fetch(inner)
      }
      const bytes = await cache.read(keyOf(range), fetchOnMiss, signal)
      if (!isFetched) fetcher.counts.bytesRead += bytes.byteLength
      return bytes
    },
    isCached: (range) => cache?.has(keyOf(range)) === true,
  }
  return fetcher
}

export function createFileReader(source: FileSource): FileReader {
  const { store, uri, gapShareMax = LIMITS.rangeGapShareMax } = source
  const fetcher = createFetcher(source)
  const { counts, fetchRange } = fetcher

  return {
    expectRange(range) {
      fetcher.expected = range
    },
    async readRange(range, signal) {
      const fetch: Fetch = async (inner) => await fetchAround(range, fetcher, inner)
      const bytes = await fetcher.readCached(range, fetch, signal)
      if (!fetcher.held || !covers(fetcher.held.range, range)) fetcher.held = { range, bytes }
      return bytes
    },
    async stat(signal) {
      counts.requests += 1
      return await store.statObject(uri, signal)
    },
    async readRanges(ranges, take, signal) {
      // Whatever was expected was for the reads before these.
      fetcher.expected = undefined
      const { held } = fetcher
      const cached: Part[] = []
      const missing: Part[] = []
      for (const part of ranges.flatMap(splitRange)) {
        const isCached = fetcher.isCached(part.range)
        if (held && covers(held.range, part.range)) {
          const bytes = sliceRange(held.bytes, held.range, part.range)
          const fetch: Fetch = async () => await Promise.resolve(bytes)
          if (!isCached) await fetcher.readCached(part.range, fetch, signal)
          await take(part.rangeIndex, part.range.start, bytes)
        } else if (isCached) cached.push(part)
        else missing.push(part)
      }
      await mapConcurrently(
        [
          ...cached.map((part) => ({ range: part.range, members: [part] })),
          ...joinParts(missing, gapShareMax),
        ],
        LIMITS.excerptRangesAtOnceMax,
        async ({ range, members }, inner) => {
          // Fetched once for all members, and only if the cache lacks one of them after all.
          let fetched: Promise<Uint8Array> | undefined
          for (const part of members) {
            const fetch: Fetch = async (fetchSignal) => {
              fetched ??= fetchRange(range, fetchSignal)
              return sliceRange(await fetched, range, part.range)
            }
            await take(part.rangeIndex, part.range.start, await fetcher.readCached(part.range, fetch, inner))
          }
        },
        signal,
      )
    },
    get bytesRead() {
      return counts.bytesRead
    },
    get requests() {
      return counts.requests
    },
  }
}

/** Fetches of `range` only what is not held. */
async function fetchAround(
  range: ByteRange,
  { held, fetchRange }: Fetcher,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (held && covers(held.range, range)) return sliceRange(held.bytes, held.range, range)
  const isTailHeld = held && held.range.start < range.end && range.end <= held.range.end
  if (!isTailHeld) return await fetchRange(range, signal)
  const head = await fetchRange({ start: range.start, end: held.range.start }, signal)
  const tail = sliceRange(held.bytes, held.range, { start: held.range.start, end: range.end })
  const bytes = new Uint8Array(head.byteLength + tail.byteLength)
  bytes.set(head)
  bytes.set(tail, head.byteLength)
  return bytes
}

function covers(outer: ByteRange, inner: ByteRange): boolean {
  return inner.start >= outer.start && inner.end <= outer.end
}

function joinParts(
  parts: readonly Part[],
  gapShareMax: number,
): { range: ByteRange; members: readonly Part[] }[] {
  const joined = joinRanges(
    parts.map((part) => part.range),
    {
      gapBytesMax: LIMITS.rangeGapBytesMax,
      gapShareMax,
      rangesMax: LIMITS.rangesPerFileMax,
      joinedBytesMax: LIMITS.rangeJoinedBytesMax,
    },
  )
  return joined.map(({ range, members }) => ({
    range,
    members: members.flatMap((index) => parts[index] ?? []),
  }))
}

function splitRange(range: ByteRange, rangeIndex: number): Part[] {
  const parts: Part[] = []
  for (let start = range.start; start < range.end; start += LIMITS.rangeJoinedBytesMax) {
    const end = Math.min(start + LIMITS.rangeJoinedBytesMax, range.end)
    parts.push({ rangeIndex, range: { start, end } })
  }
  return parts
}
