// JSON that keeps 64-bit integers: an integer beyond 2^53 becomes a bigint on reading and is written back digit by
// digit. Also the checks of untrusted JSON values, each of which answers 400 when a value has the wrong shape.
import { CatalogError } from './catalog-error.ts'

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json | undefined
}

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }

/** Parses JSON; integers beyond 2^53 are bigints, other numbers are numbers. Throws SyntaxError. */
export function parseJson(text: string): Json {
  return parseWithSource(text, (_key, value, context) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
    return context.source !== undefined && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value
  }) as Json
}

/** Writes JSON; a bigint becomes a JSON number with all its digits. */
export function formatJson(value: Json): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'bigint' ? rawJSON(item.toString()) : item,
  )
}

export function asObject(value: Json | undefined, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw CatalogError.badRequest(`${what} must be an object`)
}

export function asArray(value: Json | undefined, what: string): Json[] {
  if (Array.isArray(value)) return value
  throw CatalogError.badRequest(`${what} must be a list`)
}

export function asString(value: Json | undefined, what: string): string {
  if (typeof value === 'string') return value
  throw CatalogError.badRequest(`${what} must be a string`)
}

export function asInt(value: Json | undefined, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw CatalogError.badRequest(`${what} must be an integer`)
}

/** A 64-bit integer, however large. */
export function asLong(value: Json | undefined, what: string): bigint {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value)))
    return BigInt(value)
  throw CatalogError.badRequest(`${what} must be an integer`)
}

/** A map of strings; absent or null counts as empty. */
export function asStringMap(value: Json | undefined, what: string): Record<string, string> {
  const map: Record<string, string> = {}
  if (value === undefined || value === null) return map
  for (const [key, item] of Object.entries(asObject(value, what))) map[key] = asString(item, `${what}.${key}`)
  return map
}

/** The objects of a list, for example the schemas of table metadata. */
export function asObjects(value: Json | undefined, what: string): JsonObject[] {
  return asArray(value, what).map((item) => asObject(item, `each of ${what}`))
}
