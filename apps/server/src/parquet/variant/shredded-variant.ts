// Puts shredded variants together again: what stands in typed columns of a Parquet file, and what is left of the value.
// Source: parquet-format VariantShredding.md, "Reconstructing a Shredded Variant". A shredded field wins over one of its
// name in the rest; any other conflict is TABLE_CORRUPT. Which columns there are is compiled once per file.
import { decodeSignedBigEndian } from '@lake/core/iceberg/literal-bytes.ts'
import { compareBytes, compareUtf8, decodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { listShape } from '../containers.ts'
import type { PhysicalType, SchemaNode } from '../parquet-metadata.ts'
import { parquetUnsupported } from '../thrift.ts'
import { corruptVariant, decodeVariantNames, decodeVariantNode } from './variant-bytes.ts'
import type { VariantKind, VariantNames, VariantPrimitive } from './variant-bytes.ts'
import { primitiveJson, VariantText, writeArray, writeObject, writeVariant } from './variant-json.ts'

const DECIMAL_DIGITS_MAX = 38
const DECIMAL_BYTES_MAX = 16
const DECIMAL_TYPES: ReadonlySet<PhysicalType> = new Set([
  'INT32',
  'INT64',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
])

/** A value of a raw column: groups by `childKey`, repeated ones as arrays, leaves as stored. */
export type RawValue = unknown
type RawGroup = Readonly<Record<string, RawValue>>

/** Children are addressed by their place: names may hold anything. */
export function childKey(index: number): string {
  return `n${index}`
}

export type VariantReader = (row: RawValue) => string | null

interface Shape {
  readonly valueKey: string | undefined
  readonly typed: { readonly key: string; readonly type: TypedShape } | undefined
}

type TypedShape =
  | { readonly kind: 'leaf'; readonly read: (raw: RawValue) => VariantPrimitive }
  | { readonly kind: 'array'; readonly element: Shape }
  | { readonly kind: 'object'; readonly fields: readonly ShreddedField[] }

interface ShreddedField {
  readonly name: string
  readonly key: string
  readonly shape: Shape
}

/**
 * Compiles the reader of a variant column: JSON text by row, null for a null row.
 * @throws AppError TABLE_UNSUPPORTED, TABLE_CORRUPT
 */
export function compileVariantReader(node: SchemaNode): VariantReader {
  const shape = shapeOf(node)
  const metadataIndex = node.children.findIndex((child) => child.name === 'metadata')
  if (!isBytes(node.children[metadataIndex]))
    throw parquetUnsupported('a Parquet column that is no variant as variant')
  const metadataKey = childKey(metadataIndex)
  const namesOf = rememberLast(decodeVariantNames)
  return (row) => {
    if (row === null || row === undefined) return null
    const group = row as RawGroup
    const metadata = group[metadataKey]
    if (!(metadata instanceof Uint8Array)) throw corruptVariant('has no dictionary')
    const text = new VariantText()
    writeOrNull({ shape, group, names: namesOf(metadata), depth: 0, text })
    return text.toString()
  }
}

/** Dictionaries repeat from row to row. */
function rememberLast(decode: (bytes: Uint8Array) => VariantNames): (bytes: Uint8Array) => VariantNames {
  let last: { readonly bytes: Uint8Array; readonly names: VariantNames } | undefined
  return (bytes) => {
    if (last === undefined || compareBytes(last.bytes, bytes) !== 0) last = { bytes, names: decode(bytes) }
    return last.names
  }
}

function isBytes(node: SchemaNode | undefined): boolean {
  return node?.leaf?.physicalType === 'BYTE_ARRAY' && node.repetition !== 'repeated'
}

function shapeOf(node: SchemaNode): Shape {
  const indexOf = (name: string): number => node.children.findIndex((child) => child.name === name)
  const [valueIndex, typedIndex] = [indexOf('value'), indexOf('typed_value')]
  const typed = node.children[typedIndex]
  const isGroup = node.leaf === undefined && (valueIndex >= 0 || typed !== undefined)
  if (!isGroup || (valueIndex >= 0 && !isBytes(node.children[valueIndex]))) {
    throw parquetUnsupported('a Parquet column that is no variant as variant')
  }
  return {
    valueKey: valueIndex < 0 ? undefined : childKey(valueIndex),
    typed: typed && { key: childKey(typedIndex), type: typedShapeOf(typed) },
  }
}

function typedShapeOf(node: SchemaNode): TypedShape {
  if (node.leaf !== undefined) return { kind: 'leaf', read: leafReader(node) }
  const list = node.annotation.kind === 'list' ? listShape(node) : undefined
  if (list !== undefined && !list.isElementRepeated) return { kind: 'array', element: shapeOf(list.element) }
  if (node.annotation.kind !== 'none') throw parquetUnsupported('a shredded variant of an unknown shape')
  const fields = node.children.map((child, index) => ({
    name: child.name,
    key: childKey(index),
    shape: shapeOf(child),
  }))
  if (new Set(fields.map(({ name }) => name)).size < fields.length) {
    throw parquetUnsupported('a shredded variant with one field twice')
  }
  return { kind: 'object', fields }
}

function leafReader(node: SchemaNode): (raw: RawValue) => VariantPrimitive {
  const read = uncheckedLeafReader(node)
  const isValue = RAW_VALUES[node.leaf?.physicalType ?? 'INT96']
  return (raw) => {
    if (isValue?.(raw) !== true) throw misshapen()
    return read(raw)
  }
}

/** What a leaf is as it is stored. */
const RAW_VALUES: Readonly<Partial<Record<PhysicalType, (raw: RawValue) => boolean>>> = {
  BOOLEAN: (raw) => typeof raw === 'boolean',
  INT32: (raw) => typeof raw === 'number' && Number.isInteger(raw),
  INT64: (raw) => typeof raw === 'bigint',
  FLOAT: (raw) => typeof raw === 'number',
  DOUBLE: (raw) => typeof raw === 'number',
  BYTE_ARRAY: (raw) => raw instanceof Uint8Array,
  FIXED_LEN_BYTE_ARRAY: (raw) => raw instanceof Uint8Array,
}

function uncheckedLeafReader(node: SchemaNode): (raw: RawValue) => VariantPrimitive {
  const { annotation } = node
  const physical = node.leaf?.physicalType
  const as = (kind: VariantKind): ((raw: RawValue) => VariantPrimitive) => {
    if (physical !== 'INT32' && physical !== 'INT64') {
      return (raw) => ({ kind, value: raw as VariantPrimitive['value'], scale: 0 })
    }
    return (raw) => ({ kind, value: BigInt(raw as number | bigint), scale: 0 })
  }
  const refuse = (): never => {
    throw parquetUnsupported(`a shredded variant of type ${physical ?? 'group'} (${annotation.kind})`)
  }
  switch (annotation.kind) {
    case 'none':
      if (physical === 'BOOLEAN') return as('boolean')
      if (physical === 'INT32' || physical === 'INT64') return as('integer')
      if (physical === 'FLOAT') return as('float')
      if (physical === 'DOUBLE') return as('double')
      return physical === 'BYTE_ARRAY' ? as('binary') : refuse()
    case 'integer':
      return annotation.isSigned && (physical === 'INT32' || physical === 'INT64') ? as('integer') : refuse()
    case 'decimal': {
      const { precision, scale } = annotation
      const isPossible = scale >= 0 && scale <= precision && precision <= DECIMAL_DIGITS_MAX
      if (!isPossible || physical === undefined || !DECIMAL_TYPES.has(physical)) return refuse()
      return (raw) => ({ kind: 'decimal', value: unscaledOf(raw), scale })
    }
    case 'date':
      return physical === 'INT32' ? as('date') : refuse()
    case 'time':
      return annotation.unit === 'micros' && physical === 'INT64' ? as('time') : refuse()
    case 'timestamp': {
      if (annotation.unit === 'millis' || physical !== 'INT64') return refuse()
      const kind = annotation.isUtc ? 'timestamptz' : 'timestamp'
      return as(annotation.unit === 'nanos' ? `${kind}_ns` : kind)
    }
    case 'string':
      return physical === 'BYTE_ARRAY'
        ? (raw) => ({ kind: 'string', value: textOf(raw as Uint8Array), scale: 0 })
        : refuse()
    case 'uuid':
      return physical === 'FIXED_LEN_BYTE_ARRAY' && node.leaf?.lengthBytes === 16 ? as('uuid') : refuse()
    case 'enum':
    case 'json':
    case 'list':
    case 'map':
    case 'other':
      return refuse()
  }
}

function unscaledOf(raw: RawValue): bigint {
  if (raw instanceof Uint8Array) {
    if (raw.byteLength > DECIMAL_BYTES_MAX) throw corruptVariant('has a decimal of too many bytes')
    return decodeSignedBigEndian(raw)
  }
  return BigInt(raw as number | bigint)
}

function textOf(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw corruptVariant('has text that is not UTF-8')
  return text
}

interface Write {
  readonly shape: Shape
  readonly group: RawGroup
  readonly names: VariantNames
  readonly depth: number
  readonly text: VariantText
}

function bytesAt(group: RawGroup, key: string | undefined): Uint8Array | undefined {
  const value = key === undefined ? undefined : (group[key] ?? undefined)
  if (value === undefined || value instanceof Uint8Array) return value
  throw misshapen()
}

/** Levels of a damaged file may nest a column otherwise than its schema does. */
const misshapen = (): Error => corruptVariant('is nested otherwise than its schema says')

function groupsOf(raw: RawValue): readonly RawGroup[] {
  const items = raw ?? []
  const isGroups = Array.isArray(items) && items.every((item) => typeof item === 'object' && item !== null)
  if (!isGroups) throw misshapen()
  return items as readonly RawGroup[]
}

/** False where neither column has a value. */
function isPresent(shape: Shape, raw: RawValue): boolean {
  if (raw === null || raw === undefined) return false
  const group = raw as RawGroup
  const typed = shape.typed && group[shape.typed.key]
  return bytesAt(group, shape.valueKey) !== undefined || (typed !== undefined && typed !== null)
}

function writeOrNull(write: Write): void {
  const { shape, group, names, depth, text } = write
  const value = bytesAt(group, shape.valueKey)
  const typed = shape.typed && group[shape.typed.key]
  if (shape.typed === undefined || typed === undefined || typed === null) {
    if (value === undefined) text.push('null')
    else writeVariant(value, names, depth, text)
    return
  }
  const { type } = shape.typed
  if (type.kind === 'object') {
    writeShreddedObject(type.fields, typed as RawGroup, value, write)
    return
  }
  if (value !== undefined) throw corruptVariant('has a value and a typed value')
  if (type.kind === 'leaf') {
    text.push(primitiveJson(type.read(typed)))
    return
  }
  const elements = groupsOf((typed as RawGroup)[childKey(0)]).map((item) => () => {
    const element = (item[childKey(0)] ?? {}) as RawGroup
    writeOrNull({ ...write, shape: type.element, group: element, depth: depth + 1 })
  })
  writeArray(elements, text)
}

function writeShreddedObject(
  shredded: readonly ShreddedField[],
  typed: RawGroup,
  value: Uint8Array | undefined,
  write: Write,
): void {
  const { names, depth, text } = write
  const rest = value === undefined ? undefined : decodeVariantNode(value, names)
  if (rest !== undefined && rest.basic !== 'object') {
    throw corruptVariant('has fields of its own columns and a value that is no object')
  }
  const own = new Set(shredded.map(({ name }) => name))
  const fields = [
    ...shredded
      .filter(({ shape, key }) => isPresent(shape, typed[key]))
      .map(({ name, shape, key }) => ({
        name,
        write: () => {
          writeOrNull({ ...write, shape, group: typed[key] as RawGroup, depth: depth + 1 })
        },
      })),
    ...(rest?.fields ?? [])
      .filter(({ name }) => !own.has(name))
      .map((field) => ({
        name: field.name,
        write: () => {
          writeVariant(field.value, names, depth + 1, text)
        },
      })),
  ]
  writeObject(
    fields.toSorted((left, right) => compareUtf8(left.name, right.name)),
    text,
  )
}
