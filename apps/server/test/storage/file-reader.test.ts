import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.ts'
import { createFileReader } from '../../src/parquet/file-reader.ts'
import { openColumnChunkCache } from '../../src/storage/column-chunk-cache.ts'
import type { ByteRange } from '../../src/storage/object-store.ts'

const signal = new AbortController().signal
const content = new Uint8Array(40 * 1_048_576).map((_, index) => index % 253)
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reader-'))
  return () => {
    rmSync(directory, { recursive: true })
  }
})

function storeOf() {
  const ranges: ByteRange[] = []
  return {
    ranges,
    statObject: () => Promise.resolve({ sizeBytes: content.byteLength }),
    readRange: (_uri: string, range: ByteRange) => {
      ranges.push(range)
      return Promise.resolve(content.slice(range.start, range.end))
    },
  }
}

async function readAll(
  reader: ReturnType<typeof createFileReader>,
  ranges: ByteRange[],
): Promise<Uint8Array[]> {
  const results = ranges.map(({ start, end }) => new Uint8Array(end - start))
  await reader.readRanges(
    ranges,
    async (index, position, bytes) => {
      await Promise.resolve()
      results[index]!.set(bytes, position - ranges[index]!.start)
    },
    signal,
  )
  return results
}
const near = [
  { start: 100, end: 200 },
  { start: 250, end: 300 },
  { start: 1_000_000, end: 1_000_500 },
]
const source = { uri: 's3://b/k', fileSizeBytes: content.byteLength }

test('near ranges share a request, and each gets exactly its bytes', async () => {
  const store = storeOf()
  const reader = createFileReader({ ...source, store })
  expect(await readAll(reader, near)).toEqual(near.map(({ start, end }) => content.slice(start, end)))
  expect(store.ranges).toEqual([
    { start: 100, end: 300 },
    { start: 1_000_000, end: 1_000_500 },
  ])
  expect([reader.requests, reader.bytesRead]).toEqual([2, 700])
})

test('gaps that would add more than their share are not read, unless there would be too many requests', async () => {
  const count = (gapBytes: number, ranges: number): number[] => {
    const size = gapBytes + 100
    return Array.from({ length: ranges }, (_, index) => index * size)
  }
  for (const [gapBytes, ranges, requests] of [
    [10, 5, 1],
    [13, 5, 5],
    [1_000, LIMITS.rangesPerFileMax, LIMITS.rangesPerFileMax],
    [1_000, 200, 1],
    [LIMITS.rangeGapBytesMax + 1, 40, 40],
  ] as const) {
    const reader = createFileReader({ ...source, store: storeOf() })
    await readAll(
      reader,
      count(gapBytes, ranges).map((start) => ({ start, end: start + 100 })),
    )
    expect([gapBytes, ranges, reader.requests]).toEqual([gapBytes, ranges, requests])
  }
})

test('a range beyond the bound of one request is read in parts', async () => {
  const store = storeOf()
  const reader = createFileReader({ ...source, store })
  const large = { start: 7, end: 39 * 1_048_576 }
  expect(Buffer.compare((await readAll(reader, [large]))[0]!, content.subarray(large.start, large.end))).toBe(
    0,
  )
  expect(store.ranges).toHaveLength(3)
  for (const { start, end } of store.ranges)
    expect(end - start).toBeLessThanOrEqual(LIMITS.rangeJoinedBytesMax)
})

test('cached ranges cost no request, and only the missing ones are fetched', async () => {
  const store = storeOf()
  await using cache = await openColumnChunkCache({ directory, bytesMax: 10_000_000, scope: 'x' })
  await readAll(createFileReader({ ...source, store, cache }), [near[0]!])
  const reader = createFileReader({ ...source, store, cache })
  await expect.poll(() => cache.counts.entries).toBe(1)
  expect(await readAll(reader, near)).toEqual(near.map(({ start, end }) => content.slice(start, end)))
  expect(store.ranges.slice(1)).toEqual([near[1], near[2]])
  expect([reader.requests, reader.bytesRead]).toEqual([2, 650])
  await expect.poll(() => cache.counts.entries).toBe(3)
  const again = createFileReader({ ...source, store, cache })
  await readAll(again, near)
  expect([again.requests, again.bytesRead]).toEqual([0, 650])
})

test('a failed request fails the reading', async () => {
  const store = { ...storeOf(), readRange: () => Promise.reject(new Error('reset')) }
  await using cache = await openColumnChunkCache({ directory, bytesMax: 10_000_000, scope: 'x' })
  for (const options of [
    { ...source, store },
    { ...source, store, cache },
  ]) {
    await expect(readAll(createFileReader(options), near)).rejects.toThrow('reset')
  }
})

test('what was read as the end of the file is not fetched again', async () => {
  const store = storeOf()
  const reader = createFileReader({ ...source, store })
  await reader.readRange({ start: 1_000_000, end: 1_000_400 }, signal)
  const wanted = [
    { start: 1_000_000, end: 1_000_100 },
    { start: 1_000_399, end: 1_000_401 },
  ]
  expect(await readAll(reader, wanted)).toEqual(wanted.map(({ start, end }) => content.slice(start, end)))
  expect(store.ranges.slice(1)).toEqual([wanted[1]])
  expect(reader.bytesRead).toBe(402)
})

test('what is expected is fetched with the first read inside of it, and cached as the ranges that were asked for', async () => {
  const store = storeOf()
  await using cache = await openColumnChunkCache({ directory, bytesMax: 10_000_000, scope: 'x' })
  const tail = { start: 9_992, end: 10_000 }
  const footer = { start: 9_500, end: 9_992 }
  const chunk = { start: 9_100, end: 9_400 }
  for (const [expectedStart, requests, bytes] of [
    [9_000, 1, 1_000],
    [9_700, 0, 800],
  ] as const) {
    const reader = createFileReader({ ...source, store, cache })
    reader.expectRange({ start: expectedStart, end: tail.end })
    expect(await reader.readRange(tail, signal)).toEqual(content.slice(tail.start, tail.end))
    expect(await reader.readRange(footer, signal)).toEqual(content.slice(footer.start, footer.end))
    expect(await readAll(reader, [chunk])).toEqual([content.slice(chunk.start, chunk.end)])
    expect([reader.requests, reader.bytesRead]).toEqual([requests, bytes])
    await expect.poll(() => cache.counts.entries).toBe(3)
  }
})

test('what an expectation misses is fetched alone, and put before what is held', async () => {
  const store = storeOf()
  const reader = createFileReader({ ...source, store })
  reader.expectRange({ start: 9_900, end: 10_000 })
  await reader.readRange({ start: 9_992, end: 10_000 }, signal)
  expect(await reader.readRange({ start: 9_500, end: 9_992 }, signal)).toEqual(content.slice(9_500, 9_992))
  expect(store.ranges).toEqual([
    { start: 9_900, end: 10_000 },
    { start: 9_500, end: 9_900 },
  ])
})
