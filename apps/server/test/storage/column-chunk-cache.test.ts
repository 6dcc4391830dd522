import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '@lake/core/errors.ts'
import { beforeEach, expect, test } from 'vitest'
import { openColumnChunkCache } from '../../src/storage/column-chunk-cache.ts'

const signal = new AbortController().signal
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chunks-'))
  return () => {
    rmSync(directory, { recursive: true })
  }
})
const open = async (bytesMax = 1_000_000, scope = 'scope') =>
  await openColumnChunkCache({ directory, bytesMax, scope })
const keyOf = (start: number, lengthBytes = 100, uri = 's3://b/k') => ({
  uri,
  sizeBytes: 10_000,
  range: { start, end: start + lengthBytes },
})
const bytesOf = (value: number, lengthBytes = 100): Uint8Array => new Uint8Array(lengthBytes).fill(value)
const fetchOf = (value: number, lengthBytes = 100) => {
  const fetch = async (): Promise<Uint8Array> => {
    fetch.calls += 1
    await Promise.resolve()
    return bytesOf(value, lengthBytes)
  }
  fetch.calls = 0
  return fetch
}

test('[CC1] a range is fetched once and found again, also by the next run', async () => {
  const fetch = fetchOf(1)
  {
    await using cache = await open()
    expect(cache.has(keyOf(0))).toBe(false)
    expect(await cache.read(keyOf(0), fetch, signal)).toEqual(bytesOf(1))
  }
  await using cache = await open()
  expect(cache.has(keyOf(0))).toBe(true)
  expect(await cache.read(keyOf(0), fetch, signal)).toEqual(bytesOf(1))
  expect(fetch.calls).toBe(1)
  expect(cache.counts).toMatchObject({ hits: 1, misses: 0, failures: 0, entries: 1 })
})

test('[CC1] scope, path, size and range each make another key, and none can be read off the folder', async () => {
  const keys = [
    keyOf(0),
    keyOf(1),
    keyOf(0, 99),
    keyOf(0, 100, 's3://b/other'),
    { ...keyOf(0), sizeBytes: 1 },
  ]
  {
    await using cache = await open()
    for (const [index, key] of keys.entries()) {
      await cache.read(key, fetchOf(index, key.range.end - key.range.start), signal)
    }
  }
  {
    await using other = await open(1_000_000, 'other scope')
    expect(other.has(keyOf(0))).toBe(false)
  }
  const names = readdirSync(directory)
  expect(names).toHaveLength(keys.length)
  const everything = names.map((name) => name + readFileSync(join(directory, name), 'latin1')).join('')
  expect(everything).not.toMatch(/s3|scope/)
})

test.each([
  ['a flipped byte', (entry: Buffer) => entry.fill(9, 50, 51)],
  ['a short entry', (entry: Buffer) => entry.subarray(0, 60)],
  ['a long entry', (entry: Buffer) => Buffer.concat([entry, Buffer.of(1)])],
  ['another entry under its name', (entry: Buffer) => entry.fill(0, 0, 1)],
  ['nothing', () => Buffer.alloc(0)],
])('[CC2] %s is noticed, dropped and fetched again', async (_what, damage) => {
  {
    await using cache = await open()
    await cache.read(keyOf(0), fetchOf(1), signal)
  }
  const path = join(directory, readdirSync(directory)[0]!)
  writeFileSync(path, damage(readFileSync(path)))
  const fetch = fetchOf(2)
  {
    await using cache = await open()
    expect(await cache.read(keyOf(0), fetch, signal)).toEqual(bytesOf(2))
    expect(cache.counts).toMatchObject({ hits: 0, misses: 1, failures: 1 })
  }
  await using cache = await open()
  expect(await cache.read(keyOf(0), fetchOf(3), signal)).toEqual(bytesOf(2))
})

test('[CC3] the least recently used entries leave when the bound is reached', async () => {
  const bound = 3 * 136
  {
    await using cache = await open(bound)
    for (const start of [0, 100, 200]) await cache.read(keyOf(start), fetchOf(start % 256), signal)
  }
  {
    await using cache = await open(bound)
    await cache.read(keyOf(0), fetchOf(9), signal)
    await cache.read(keyOf(300), fetchOf(9), signal)
  }
  await using cache = await open(bound)
  expect([0, 300].map((start) => cache.has(keyOf(start)))).toEqual([true, true])
  expect([100, 200].filter((start) => cache.has(keyOf(start)))).toHaveLength(1)
  expect(cache.counts.bytes).toBeLessThanOrEqual(bound)
})

test('[CC3] an entry beyond the whole bound is not kept, and a smaller bound evicts at the next start', async () => {
  {
    await using cache = await open(500)
    await cache.read(keyOf(0, 600), fetchOf(1, 600), signal)
    await cache.read(keyOf(0), fetchOf(1), signal)
    await cache.read(keyOf(1), fetchOf(1), signal)
  }
  await using cache = await open(200)
  expect(cache.counts).toMatchObject({ entries: 1, bytes: 136 })
})

test('[CC4] leftovers of a crash are removed and foreign files left alone', async () => {
  writeFileSync(join(directory, `${'a'.repeat(64)}.123.part`), 'x')
  writeFileSync(join(directory, 'README'), 'x')
  await using cache = await open()
  expect(cache.counts.entries).toBe(0)
  expect(readdirSync(directory)).toEqual(['README'])
})

test('[CC5] readers of one range share one fetch, which outlives the reader that began it', async () => {
  await using cache = await open()
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  let calls = 0
  const fetch = async (): Promise<Uint8Array> => {
    calls += 1
    return await promise
  }
  const leader = new AbortController()
  const first = cache.read(keyOf(0), fetch, leader.signal)
  const second = cache.read(keyOf(0), fetch, signal)
  leader.abort()
  await expect(first).rejects.toMatchObject({ code: 'CANCELLED' })
  await new Promise((done) => setTimeout(done, 10))
  resolve(bytesOf(4))
  expect(await second).toEqual(bytesOf(4))
  expect(calls).toBe(1)
  expect(cache.counts).toMatchObject({ misses: 1, shared: 1 })
})

test('[CC5] a failed fetch is the reader’s own: others try for themselves and nothing is kept', async () => {
  await using cache = await open()
  const failing = async (): Promise<Uint8Array> => {
    await Promise.resolve()
    throw new AppError('STORAGE_ACCESS_DENIED', 'no')
  }
  const first = cache.read(keyOf(0), failing, signal)
  const second = cache.read(keyOf(0), fetchOf(5), signal)
  await expect(first).rejects.toMatchObject({ code: 'STORAGE_ACCESS_DENIED' })
  expect(await second).toEqual(bytesOf(5))
  expect(cache.has(keyOf(0))).toBe(false)
})

test('[CC6] a folder that cannot be written costs nothing but the hits', async () => {
  await using cache = await open()
  rmSync(directory, { recursive: true })
  expect(await cache.read(keyOf(0), fetchOf(1), signal)).toEqual(bytesOf(1))
  await expect.poll(() => cache.counts.failures).toBeGreaterThan(0)
  expect(await cache.read(keyOf(0), fetchOf(2), signal)).toEqual(bytesOf(2))
  writeFileSync(directory, '')
})
