// Theta sketches of Apache DataSketches, compact and ordered, of a set that is known as a whole: the least hashes of its values,
// and how far they reach. Source: Puffin spec, "apache-datasketches-theta-v1"; DataSketches, "Theta Sketch Serialized Form".
import { murmur3x128 } from './murmur3-128.ts'

const SEED = 9_001n
/** Hashes that are kept: as many as other writers of Iceberg statistics keep. */
const KEPT_HASHES_MAX = 4_096
const SERIAL_VERSION = 3
const FAMILY_COMPACT = 3
const FLAG_READ_ONLY = 2
const FLAG_COMPACT = 8
const FLAG_ORDERED = 16
const FLAG_SINGLE = 32
/** Hashes have 63 bits. */
const THETA_MAX = 2n ** 63n - 1n

export interface ThetaSketch {
  readonly bytes: Buffer
  /** What the sketch says how many distinct values there are. */
  readonly estimate: bigint
}

/** @param values not NULL, in Iceberg's binary form; repeated ones count once */
export function thetaSketch(values: Iterable<Uint8Array>): ThetaSketch {
  const distinct = new Set<bigint>()
  for (const value of values) distinct.add(murmur3x128(value, SEED)[0] >> 1n)
  const hashes = [...distinct].sort((left, right) => (left < right ? -1 : 1))
  if (hashes.length === 0) throw new Error('A sketch of no values is not written here')
  const theta = hashes[KEPT_HASHES_MAX]
  const kept = hashes.slice(0, KEPT_HASHES_MAX)
  const count = BigInt(kept.length)
  return {
    bytes: serialize(kept, theta),
    estimate: theta === undefined ? count : (count * THETA_MAX + theta / 2n) / theta,
  }
}

/** @param theta no hash is at or above it; undefined: all of them are there */
function serialize(hashes: readonly bigint[], theta: bigint | undefined): Buffer {
  const preambleLongs = theta !== undefined ? 3 : hashes.length === 1 ? 1 : 2
  const bytes = Buffer.alloc(8 * (preambleLongs + hashes.length))
  bytes[0] = preambleLongs
  bytes[1] = SERIAL_VERSION
  bytes[2] = FAMILY_COMPACT
  bytes[5] = FLAG_READ_ONLY | FLAG_COMPACT | FLAG_ORDERED | (hashes.length === 1 ? FLAG_SINGLE : 0)
  bytes.writeUInt16LE(seedHash(), 6)
  if (preambleLongs > 1) {
    bytes.writeInt32LE(hashes.length, 8)
    // The probability of sampling, which is not done.
    bytes.writeFloatLE(1, 12)
  }
  if (theta !== undefined) bytes.writeBigInt64LE(theta, 16)
  hashes.forEach((hash, index) => bytes.writeBigInt64LE(hash, 8 * (preambleLongs + index)))
  return bytes
}

/** By which readers see that a sketch was made with the seed that they know. */
function seedHash(): number {
  const seed = Buffer.alloc(8)
  seed.writeBigInt64LE(SEED)
  return Number(murmur3x128(seed, 0n)[0] & 0xffffn)
}
