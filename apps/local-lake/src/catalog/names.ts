// Names of namespaces and tables, as they come from a URL or a body. Levels stay a list everywhere; only the database
// and URLs join them. Names that a URL or a path would swallow are refused.
import { CatalogError } from './catalog-error.ts'
import { LEVEL_SEPARATOR } from './catalog-database.ts'
import { asArray, asString } from './json.ts'
import type { Json } from './json.ts'

// Control characters include the level separator, which therefore cannot be part of a name.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u001F\u007F]/
const NAME_LENGTH_MAX = 255

/** @throws CatalogError 400 for an empty name, `.`, `..`, or one with control characters */
export function checkName(name: string, what: string): string {
  if (name === '' || name === '.' || name === '..' || name.length > NAME_LENGTH_MAX || FORBIDDEN.test(name))
    throw CatalogError.badRequest(`Not a usable name for a ${what}`)
  return name
}

/** Levels of a namespace from the decoded path segment or query value. */
export function parseNamespace(text: string): string[] {
  return text.split(LEVEL_SEPARATOR).map((level) => checkName(level, 'namespace level'))
}

/** Levels of a namespace from a body. */
export function namespaceFromJson(value: Json | undefined): string[] {
  const levels = asArray(value, 'namespace').map((level) => asString(level, 'namespace level'))
  if (levels.length === 0) throw CatalogError.badRequest('A namespace has at least one level')
  return levels.map((level) => checkName(level, 'namespace level'))
}

export function joinNamespace(namespace: readonly string[]): string {
  return namespace.join(LEVEL_SEPARATOR)
}

/** A name as part of a location: readable, and never in need of encoding. */
export function locationSegment(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_')
}
