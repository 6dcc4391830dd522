// The text of geometries: from well-known binary, as geometry and geography columns have it, to well-known text.
// Source: OGC Simple Features (ISO WKB: dimensions by thousands in the type) and the flags that some writers set instead.
// Coordinates are written as the shortest text that reads back the same. Bytes are hostile: nothing is read beyond their
// end, nesting is bounded, and what does not fit is undefined.

const KINDS: Readonly<Record<number, string>> = {
  1: 'POINT',
  2: 'LINESTRING',
  3: 'POLYGON',
  4: 'MULTIPOINT',
  5: 'MULTILINESTRING',
  6: 'MULTIPOLYGON',
  7: 'GEOMETRYCOLLECTION',
}
const DIMENSION_NAMES = ['', ' Z', ' M', ' ZM'] as const
const DEPTH_MAX = 32
const FLAG_Z = 0x80000000
const FLAG_M = 0x40000000
const FLAG_SRID = 0x20000000
const POINT = 1

/** undefined where the bytes are no geometry. Longer text than `charsMax` is cut there. */
export function formatWkt(wkb: Uint8Array, charsMax = Number.POSITIVE_INFINITY): string | undefined {
  const reader = new WkbReader(wkb, charsMax)
  try {
    reader.geometry(0, undefined)
    return reader.isAtEnd ? reader.text : undefined
  } catch (error) {
    if (error instanceof TextCut) return reader.text.slice(0, charsMax)
    if (error instanceof RangeError) return undefined
    throw error
  }
}

class TextCut extends Error {}

interface Header {
  readonly kind: number
  readonly hasZ: boolean
  readonly hasM: boolean
}

class WkbReader {
  text = ''
  readonly #view: DataView
  readonly #charsMax: number
  #position = 0
  #isLittleEndian = true

  constructor(bytes: Uint8Array, charsMax: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#charsMax = charsMax
  }

  get isAtEnd(): boolean {
    return this.#position === this.#view.byteLength
  }

  /** @param within kind of the collection that holds it: its members are written without their own name */
  geometry(depth: number, within: number | undefined): void {
    if (depth > DEPTH_MAX) throw new RangeError('too deep')
    const header = this.#header()
    const { kind, hasZ, hasM } = header
    const isNamed = within === undefined || within === 7
    if (!isNamed && kind !== within - 3) throw new RangeError('member of another kind')
    if (isNamed) {
      this.#write(`${KINDS[kind] ?? ''}${DIMENSION_NAMES[(hasZ ? 1 : 0) + (hasM ? 2 : 0)] ?? ''} `)
    }
    if (kind === POINT) {
      this.#point(header)
    } else if (kind === 2) {
      this.#points(header)
    } else if (kind === 3) {
      this.#listOf(4, () => {
        this.#points(header)
      })
    } else {
      this.#listOf(5, () => {
        this.geometry(depth + 1, kind)
      })
    }
  }

  #header(): Header {
    const order = this.#view.getUint8(this.#position)
    if (order > 1) throw new RangeError('no byte order')
    this.#isLittleEndian = order === 1
    const type = this.#view.getUint32(this.#position + 1, this.#isLittleEndian)
    this.#position += 5
    if ((type & FLAG_SRID) !== 0) this.#position += 4
    const plain = type & 0x1fffffff
    const dimensions = Math.floor(plain / 1_000)
    const kind = plain % 1_000
    if (dimensions > 3 || !Object.hasOwn(KINDS, kind)) throw new RangeError('no kind of geometry')
    return {
      kind,
      hasZ: (type & FLAG_Z) !== 0 || dimensions === 1 || dimensions === 3,
      hasM: (type & FLAG_M) !== 0 || dimensions >= 2,
    }
  }

  #coordinates({ hasZ, hasM }: Header): number[] {
    const count = 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0)
    const values = Array.from({ length: count }, (_, index) =>
      this.#view.getFloat64(this.#position + index * 8, this.#isLittleEndian),
    )
    this.#position += count * 8
    return values
  }

  /** A point of NaN is the empty one. */
  #point(header: Header): void {
    const values = this.#coordinates(header)
    this.#write(values.every(Number.isNaN) ? 'EMPTY' : `(${values.map(coordinateText).join(' ')})`)
  }

  #points(header: Header): void {
    const bytesEach = 16 + (header.hasZ ? 8 : 0) + (header.hasM ? 8 : 0)
    this.#listOf(bytesEach, () => {
      this.#write(this.#coordinates(header).map(coordinateText).join(' '))
    })
  }

  #listOf(itemBytesMin: number, writeItem: () => void): void {
    const count = this.#view.getUint32(this.#position, this.#isLittleEndian)
    this.#position += 4
    if (count * itemBytesMin > this.#view.byteLength - this.#position) throw new RangeError('too many items')
    if (count === 0) {
      this.#write('EMPTY')
      return
    }
    const isLittleEndian = this.#isLittleEndian
    for (let index = 0; index < count; index += 1) {
      this.#write(index === 0 ? '(' : ', ')
      writeItem()
      // A member may have had another byte order.
      this.#isLittleEndian = isLittleEndian
    }
    this.#write(')')
  }

  #write(text: string): void {
    this.text += text
    if (this.text.length > this.#charsMax) throw new TextCut()
  }
}

function coordinateText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}
