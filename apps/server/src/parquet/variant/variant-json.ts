// Writes variants as JSON text without losing a digit: integers and decimals as they are, floats as the shortest text that
// reads back the same, times in ISO 8601, binary in base64. JSON has no NaN and no infinity: those are strings.
// The length of the text bounds the work, since a hostile value may hold one part of itself many times over.
import { formatDate, formatTimeOfDay, floorDivide, NANOS_PER_DAY } from '@lake/core/iceberg/civil-time.ts'
import { formatDecimal, formatUuid } from '@lake/core/iceberg/literal.ts'
import { LIMITS } from '../../limits.ts'
import { parquetUnsupported } from '../thrift.ts'
import { decodeVariantNode } from './variant-bytes.ts'
import type { VariantNames, VariantPrimitive } from './variant-bytes.ts'

const NANOS_PER_MICRO = 1_000n

/** Collects the text of one variant. */
export class VariantText {
  readonly #parts: string[] = []
  #charCount = 0

  push(text: string): void {
    this.#charCount += text.length
    if (this.#charCount > LIMITS.variantCharsMax) throw parquetUnsupported('a very long variant')
    this.#parts.push(text)
  }

  toString(): string {
    return this.#parts.join('')
  }
}

/** @param depth levels of nesting above the value */
export function writeVariant(value: Uint8Array, names: VariantNames, depth: number, text: VariantText): void {
  if (depth > LIMITS.variantDepthMax) throw parquetUnsupported('a very deep variant')
  const node = decodeVariantNode(value, names)
  if (node.basic === 'primitive') {
    text.push(primitiveJson(node.primitive))
  } else if (node.basic === 'array') {
    writeArray(
      node.elements.map((element) => () => {
        writeVariant(element, names, depth + 1, text)
      }),
      text,
    )
  } else {
    writeObject(
      node.fields.map((field) => ({
        name: field.name,
        write: () => {
          writeVariant(field.value, names, depth + 1, text)
        },
      })),
      text,
    )
  }
}

export function writeArray(elements: readonly (() => void)[], text: VariantText): void {
  text.push('[')
  elements.forEach((write, index) => {
    if (index > 0) text.push(',')
    write()
  })
  text.push(']')
}

export function writeObject(
  fields: readonly { readonly name: string; readonly write: () => void }[],
  text: VariantText,
): void {
  text.push('{')
  fields.forEach(({ name, write }, index) => {
    text.push(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`)
    write()
  })
  text.push('}')
}

export function primitiveJson({ kind, value, scale }: VariantPrimitive): string {
  switch (kind) {
    case 'null':
      return 'null'
    case 'boolean':
    case 'integer':
      return String(value)
    case 'decimal':
      return formatDecimal(value as bigint, scale)
    case 'float':
    case 'double':
      return floatJson(value as number, kind)
    case 'date':
      return quoted(formatDate(Number(value)))
    case 'time':
      return quoted(timeText((value as bigint) * NANOS_PER_MICRO))
    case 'timestamp':
      return quoted(momentText((value as bigint) * NANOS_PER_MICRO, 6))
    case 'timestamptz':
      return quoted(`${momentText((value as bigint) * NANOS_PER_MICRO, 6)}+00:00`)
    case 'timestamp_ns':
      return quoted(momentText(value as bigint, 9))
    case 'timestamptz_ns':
      return quoted(`${momentText(value as bigint, 9)}+00:00`)
    case 'binary':
      return quoted(Buffer.from(value as Uint8Array).toString('base64'))
    case 'string':
      return JSON.stringify(value)
    case 'uuid':
      return quoted(formatUuid(value as Uint8Array))
  }
}

const quoted = (text: string): string => `"${text}"`

/** Always with a point or an exponent, so that a reader does not take it for an integer. */
function floatJson(value: number, kind: 'float' | 'double'): string {
  if (!Number.isFinite(value)) return quoted(String(value))
  if (Object.is(value, -0)) return '-0.0'
  const text = kind === 'float' ? shortestFloat(value) : String(value)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}

function shortestFloat(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits))
    if (Math.fround(shorter) === value) return String(shorter)
  }
  return String(Number(value.toPrecision(9)))
}

function momentText(nanos: bigint, fractionDigits: 6 | 9): string {
  const days = floorDivide(nanos, NANOS_PER_DAY)
  return `${formatDate(Number(days))}T${formatTimeOfDay(nanos - days * NANOS_PER_DAY, fractionDigits)}`
}

function timeText(nanosOfDay: bigint): string {
  if (nanosOfDay < 0n || nanosOfDay >= NANOS_PER_DAY)
    throw parquetUnsupported('a time of a variant outside of a day')
  return formatTimeOfDay(nanosOfDay, 6)
}
