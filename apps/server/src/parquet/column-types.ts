// Whether the bytes of a Parquet column are values of an Iceberg type, and what the excerpt must call them so that the
// engine reads them as such. The table's type decides, not the file's annotation, where the physical bytes agree:
// text without UTF8, time zones, uuids as bytes. Source: Iceberg table spec, appendix A "Parquet"; promotions included.
// What would need another reading of the bytes is refused, naming both types.
import { formatType } from '@lake/core/iceberg/schema.ts'
import type { IcebergType, PrimitiveType } from '@lake/core/iceberg/types.ts'
import type { Annotation } from './annotation.ts'
import type { SchemaNode } from './parquet-metadata.ts'
import { parquetUnsupported } from './thrift.ts'

export interface ReadableLeaf {
  readonly annotation: Annotation
  /** Turns SQL for the leaf as the engine reads it into SQL for its value; undefined where a cast does. */
  readonly compute: ((sql: string) => string) | undefined
}

type UsualLeaf = Pick<SchemaNode, 'annotation' | 'leaf'>

/** Of text that stands for a variant; no file has it. */
export const VARIANT_TEXT: Annotation = { kind: 'other', name: 'text of a variant' }
const NONE: Annotation = { kind: 'none' }
const DECIMAL_PRECISION_MAX = 38

/** @throws AppError TABLE_UNSUPPORTED */
export function readableLeaf(type: PrimitiveType, node: SchemaNode): ReadableLeaf {
  if (isNullColumn(node)) return { annotation: NONE, compute: () => 'NULL' }
  const annotation = annotationFor(type, node)
  if (annotation === undefined) {
    const { physicalType = 'group' } = node.leaf ?? {}
    const given = node.annotation.kind === 'other' ? node.annotation.name : node.annotation.kind
    throw parquetUnsupported(`a Parquet column of type ${physicalType} (${given}) as ${formatType(type)}`)
  }
  return { annotation, compute: computeOf(type, node) }
}

/** Some writers mark a column in which every value is null, whatever its type. */
export function isNullColumn({ annotation }: Pick<SchemaNode, 'annotation'>): boolean {
  return annotation.kind === 'other' && annotation.name === 'null'
}

function computeOf(type: PrimitiveType, node: SchemaNode): ReadableLeaf['compute'] {
  switch (type.kind) {
    case 'timestamptz':
      // The engine reads a timestamp without zone that is meant in UTC.
      if (node.leaf?.physicalType !== 'INT96') return undefined
      return (sql) => `(CAST(${sql} AS TIMESTAMP) AT TIME ZONE 'UTC')`
    case 'timestamptz_ns':
      if (type.inMicros !== true) return undefined
      return (sql) =>
        `CASE WHEN ${sql} % 1000 <> 0 THEN error('A timestamptz_ns is no whole number of microseconds. Compare it with a TIMESTAMP_NS, and cast it before AT TIME ZONE') ELSE make_timestamptz(${sql} // 1000) END`
    case 'geometry':
    case 'geography':
      return (sql) => `st_geomfromwkb(${sql})`
    default:
      return undefined
  }
}

/** True where the engine reads the leaf as exactly the type that a file of today's writers has for `type`. */
export function isUsualLeaf(type: IcebergType, leaf: UsualLeaf): boolean {
  const { annotation, leaf: physical } = leaf
  switch (type.kind) {
    case 'int':
      return annotation.kind === 'none'
    case 'long':
      return annotation.kind === 'none' && physical?.physicalType === 'INT64'
    case 'double':
      return physical?.physicalType === 'DOUBLE'
    case 'decimal':
      return annotation.kind === 'decimal' && annotation.precision === type.precision
    case 'time':
      return annotation.kind === 'time' && annotation.unit === 'micros'
    case 'timestamp':
    case 'timestamptz':
      return annotation.kind === 'timestamp' && annotation.unit === 'micros'
    case 'timestamp_ns':
      return annotation.kind === 'timestamp' && annotation.unit === 'nanos'
    case 'timestamptz_ns':
      return type.inMicros !== true && annotation.kind === 'timestamp' && annotation.unit === 'nanos'
    case 'boolean':
    case 'float':
    case 'date':
    case 'string':
    case 'uuid':
    case 'binary':
    case 'fixed':
      return true
    case 'struct':
    case 'list':
    case 'map':
    case 'unknown':
    case 'variant':
    case 'geometry':
    case 'geography':
      return false
  }
}

