// MurmurHash3, 128 bits, x64 variant: the hash of theta sketches. Source: the public domain code of Austin Appleby.

const C1 = 0x87c37b91114253d5n
const C2 = 0x4cf5ad432745937fn
const BLOCK_BYTES = 16

const low64 = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotateLeft = (value: bigint, bits: bigint): bigint => low64(value << bits) | (value >> (64n - bits))

function finalMix(value: bigint): bigint {
  const once = low64((value ^ (value >> 33n)) * 0xff51afd7ed558ccdn)
  const twice = low64((once ^ (once >> 33n)) * 0xc4ceb9fe1a85ec53n)
  return twice ^ (twice >> 33n)
}

const mixFirst = (part: bigint): bigint => low64(rotateLeft(low64(part * C1), 31n) * C2)
const mixSecond = (part: bigint): bigint => low64(rotateLeft(low64(part * C2), 33n) * C1)

/** The two halves of the hash, unsigned. */
export function murmur3x128(bytes: Uint8Array, seed: bigint): readonly [bigint, bigint] {
  const tailBytes = bytes.length % BLOCK_BYTES
  const padded = Buffer.alloc(bytes.length + (tailBytes === 0 ? 0 : BLOCK_BYTES - tailBytes))
  padded.set(bytes)
  let [first, second] = [seed, seed]
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    first ^= mixFirst(padded.readBigUInt64LE(at))
    // A block that is not full is mixed in and no more.
    const isFull = at + BLOCK_BYTES <= bytes.length
    if (isFull) first = low64(low64(rotateLeft(first, 27n) + second) * 5n + 0x52dce729n)
    second ^= mixSecond(padded.readBigUInt64LE(at + 8))
    if (!isFull) break
    second = low64(low64(rotateLeft(second, 31n) + first) * 5n + 0x38495ab5n)
  }
  first ^= BigInt(bytes.length)
  second ^= BigInt(bytes.length)
  first = low64(first + second)
  second = low64(second + first)
  first = finalMix(first)
  second = finalMix(second)
  first = low64(first + second)
  return [first, low64(second + first)]
}
