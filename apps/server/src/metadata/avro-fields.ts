// Typed access to the fields of decoded Avro records, by field id or, where the file has none, by name.
// Writers differ in widths (int or long), in names, and in which optional fields they write at all.
import { corruptAvro } from './avro-container.ts'
import { fieldKey } from './avro-decoder.ts'
import type { AvroRecord, AvroValue } from './avro-decoder.ts'

/** A field of Iceberg's manifests: its id, and the names it has had, the present one first. */
export interface AvroFieldRef {
  readonly idKey: string
  readonly nameKeys: readonly string[]
  readonly name: string
}

export function avroField(fieldId: number, name: string, ...formerNames: readonly string[]): AvroFieldRef {
  return {
    idKey: fieldKey(fieldId, name),
    nameKeys: [name, ...formerNames].map((candidate) => fieldKey(undefined, candidate)),
    name,
  }
}

/** Reads fields of the records of one file. Readers give undefined for absent and null. */
export class AvroFieldReader {
  readonly #path: string

  /** @param path names the file in messages */
  constructor(path: string) {
    this.#path = path
  }

  value(record: AvroRecord, field: AvroFieldRef): AvroValue {
    let value = record[field.idKey]
    for (const key of field.nameKeys) value ??= record[key]
    return value ?? undefined
  }

  required<T>(value: T | undefined, field: AvroFieldRef): T {
    if (value === undefined) throw corruptAvro(this.#path, `lacks ${field.name}`)
    return value
  }

  text(record: AvroRecord, field: AvroFieldRef): string | undefined {
    const value = this.value(record, field)
    if (value === undefined || typeof value === 'string') return value
    throw this.#unexpected(field, 'text')
  }

  /** An integer within ±2^53. */
  integer(record: AvroRecord, field: AvroFieldRef): number | undefined {
    const value = this.value(record, field)
    if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))) return value
    throw this.#unexpected(field, 'an integer')
  }

  long(record: AvroRecord, field: AvroFieldRef): bigint | undefined {
    const value = this.value(record, field)
    if (value === undefined || typeof value === 'bigint') return value
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
    throw this.#unexpected(field, 'an integer')
  }

  flag(record: AvroRecord, field: AvroFieldRef): boolean | undefined {
    const value = this.value(record, field)
    if (value === undefined || typeof value === 'boolean') return value
    throw this.#unexpected(field, 'a boolean')
  }

  bytes(record: AvroRecord, field: AvroFieldRef): Uint8Array | undefined {
    const value = this.value(record, field)
    if (value === undefined || value instanceof Uint8Array) return value
    throw this.#unexpected(field, 'bytes')
  }

  record(record: AvroRecord, field: AvroFieldRef): AvroRecord | undefined {
    const value = this.value(record, field)
    if (value === undefined || isRecord(value)) return value
    throw this.#unexpected(field, 'a record')
  }

  records(record: AvroRecord, field: AvroFieldRef): readonly AvroRecord[] | undefined {
    return this.list(record, field)?.map((item) => {
      if (isRecord(item)) return item
      throw this.#unexpected(field, 'a list of records')
    })
  }

  list(record: AvroRecord, field: AvroFieldRef): readonly AvroValue[] | undefined {
    const value = this.value(record, field)
    if (value === undefined || Array.isArray(value)) return value
    throw this.#unexpected(field, 'a list')
  }

  integers(record: AvroRecord, field: AvroFieldRef): readonly number[] | undefined {
    return this.list(record, field)?.map((item) => {
      if (typeof item === 'number' && Number.isSafeInteger(item)) return item
      throw this.#unexpected(field, 'a list of integers')
    })
  }

  longs(record: AvroRecord, field: AvroFieldRef): readonly (number | bigint)[] | undefined {
    return this.list(record, field)?.map((item) => {
      if (typeof item === 'bigint' || (typeof item === 'number' && Number.isSafeInteger(item))) return item
      throw this.#unexpected(field, 'a list of integers')
    })
  }

  /** A map from field ids, whether written as an Avro map or as a list of pairs; null values are left out. */
  countsById(record: AvroRecord, field: AvroFieldRef): ReadonlyMap<number, number> | undefined {
    return this.#byId(record, field, (value) => (typeof value === 'bigint' ? Number(value) : value), isNumber)
  }

  bytesById(record: AvroRecord, field: AvroFieldRef): ReadonlyMap<number, Uint8Array> | undefined {
    return this.#byId(record, field, (value) => value, isBytes)
  }

  #byId<T>(
    record: AvroRecord,
    field: AvroFieldRef,
    convert: (value: AvroValue) => AvroValue,
    isExpected: (value: AvroValue) => value is T,
  ): ReadonlyMap<number, T> | undefined {
    const value = this.value(record, field)
    if (value === undefined) return undefined
    const map = new Map<number, T>()
    // An empty list of pairs whose records are named otherwise arrives as a list.
    if (Array.isArray(value) && value.length === 0) return map
    if (!(value instanceof Map)) throw this.#unexpected(field, 'a map')
    for (const [key, raw] of value as ReadonlyMap<AvroValue, AvroValue>) {
      const id = Number(key)
      const item = convert(raw)
      if (item === null) continue
      if (!Number.isSafeInteger(id) || !isExpected(item)) throw this.#unexpected(field, 'a map by field id')
      map.set(id, item)
    }
    return map
  }

  #unexpected(field: AvroFieldRef, expected: string): Error {
    return corruptAvro(this.#path, `has a ${field.name} that is not ${expected}`)
  }
}

function isRecord(value: AvroValue): value is AvroRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Map) &&
    !(value instanceof Uint8Array)
  )
}

function isNumber(value: AvroValue): value is number {
  return typeof value === 'number'
}

function isBytes(value: AvroValue): value is Uint8Array {
  return value instanceof Uint8Array
}
