// Fast hashes of texts in four independent lanes of 32 bits. For telling answers apart, not for security.

/** Finalizer of MurmurHash3: every bit of the input moves half of the output. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The lanes of the text hashed last: one list for all, since rows come by the million. */
const lanes = new Uint32Array(4)

const turn = (hash: number): number => (hash << 13) | (hash >>> 19)

/** Hashes into `lanes`. Each lane has its own seed and factor. */
function hashLanes(text: string): void {
  const { length } = text
  let a = 0x9e3779b1 ^ length
  let b = 0x85ebca77 ^ length
  let c = 0xc2b2ae3d ^ length
  let d = 0x27d4eb2f ^ length
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    a = turn(Math.imul(a ^ code, 0x85ebca77))
    b = turn(Math.imul(b ^ code, 0xc2b2ae3d))
    c = turn(Math.imul(c ^ code, 0x27d4eb2f))
    d = turn(Math.imul(d ^ code, 0x9e3779b1))
  }
  lanes[0] = mix(a)
  lanes[1] = mix(b + 1)
  lanes[2] = mix(c + 2)
  lanes[3] = mix(d + 3)
}

const hex = (values: Uint32Array): string =>
  Array.from(values, (lane) => lane.toString(16).padStart(8, '0')).join('')

export function hashText(text: string): string {
  hashLanes(text)
  return hex(lanes)
}

/** Of rows in any order; a row that comes twice counts twice. */
export class MultisetHash {
  readonly #lanes = new Uint32Array(4)

  add(text: string): void {
    hashLanes(text)
    for (let i = 0; i < 4; i++) this.#lanes[i] = (this.#lanes[i] ?? 0) + (lanes[i] ?? 0)
  }

  text(): string {
    return hex(this.#lanes)
  }
}

/** Of rows in their order. */
export class SequenceHash {
  readonly #lanes = new Uint32Array(4)

  add(text: string): void {
    hashLanes(text)
    for (let i = 0; i < 4; i++) this.#lanes[i] = mix(Math.imul(this.#lanes[i] ?? 0, 31) + (lanes[i] ?? 0))
  }

  text(): string {
    return hex(this.#lanes)
  }
}
