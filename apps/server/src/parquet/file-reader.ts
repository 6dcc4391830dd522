// Reads parts of one data file: from the chunk cache where it has them, else from object storage with near ranges joined.
// Counts what was read. Memory is bounded by the ranges in flight, not by the size of a column chunk.
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
}

/** Can stand for the store of its one file. */
export interface FileReader extends Pick<ObjectStore, 'readRange' | 'statObject'> {
  /**
   * Reads ranges in any order, split into parts of at most `LIMITS.rangeJoinedBytesMax`, and hands over each part with
   * its position in the file. Every byte of every range is handed over exactly once per range. What `readRange` gave
   * last is not fetched again.
   */
  readRanges(
    ranges: readonly ByteRange[],
    take: (rangeIndex: number, position: number, bytes: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
  /** Bytes wanted and had, from storage or the cache; gaps that were read on the way are left out. */
  readonly bytesRead: number
  /** Requests that went to object storage. */
  readonly requests: number
}

interface Part {
  readonly rangeIndex: number
  readonly range: ByteRange
}

type Fetch = (signal: AbortSignal) => Promise<Uint8Array>

export function createFileReader({ store, uri, fileSizeBytes, cache }: FileSource): FileReader {
  let bytesRead = 0
  let requests = 0
  /** What `readRange` gave last: the end of the file, which of a small file is all of it. */
  let held: { readonly range: ByteRange; readonly bytes: Uint8Array } | undefined
  const keyOf = (range: ByteRange) => ({ uri, sizeBytes: fileSizeBytes, range })
  const fetchRange = async (range: ByteRange, signal: AbortSignal): Promise<Uint8Array> => {
    requests += 1
    return await store.readRange(uri, range, signal)
  }
  const readRange = async (range: ByteRange, signal: AbortSignal): Promise<Uint8Array> => {
    const bytes = cache
      ? await cache.read(keyOf(range), (inner) => fetchRange(range, inner), signal)
      : await fetchRange(range, signal)
    bytesRead += bytes.byteLength
    held = { range, bytes }
    return bytes
  }

  return {
    readRange: async (_uri, range, signal) => await readRange(range, signal),
    async statObject(_uri, signal) {
      requests += 1
      return await store.statObject(uri, signal)
    },
    async readRanges(ranges, take, signal) {
      const cached: Part[] = []
      const missing: Part[] = []
      for (const part of ranges.flatMap(splitRange)) {
        if (held && part.range.start >= held.range.start && part.range.end <= held.range.end) {
          await take(part.rangeIndex, part.range.start, sliceRange(held.bytes, held.range, part.range))
        } else if (cache?.has(keyOf(part.range)) === true) cached.push(part)
        else missing.push(part)
      }
      const read = async (part: Part, fetch: Fetch, inner: AbortSignal): Promise<void> => {
        const bytes = cache ? await cache.read(keyOf(part.range), fetch, inner) : await fetch(inner)
        bytesRead += bytes.byteLength
        await take(part.rangeIndex, part.range.start, bytes)
      }
      await mapConcurrently(
        [...cached.map((part) => ({ range: part.range, members: [part] })), ...joinParts(missing)],
        LIMITS.excerptRangesAtOnceMax,
        async ({ range, members }, inner) => {
          // Fetched once for all members, and only if the cache lacks one of them after all.
          let fetched: Promise<Uint8Array> | undefined
          for (const part of members) {
            const fetch: Fetch = async (fetchSignal) => {
              fetched ??= fetchRange(range, fetchSignal)
              return sliceRange(await fetched, range, part.range)
            }
            await read(part, fetch, inner)
          }
        },
        signal,
      )
    },
    get bytesRead() {
      return bytesRead
    },
    get requests() {
      return requests
    },
  }
}

function joinParts(parts: readonly Part[]): { range: ByteRange; members: readonly Part[] }[] {
  const joined = joinRanges(
    parts.map((part) => part.range),
    { gapBytesMax: LIMITS.rangeGapBytesMax, joinedBytesMax: LIMITS.rangeJoinedBytesMax },
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
