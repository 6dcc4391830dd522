// Instants in nanoseconds (timestamptz_ns), for which the engine has no type. They are read as their time in UTC, exact to
// the last digit. A statement that asks for more than such a time can give (an order with an instant, AT TIME ZONE) has them
// as instants in microseconds instead, and fails where a value needs its nanoseconds. Pure.
import type { IcebergType, NestedField, Schema } from '@lake/core/iceberg/types.ts'

/**
 * The schema with every timestamptz_ns to be read in microseconds; the schema itself where there is none.
 * @param isOwn says of which columns, by index
 */
export function instantsInMicros(schema: Schema, isOwn: (index: number) => boolean): Schema {
  if (!schema.fields.some(({ type }, index) => isOwn(index) && holdsInstants(type))) return schema
  return {
    ...schema,
    fields: schema.fields.map((field, index) => (isOwn(index) ? inMicrosField(field) : field)),
  }
}

export function hasInstants(schema: Schema): boolean {
  return schema.fields.some(({ type }) => holdsInstants(type))
}

function holdsInstants(type: IcebergType): boolean {
  switch (type.kind) {
    case 'timestamptz_ns':
      return true
    case 'struct':
      return type.fields.some((field) => holdsInstants(field.type))
    case 'list':
      return holdsInstants(type.element)
    case 'map':
      return holdsInstants(type.key) || holdsInstants(type.value)
    default:
      return false
  }
}

function inMicrosField(field: NestedField): NestedField {
  return { ...field, type: inMicros(field.type) }
}

/** The type with every timestamptz_ns to be read in microseconds. */
export function inMicros(type: IcebergType): IcebergType {
  switch (type.kind) {
    case 'timestamptz_ns':
      return { kind: 'timestamptz_ns', inMicros: true }
    case 'struct':
      return { ...type, fields: type.fields.map(inMicrosField) }
    case 'list':
      return { ...type, element: inMicros(type.element) }
    case 'map':
      return { ...type, key: inMicros(type.key), value: inMicros(type.value) }
    default:
      return type
  }
}
