// Iceberg's types and schemas as plain data, and the in-memory form of their values.
// Source: Iceberg table spec, "Schemas and Data Types".

export type PrimitiveType =
  | { readonly kind: 'boolean' | 'int' | 'long' | 'float' | 'double' }
  | { readonly kind: 'date' | 'time' | 'timestamp' | 'timestamptz' | 'timestamp_ns' }
  /** `inMicros`: to be read as a timestamptz, which holds those of its values that are whole microseconds. */
  | { readonly kind: 'timestamptz_ns'; readonly inMicros?: true }
  | { readonly kind: 'string' | 'uuid' | 'binary' | 'unknown' | 'variant' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'fixed'; readonly lengthBytes: number }
  | { readonly kind: 'geometry'; readonly crs: string }
  | { readonly kind: 'geography'; readonly crs: string; readonly algorithm: string }

export interface StructType {
  readonly kind: 'struct'
  readonly fields: readonly NestedField[]
}

export interface ListType {
  readonly kind: 'list'
  readonly elementId: number
  readonly element: IcebergType
  readonly isElementRequired: boolean
}

export interface MapType {
  readonly kind: 'map'
  readonly keyId: number
  readonly key: IcebergType
  readonly valueId: number
  readonly value: IcebergType
  readonly isValueRequired: boolean
}

export type IcebergType = PrimitiveType | StructType | ListType | MapType

export interface NestedField {
  /** Field ids identify columns across renames and reorderings. 0 occurs in the wild. */
  readonly id: number
  readonly name: string
  readonly isRequired: boolean
  readonly type: IcebergType
  readonly doc: string | undefined
  /**
   * `initial-default` as the metadata JSON has it (spec appendix C, single-value serialization), with integers beyond
   * 2^53 as decimal strings; `undefined` when the field has none.
   */
  readonly initialDefault: unknown
  /** `write-default`, in the same form: what writers put into rows from now on. No reader needs it. */
  readonly writeDefault?: unknown
}

export interface Schema {
  readonly schemaId: number
  readonly fields: readonly NestedField[]
  readonly identifierFieldIds: readonly number[]
}

/**
 * One value of a primitive type, in its canonical form:
 * - boolean: `boolean`; float and double: `number`; string: `string`
 * - int, long: `bigint`; date: days from 1970-01-01; time: µs of day; timestamp(tz): µs, timestamp(tz)_ns: ns from
 *   1970-01-01T00:00:00 — all `bigint`; decimal: unscaled `bigint`
 * - uuid (16 bytes, big-endian), fixed, binary: `Uint8Array`
 */
export type LiteralValue = boolean | number | bigint | string | Uint8Array
