// What a Parquet column's bytes mean: logical type and the older converted type as one value, both ways.
// Source: parquet-format LogicalTypes.md. Unknown logical types are kept apart, so that nothing is guessed.
import { optionalInt, optionalStruct } from './thrift.ts'
import type { ThriftStruct } from './thrift.ts'

type TimeUnit = 'millis' | 'micros' | 'nanos'

export type Annotation =
  | { readonly kind: 'none' | 'string' | 'enum' | 'json' | 'list' | 'map' | 'date' | 'uuid' }
  /** Another logical type, by its name or number. */
  | { readonly kind: 'other'; readonly name: string }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'time'; readonly unit: TimeUnit; readonly isUtc: boolean }
  | { readonly kind: 'timestamp'; readonly unit: TimeUnit; readonly isUtc: boolean }
  | { readonly kind: 'integer'; readonly bitWidth: number; readonly isSigned: boolean }

/** Converted types by number. */
const CONVERTED: readonly Annotation[] = [
  { kind: 'string' },
  { kind: 'map' },
  { kind: 'map' },
  { kind: 'list' },
  { kind: 'enum' },
  { kind: 'other', name: 'decimal without precision' },
  { kind: 'date' },
  { kind: 'time', unit: 'millis', isUtc: true },
  { kind: 'time', unit: 'micros', isUtc: true },
  { kind: 'timestamp', unit: 'millis', isUtc: true },
  { kind: 'timestamp', unit: 'micros', isUtc: true },
  { kind: 'integer', bitWidth: 8, isSigned: false },
  { kind: 'integer', bitWidth: 16, isSigned: false },
  { kind: 'integer', bitWidth: 32, isSigned: false },
  { kind: 'integer', bitWidth: 64, isSigned: false },
  { kind: 'integer', bitWidth: 8, isSigned: true },
  { kind: 'integer', bitWidth: 16, isSigned: true },
  { kind: 'integer', bitWidth: 32, isSigned: true },
  { kind: 'integer', bitWidth: 64, isSigned: true },
  { kind: 'json' },
  { kind: 'other', name: 'bson' },
  { kind: 'other', name: 'interval' },
]
const CONVERTED_DECIMAL = 5
const UNIT_FIELDS = { millis: 1, micros: 2, nanos: 3 } as const

/** Logical types without parameters, by field id of the Thrift union. */
const PLAIN_LOGICAL: Readonly<Record<number, Annotation>> = {
  1: { kind: 'string' },
  2: { kind: 'map' },
  3: { kind: 'list' },
  4: { kind: 'enum' },
  6: { kind: 'date' },
  11: { kind: 'other', name: 'null' },
  12: { kind: 'json' },
  13: { kind: 'other', name: 'bson' },
  14: { kind: 'uuid' },
  15: { kind: 'other', name: 'float16' },
  16: { kind: 'other', name: 'variant' },
  17: { kind: 'other', name: 'geometry' },
  18: { kind: 'other', name: 'geography' },
}

/** Reads the annotation of a schema element. The logical type wins over the converted type. */
export function readAnnotation(element: ThriftStruct): Annotation {
  const logical = optionalStruct(element, 10)
  const scale = optionalInt(element, 7) ?? 0
  const precision = optionalInt(element, 8)
  if (logical !== undefined && Object.keys(logical).length > 0) return readLogical(logical)
  const converted = optionalInt(element, 6)
  if (converted === undefined) return { kind: 'none' }
  if (converted === CONVERTED_DECIMAL && precision !== undefined) return { kind: 'decimal', precision, scale }
  return CONVERTED[converted] ?? { kind: 'other', name: `converted type ${converted}` }
}

function readLogical(logical: ThriftStruct): Annotation {
  const fieldId = Number(Object.keys(logical)[0]?.replace('field_', ''))
  const parameters = optionalStruct(logical, fieldId) ?? {}
  const other: Annotation = { kind: 'other', name: `logical type ${fieldId}` }
  switch (fieldId) {
    case 5: {
      const precision = optionalInt(parameters, 2)
      const scale = optionalInt(parameters, 1) ?? 0
      return precision === undefined ? other : { kind: 'decimal', precision, scale }
    }
    case 7:
    case 8: {
      const unitStruct = optionalStruct(parameters, 2) ?? {}
      const unit = (['millis', 'micros', 'nanos'] as const).find(
        (candidate) => unitStruct[`field_${UNIT_FIELDS[candidate]}`] !== undefined,
      )
      if (unit === undefined) return other
      return { kind: fieldId === 7 ? 'time' : 'timestamp', unit, isUtc: parameters['field_1'] === true }
    }
    case 10: {
      const bitWidth = optionalInt(parameters, 1)
      return bitWidth === undefined
        ? other
        : { kind: 'integer', bitWidth, isSigned: parameters['field_2'] === true }
    }
    default:
      return PLAIN_LOGICAL[fieldId] ?? other
  }
}

/** The fields 6, 7, 8 and 10 of a schema element, for the annotations that excerpts use. */
export function annotationFields(annotation: Annotation): Record<string, unknown> {
  switch (annotation.kind) {
    case 'string':
      return { field_6: 0, field_10: { field_1: {} } }
    case 'map':
      return { field_6: 1, field_10: { field_2: {} } }
    case 'list':
      return { field_6: 3, field_10: { field_3: {} } }
    case 'date':
      return { field_6: 6, field_10: { field_6: {} } }
    case 'uuid':
      return { field_10: { field_14: {} } }
    case 'decimal': {
      const { scale, precision } = annotation
      const logical = { field_5: { field_1: scale, field_2: precision } }
      return { field_6: CONVERTED_DECIMAL, field_7: scale, field_8: precision, field_10: logical }
    }
    case 'time':
    case 'timestamp': {
      const unit = { [`field_${UNIT_FIELDS[annotation.unit]}`]: {} }
      const parameters = { field_1: annotation.isUtc, field_2: unit }
      return { field_10: annotation.kind === 'time' ? { field_7: parameters } : { field_8: parameters } }
    }
    case 'integer':
      // Only the converted type: the logical type's bit width is a byte, which the serializer would write as 32 bits.
      return { field_6: { 8: 11, 16: 12, 32: 13, 64: 14 }[annotation.bitWidth] }
    case 'none':
    case 'enum':
    case 'json':
    case 'other':
      return {}
  }
}
