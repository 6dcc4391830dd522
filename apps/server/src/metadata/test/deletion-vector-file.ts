// Writes what the reader of deletion vectors reads: roaring bitmaps in each kind of container, vectors, and Puffin files.
import { crc32 } from 'node:zlib'

export type ContainerKind = 'plain' | 'run'

/** Portable 64-bit roaring: lists and, of more than 4,096 positions, bits; or runs only. */
export function encodeRoaring64(positions: Iterable<number>, kind: ContainerKind = 'plain'): Uint8Array {
  const byHigh = Map.groupBy(
    [...new Set(positions)].sort((a, b) => a - b),
    (position) => Math.floor(position / 2 ** 32),
  )
  const head = new Uint8Array(8)
  new DataView(head.buffer).setBigUint64(0, BigInt(byHigh.size), true)
  const parts: Uint8Array[] = [head]
  for (const [high, values] of [...byHigh].sort(([a], [b]) => a - b)) {
    parts.push(
      uint32(high),
      encodeRoaring32(
        values.map((value) => value % 2 ** 32),
        kind,
      ),
    )
  }
  return concat(parts)
}

function encodeRoaring32(values: readonly number[], kind: ContainerKind): Uint8Array {
  const containers = [...Map.groupBy(values, (value) => Math.floor(value / 65_536))].map(
    ([key, members]) => ({
      key,
      lows: members.map((value) => value % 65_536),
    }),
  )
  const isRun = kind === 'run'
  const head = isRun
    ? concat([
        uint32(12_347 + (containers.length - 1) * 65_536),
        new Uint8Array(Math.ceil(containers.length / 8)).fill(0xff),
      ])
    : concat([uint32(12_346), uint32(containers.length)])
  const keys = concat(containers.flatMap(({ key, lows }) => [uint16(key), uint16(lows.length - 1)]))
  const bodies = containers.map(({ lows }) => {
    if (isRun) return encodeRuns(lows)
    return lows.length > 4_096 ? encodeBits(lows) : concat(lows.map(uint16))
  })
  if (isRun && containers.length < 4) return concat([head, keys, ...bodies])
  let offset = head.length + keys.length + containers.length * 4
  const offsets = bodies.map((body) => {
    offset += body.length
    return uint32(offset - body.length)
  })
  return concat([head, keys, ...offsets, ...bodies])
}

function encodeRuns(lows: readonly number[]): Uint8Array {
  const runs: { start: number; length: number }[] = []
  for (const low of lows) {
    const last = runs.at(-1)
    if (last && last.start + last.length === low) last.length += 1
    else runs.push({ start: low, length: 1 })
  }
  return concat([
    uint16(runs.length),
    ...runs.flatMap(({ start, length }) => [uint16(start), uint16(length - 1)]),
  ])
}

function encodeBits(lows: readonly number[]): Uint8Array {
  const bits = new Uint8Array(8_192)
  for (const low of lows) bits[low >> 3] = (bits[low >> 3] ?? 0) | (1 << (low & 7))
  return bits
}

/** The blob of a vector: length, magic, bitmap, checksum. */
export function encodeVector(bitmap: Uint8Array): Uint8Array {
  const covered = concat([Uint8Array.of(0xd1, 0xd3, 0x39, 0x64), bitmap])
  const ends = new DataView(new ArrayBuffer(8))
  ends.setUint32(0, covered.length)
  ends.setUint32(4, crc32(covered))
  return concat([new Uint8Array(ends.buffer, 0, 4), covered, new Uint8Array(ends.buffer, 4, 4)])
}

export interface PuffinFile {
  readonly bytes: Uint8Array
  readonly places: readonly { readonly offset: number; readonly sizeBytes: number }[]
}

export function encodePuffin(
  blobs: readonly Uint8Array[],
  changes: { readonly type?: string; readonly codec?: string; readonly flags?: number } = {},
): PuffinFile {
  const magic = new TextEncoder().encode('PFA1')
  let end = magic.length
  const places = blobs.map((blob) => {
    end += blob.length
    return { offset: end - blob.length, sizeBytes: blob.length }
  })
  const listed = places.map(({ offset, sizeBytes }) => ({
    type: changes.type ?? 'deletion-vector-v1',
    fields: [],
    'snapshot-id': -1,
    'sequence-number': -1,
    offset,
    length: sizeBytes,
    ...(changes.codec === undefined ? {} : { 'compression-codec': changes.codec }),
  }))
  const payload = new TextEncoder().encode(JSON.stringify({ blobs: listed }))
  const trailer = [uint32(payload.length), uint32(changes.flags ?? 0), magic]
  return { bytes: concat([magic, ...blobs, magic, payload, ...trailer]), places }
}

function uint16(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, value >>> 8)
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}
