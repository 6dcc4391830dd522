// Reading of parsed JSON with a path for messages, where a schema library would cost too much: metadata of tens of MB.
// Every failure is TABLE_CORRUPT and names the place, as in `$.snapshots[3].snapshot-id`.
// Integers may be numbers or decimal strings, because `lossless-json.ts` makes strings of the large ones.
import { AppError } from '../errors.ts'

export type JsonObject = Readonly<Record<string, unknown>>

const INTEGER_TEXT = /^-?\d{1,19}$/

/** Builds the TABLE_CORRUPT for a value at `path` that is not what it has to be. */
export function corruptAt(path: string, expected: string): AppError {
  return new AppError('TABLE_CORRUPT', `Metadata breaks its format: ${path} is not ${expected}`)
}

export function asObject(value: unknown, path: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw corruptAt(path, 'an object')
  return value as JsonObject
}

export function asArray(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw corruptAt(path, 'a list')
  return value
}

export function asString(value: unknown, path: string): string {
  if (typeof value !== 'string') throw corruptAt(path, 'a string')
  return value
}

/** An integer of at most 53 bits. */
export function asInteger(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw corruptAt(path, 'an integer')
  return value
}

/** A 64-bit integer, from a number or a decimal string. Ids of 19 digits just beyond 64 bits occur and are kept. */
export function asLong(value: unknown, path: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'string' && INTEGER_TEXT.test(value)) return BigInt(value)
  throw corruptAt(path, 'a 64-bit integer')
}

/** The property's value; undefined where it is absent or null, and never one inherited from a prototype. */
export function property(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? (object[key] ?? undefined) : undefined
}

/** Reads an optional property: `read` is called only when it is present and not null. */
export function optional<T>(
  object: JsonObject,
  key: string,
  path: string,
  read: (value: unknown, path: string) => T,
): T | undefined {
  const value = property(object, key)
  return value === undefined ? undefined : read(value, `${path}.${key}`)
}

/** Reads a property that must be there. */
export function required<T>(
  object: JsonObject,
  key: string,
  path: string,
  read: (value: unknown, path: string) => T,
): T {
  const value = property(object, key)
  if (value === undefined) throw corruptAt(`${path}.${key}`, 'present')
  return read(value, `${path}.${key}`)
}

/** Reads each item of a list. */
export function listOf<T>(
  value: unknown,
  path: string,
  readItem: (value: unknown, path: string) => T,
): readonly T[] {
  return asArray(value, path).map((item, index) => readItem(item, `${path}[${index}]`))
}

/** A map of strings. Writers also put numbers and booleans there: they become their JSON text. */
export function asStringMap(value: unknown, path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asObject(value, path)).map(([key, item]) => [
      key,
      typeof item === 'string' ? item : JSON.stringify(item),
    ]),
  )
}
