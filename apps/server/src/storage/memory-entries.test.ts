import { expect, test } from 'vitest'
import { createMemoryEntries } from './memory-entries.ts'

const bytesOf = (length: number, value = 1) => new Uint8Array(length).fill(value)

test('what was used longest ago goes first, and the bound holds', () => {
  const entries = createMemoryEntries(100, 50)
  for (const name of ['a', 'b', 'c']) entries.put(name, bytesOf(30))
  entries.get('a')
  entries.put('d', bytesOf(40))
  expect(['a', 'b', 'c', 'd'].filter((name) => entries.get(name))).toEqual(['a', 'c', 'd'])
  expect(entries.bytes).toBe(100)
  entries.put('e', bytesOf(1))
  expect(['a', 'c', 'd', 'e'].filter((name) => entries.get(name))).toEqual(['c', 'd', 'e'])
  entries.remove('d')
  entries.remove('never there')
  expect(entries.bytes).toBe(31)
})

test('a large entry is not kept, and one name counts once', () => {
  const entries = createMemoryEntries(100, 50)
  entries.put('large', bytesOf(51))
  entries.put('a', bytesOf(50))
  entries.put('a', bytesOf(50))
  expect([entries.get('large'), entries.bytes]).toEqual([undefined, 50])
})

test('a copy is kept, not the buffer around it', () => {
  const entries = createMemoryEntries(100, 50)
  const around = Buffer.from(bytesOf(1_000, 7))
  entries.put('a', around.subarray(10, 20))
  around.fill(0)
  expect(entries.get('a')).toEqual(bytesOf(10, 7))
  expect(entries.get('a')?.buffer.byteLength).toBe(10)
})
