// Buffers that grow by doubling and are reused from batch to batch. The encoder copies them into each message, so what
// they hold may be overwritten afterwards.

export interface GrowableBuffer {
  /** Capacity may exceed `length`; replaced when it grows, so do not keep it. */
  bytes: Buffer
  length: number
  /** Makes room for `count` more bytes and returns the offset where they start. */
  extend(count: number): number
  reset(): void
}

export function createGrowableBuffer(): GrowableBuffer {
  return {
    bytes: Buffer.from(new ArrayBuffer(1_024)),
    length: 0,
    extend(count) {
      const start = this.length
      const end = start + count
      if (end > this.bytes.length) {
        const grown = Buffer.from(new ArrayBuffer(Math.max(end, this.bytes.length * 2)))
        this.bytes.copy(grown, 0, 0, start)
        this.bytes = grown
      }
      this.length = end
      return start
    },
    reset() {
      this.length = 0
    },
  }
}

/** The validity bits of one column under construction. Without any NULL there is no bitmap. */
export interface ValidityBuilder {
  readonly nullCount: number
  /** Appends rows `[start, start + count)` of `validity`, and calls `onNull` with the index of each NULL from `start`. */
  append(validity: Uint8Array | null, start: number, count: number, onNull?: (index: number) => void): void
  finish(): Uint8Array | undefined
  reset(): void
}

export function createValidityBuilder(): ValidityBuilder {
  let bits = new Uint8Array(256)
  let length = 0
  let nullCount = 0
  const reserve = (count: number): void => {
    const needed = (length + count + 7) >> 3
    if (needed <= bits.length) return
    const grown = new Uint8Array(Math.max(needed, bits.length * 2))
    grown.set(bits)
    bits = grown
  }
  return {
    get nullCount() {
      return nullCount
    },
    append(validity, start, count, onNull) {
      reserve(count)
      for (let index = 0; index < count; index += 1) {
        const row = start + index
        const at = length + index
        const mask = 1 << (at & 7)
        if (validity === null || ((validity[row >> 3] as number) & (1 << (row & 7))) !== 0) {
          bits[at >> 3] = (bits[at >> 3] as number) | mask
        } else {
          bits[at >> 3] = (bits[at >> 3] as number) & ~mask
          nullCount += 1
          onNull?.(index)
        }
      }
      length += count
    },
    finish: () => (nullCount === 0 ? undefined : bits.subarray(0, (length + 7) >> 3)),
    reset() {
      length = 0
      nullCount = 0
    },
  }
}
