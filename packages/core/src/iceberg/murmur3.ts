// MurmurHash3, 32 bits, x86 variant, seed 0: the hash of Iceberg's bucket transform (table spec, appendix B).

const C1 = 0xcc9e2d51
const C2 = 0x1b873593

/** The hash as a signed 32-bit integer. */
export function murmur3(bytes: Uint8Array): number {
  let hash = 0
  const blocksEnd = bytes.length - (bytes.length % 4)
  for (let index = 0; index < blocksEnd; index += 4) {
    hash ^= mixBlock(littleEndian(bytes, index, 4))
    hash = (Math.imul(rotateLeft(hash, 13), 5) + 0xe6546b64) | 0
  }
  if (blocksEnd < bytes.length) hash ^= mixBlock(littleEndian(bytes, blocksEnd, bytes.length - blocksEnd))
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

function mixBlock(block: number): number {
  return Math.imul(rotateLeft(Math.imul(block, C1), 15), C2)
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function littleEndian(bytes: Uint8Array, start: number, length: number): number {
  let value = 0
  for (let index = length - 1; index >= 0; index -= 1) value = (value << 8) | (bytes[start + index] ?? 0)
  return value
}
