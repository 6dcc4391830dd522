// Damages bytes as a broken writer, a bad disk or an attacker would: bits and bytes, cut and moved parts, and above all
// numbers in the forms that binary formats have for lengths, counts and offsets. The same numbers make the same damage.

export type Random = () => number

/** Values at which readers go wrong. */
const NUMBERS: readonly bigint[] = [
  [0, 1, 2, 7, 8, 31, 32, 63, 64, 127, 128, 255, 256, 1_000, 4_096, 10_000],
  [32_767, 32_768, 65_535, 65_536, 1_000_003, 2 ** 24, 2 ** 27, 2 ** 30, 2 ** 31 - 1],
  [2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40, 2 ** 53],
]
  .flat()
  .map(BigInt)
  .concat(2n ** 62n, 2n ** 63n - 1n)
const EDGE_BYTES = [0x00, 0x01, 0x02, 0x0f, 0x1c, 0x7f, 0x80, 0xf9, 0xfe, 0xff] as const
const EDITS_MAX = 4
const PART_BYTES_MAX = 64

/** One of the inputs with one to four changes. */
export function mutateBytes(inputs: readonly Uint8Array[], random: Random): Uint8Array<ArrayBuffer> {
  const below = (end: number): number => Math.floor(random() * end)
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T
  let bytes = new Uint8Array(one(inputs))
  const edits = 1 + below(EDITS_MAX)
  for (let edit = 0; edit < edits; edit += 1)
    bytes = EDITS[below(EDITS.length)]!(bytes, { below, one, inputs })
  return bytes
}

interface Tools {
  readonly below: (end: number) => number
  readonly one: <T>(items: readonly T[]) => T
  readonly inputs: readonly Uint8Array[]
}

type Edit = (bytes: Uint8Array<ArrayBuffer>, tools: Tools) => Uint8Array<ArrayBuffer>

const flipBit: Edit = (bytes, { below }) => {
  const at = below(bytes.length * 8)
  if (bytes.length > 0) bytes[at >> 3]! ^= 1 << (at & 7)
  return bytes
}

const setByte: Edit = (bytes, { below, one }) => {
  if (bytes.length > 0) bytes[below(bytes.length)] = one(EDGE_BYTES)
  return bytes
}

const addToByte: Edit = (bytes, { below }) => {
  if (bytes.length > 0) bytes[below(bytes.length)]! += below(2) === 0 ? 1 : 255
  return bytes
}

const cut: Edit = (bytes, { below }) => bytes.slice(0, below(bytes.length + 1))

const cutHead: Edit = (bytes, { below }) => bytes.slice(below(Math.min(16, bytes.length + 1)))

const remove: Edit = (bytes, { below }) => {
  const start = below(bytes.length + 1)
  return concat(bytes.slice(0, start), bytes.slice(start + 1 + below(PART_BYTES_MAX)))
}

const repeat: Edit = (bytes, { below }) => {
  const start = below(bytes.length + 1)
  const part = bytes.slice(start, start + 1 + below(PART_BYTES_MAX))
  const times = 1 + below(8)
  return concat(bytes.slice(0, start), ...Array.from({ length: times }, () => part), bytes.slice(start))
}

const insert: Edit = (bytes, { below }) => {
  const start = below(bytes.length + 1)
  const part = Uint8Array.from({ length: 1 + below(8) }, () => below(256))
  return concat(bytes.slice(0, start), part, bytes.slice(start))
}

/** The beginning of this one and the end of another. */
const splice: Edit = (bytes, { below, one, inputs }) => {
  const other = one(inputs)
  return concat(bytes.slice(0, below(bytes.length + 1)), other.slice(below(other.length + 1)))
}

const move: Edit = (bytes, { below }) => {
  const [from, to] = [below(bytes.length + 1), below(bytes.length + 1)]
  bytes.copyWithin(to, from, from + 1 + below(PART_BYTES_MAX))
  return bytes
}

const overwriteFixed: Edit = (bytes, { below, one }) => {
  const width = one([1, 2, 4, 8])
  if (bytes.length < width) return bytes
  const view = new DataView(bytes.buffer)
  const at = below(bytes.length - width + 1)
  const value = number(bytes.length, { below, one })
  const isLittle = below(2) === 0
  if (width === 1) view.setUint8(at, Number(value & 0xffn))
  else if (width === 2) view.setUint16(at, Number(value & 0xffffn), isLittle)
  else if (width === 4) view.setUint32(at, Number(value & 0xffffffffn), isLittle)
  else view.setBigUint64(at, BigInt.asUintN(64, value), isLittle)
  return bytes
}

/** As Avro and Thrift write integers; it takes the place of as many bytes, or of one. */
const overwriteVarint: Edit = (bytes, { below, one }) => {
  const value = number(bytes.length, { below, one })
  const encoded = varint(below(2) === 0 ? (value << 1n) ^ (value >> 63n) : BigInt.asUintN(64, value))
  const at = below(bytes.length + 1)
  const end = at + (below(2) === 0 ? encoded.length : 1)
  return concat(bytes.slice(0, at), encoded, bytes.slice(end))
}

/** Numbers are what formats are made of, so they are changed more often. */
const EDITS: readonly Edit[] = [
  [flipBit, flipBit, setByte, addToByte, cut, cutHead, remove, repeat, insert, splice, move],
  [overwriteFixed, overwriteFixed, overwriteVarint, overwriteVarint, overwriteVarint],
].flat()

function number(length: number, { below, one }: Pick<Tools, 'below' | 'one'>): bigint {
  const near = BigInt(Math.max(0, length - 4 + below(8)))
  const value = below(4) === 0 ? near : one(NUMBERS)
  return below(4) === 0 ? -value : value
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return Uint8Array.from(bytes)
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}