function annotationFor(type: PrimitiveType, node: SchemaNode): Annotation | undefined {
  const physical = node.leaf?.physicalType
  const given = node.annotation
  switch (type.kind) {
    case 'boolean':
      return physical === 'BOOLEAN' && given.kind === 'none' ? NONE : undefined
    case 'int':
      return physical === 'INT32' ? integerAnnotation(given) : undefined
    case 'long':
      return physical === 'INT64' || physical === 'INT32' ? integerAnnotation(given) : undefined
    case 'float':
      return physical === 'FLOAT' && given.kind === 'none' ? NONE : undefined
    case 'double':
      return (physical === 'DOUBLE' || physical === 'FLOAT') && given.kind === 'none' ? NONE : undefined
    case 'decimal':
      return decimalAnnotation(type, node)
    case 'date':
      return physical === 'INT32' && isOneOf(given, 'none', 'date') ? { kind: 'date' } : undefined
    case 'time':
      return timeAnnotation(node)
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
      return timestampAnnotation(type.kind, node)
    case 'timestamptz_ns': {
      const moment = timestampAnnotation(type.kind, node)
      if (moment?.kind !== 'timestamp') return undefined
      // As its number or as the time in UTC, since the engine would cut an instant to microseconds.
      return type.inMicros === true ? NONE : { ...moment, isUtc: false }
    }
    case 'string':
      return physical === 'BYTE_ARRAY' && isOneOf(given, 'none', 'string', 'enum', 'json')
        ? { kind: 'string' }
        : undefined
    case 'uuid':
      return isFixed(node, 16) && isOneOf(given, 'none', 'uuid') ? { kind: 'uuid' } : undefined
    case 'fixed':
      return isFixed(node, type.lengthBytes) && isOneOf(given, 'none', 'uuid') ? NONE : undefined
    case 'binary':
      if (physical === 'FIXED_LEN_BYTE_ARRAY') return given.kind === 'none' ? NONE : undefined
      return physical === 'BYTE_ARRAY' && isOneOf(given, 'none', 'string', 'enum', 'json') ? NONE : undefined
    case 'geometry':
    case 'geography':
      return physical === 'BYTE_ARRAY' && isGeometry(given) ? NONE : undefined
    case 'variant':
      return given === VARIANT_TEXT ? { kind: 'string' } : undefined
    case 'unknown':
      return undefined
  }
}

/** Unsigned integers keep their name, so that values above the signed range fail a cast rather than turn negative. */
function integerAnnotation(given: Annotation): Annotation | undefined {
  if (given.kind === 'none') return NONE
  if (given.kind !== 'integer') return undefined
  return given.isSigned ? NONE : given
}

function decimalAnnotation(
  type: { readonly precision: number; readonly scale: number },
  node: SchemaNode,
): Annotation | undefined {
  const physical = node.leaf?.physicalType
  if (physical === undefined || type.precision > DECIMAL_PRECISION_MAX) return undefined
  if (physical === 'BOOLEAN' || physical === 'INT96' || physical === 'FLOAT' || physical === 'DOUBLE') {
    return undefined
  }
  const given = node.annotation
  if (given.kind === 'decimal') {
    const isReadable = given.scale === type.scale && given.precision <= DECIMAL_PRECISION_MAX
    return isReadable && given.precision >= given.scale ? given : undefined
  }
  // The spec takes precision and scale from the table, but only numbers can be told from other bytes without a name.
  const isNumber = physical === 'INT32' || physical === 'INT64'
  if (!isNumber || integerAnnotation(given) !== NONE) return undefined
  const precisionMax = physical === 'INT32' ? 9 : 18
  return { kind: 'decimal', precision: Math.min(type.precision, precisionMax), scale: type.scale }
}

function timeAnnotation(node: SchemaNode): Annotation | undefined {
  const physical = node.leaf?.physicalType
  const given = node.annotation
  if (physical === 'INT32' && given.kind === 'time' && given.unit === 'millis') {
    return { kind: 'time', unit: 'millis', isUtc: false }
  }
  const isMicros = given.kind === 'none' || (given.kind === 'time' && given.unit === 'micros')
  return physical === 'INT64' && isMicros ? { kind: 'time', unit: 'micros', isUtc: false } : undefined
}

function timestampAnnotation(
  kind: 'timestamp' | 'timestamptz' | 'timestamp_ns' | 'timestamptz_ns',
  node: SchemaNode,
): Annotation | undefined {
  const physical = node.leaf?.physicalType
  const given = node.annotation
  const isUtc = kind === 'timestamptz' || kind === 'timestamptz_ns'
  const isNanos = kind === 'timestamp_ns' || kind === 'timestamptz_ns'
  // A promoted date; a date is no instant, so not for time zones.
  if (physical === 'INT32') return given.kind === 'date' && !isUtc ? given : undefined
  if (physical === 'INT96') return isNanos || given.kind !== 'none' ? undefined : NONE
  if (physical !== 'INT64') return undefined
  if (given.kind === 'none') return { kind: 'timestamp', unit: isNanos ? 'nanos' : 'micros', isUtc }
  if (given.kind !== 'timestamp' || (given.unit === 'nanos') !== isNanos) return undefined
  return { kind: 'timestamp', unit: given.unit, isUtc }
}

function isFixed(node: SchemaNode, lengthBytes: number): boolean {
  return node.leaf?.physicalType === 'FIXED_LEN_BYTE_ARRAY' && node.leaf.lengthBytes === lengthBytes
}

function isGeometry(given: Annotation): boolean {
  return given.kind === 'none' || (given.kind === 'other' && ['geometry', 'geography'].includes(given.name))
}

function isOneOf(annotation: Annotation, ...kinds: readonly Annotation['kind'][]): boolean {
  return kinds.includes(annotation.kind)
}
