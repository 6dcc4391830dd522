import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { decompressAvroBlock, decompressSnappy } from './avro-codecs.ts'

test('[H33] snappy copies may overlap what they write', () => {
  // "ab", then 6 bytes from 2 back; then 4 bytes from 1 back by each other form of a copy.
  const input = Uint8Array.of(
    16,
    1 << 2,
    97,
    98,
    ((6 - 4) << 2) | 1,
    2,
    (3 << 2) | 2,
    1,
    0,
    (3 << 2) | 3,
    1,
    0,
    0,
    0,
  )
  expect(Buffer.from(decompressSnappy(input, 100)).toString()).toBe('ababababbbbbbbbb')
})

test.each([
  [Uint8Array.of(4, 0, 97)],
  [Uint8Array.of(1, 1, 5)],
  [Uint8Array.of(1, (1 << 2) | 2, 0, 0)],
  [Uint8Array.of(255, 255, 255, 255, 15)],
  [Uint8Array.of(0, 0, 97)],
  [Uint8Array.of()],
])('malformed snappy %j is refused', (input) => {
  expect(() => decompressSnappy(input, 1_000_000)).toThrow(RangeError)
})

test('[H33] a snappy block is believed with its checksum only', async () => {
  const content = Buffer.from('rows of a manifest')
  // One literal of all of it.
  const packed = Buffer.concat([Uint8Array.of(content.length, (content.length - 1) << 2), content])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(content))
  const block = Buffer.concat([packed, checksum])
  expect(Buffer.from(await decompressAvroBlock('snappy', block, 'p'))).toEqual(content)
  for (let offset = 0; offset < block.length; offset += 1) {
    const damaged = Buffer.from(block)
    damaged[offset]! ^= 0x20
    await expect(decompressAvroBlock('snappy', damaged, 'p'), `byte ${offset}`).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
  }
  await expect(decompressAvroBlock('snappy', block.subarray(0, 3), 'p')).rejects.toMatchObject({
    code: 'TABLE_CORRUPT',
  })
})
