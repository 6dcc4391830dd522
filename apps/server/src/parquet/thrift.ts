// Typed access to Thrift structs as decoded from Parquet footers. Input is hostile until read through these functions:
// what has another type than it must have is TABLE_CORRUPT, and lengths and offsets are safe non-negative integers.
import { AppError } from '@lake/core/errors.ts'
import { readThriftStruct, type ThriftStruct } from './thrift-reader.ts'

export type { ThriftStruct } from './thrift-reader.ts'

export function parquetCorrupt(what: string, cause?: unknown): AppError {
  return new AppError('TABLE_CORRUPT', `A Parquet file of the table is damaged: ${what}`, { cause })
}

/** Refuses a feature whole; `feature` is a noun phrase. */
export function parquetUnsupported(feature: string): AppError {
  return new AppError('TABLE_UNSUPPORTED', `The table uses ${feature}, which is not read`, {
    details: { feature },
  })
}

/** Decodes one struct that begins at `start`. Work and memory are bounded by a small multiple of the bytes. */
export function decodeThrift(bytes: Uint8Array, start = 0): ThriftStruct {
  try {
    return readThriftStruct(bytes, start)
  } catch (error) {
    throw parquetCorrupt('its metadata does not decode', error)
  }
}

/** A count, offset or size; undefined when absent. */
export function optionalSize(struct: ThriftStruct, fieldId: number): number | undefined {
  const value = struct[`field_${fieldId}`]
  if (value === undefined) return undefined
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
    throw parquetCorrupt(`field ${fieldId} of its metadata is not a size`)
  }
  return number
}

export function requiredSize(struct: ThriftStruct, fieldId: number): number {
  const value = optionalSize(struct, fieldId)
  if (value === undefined) throw parquetCorrupt(`field ${fieldId} of its metadata is missing`)
  return value
}

/** An integer of any sign that fits 32 bits; undefined when absent. */
export function optionalInt(struct: ThriftStruct, fieldId: number): number | undefined {
  const value = struct[`field_${fieldId}`]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw parquetCorrupt(`field ${fieldId} of its metadata is not an integer`)
  }
  return value
}

export function optionalBytes(struct: ThriftStruct, fieldId: number): Uint8Array | undefined {
  const value = struct[`field_${fieldId}`]
  if (value === undefined) return undefined
  if (!(value instanceof Uint8Array)) throw parquetCorrupt(`field ${fieldId} of its metadata is not text`)
  return value
}

export function optionalText(struct: ThriftStruct, fieldId: number): string | undefined {
  const bytes = optionalBytes(struct, fieldId)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

export function optionalStruct(struct: ThriftStruct, fieldId: number): ThriftStruct | undefined {
  const value = struct[`field_${fieldId}`]
  if (value === undefined) return undefined
  return asStruct(value)
}

export function requiredStructs(struct: ThriftStruct, fieldId: number): readonly ThriftStruct[] {
  const value = struct[`field_${fieldId}`]
  if (!Array.isArray(value)) throw parquetCorrupt(`field ${fieldId} of its metadata is not a list`)
  return value.map(asStruct)
}

function asStruct(value: unknown): ThriftStruct {
  const isStruct = typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
  if (!isStruct || Array.isArray(value)) throw parquetCorrupt('a struct of its metadata is something else')
  return value as ThriftStruct
}
