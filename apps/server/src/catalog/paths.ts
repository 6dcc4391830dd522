// URLs of the REST catalog. Names come from people and from the catalog, so every one is encoded as a single path
// segment, and the finished URL is compared with what was meant: URL parsers resolve `..` and drop control characters.
// Source: Iceberg REST OpenAPI; RFC 3986 §2.1, §3.3.
import { AppError } from '@lake/core/errors.ts'

/** Separator of namespace levels in a path where the catalog does not name another: U+001F, already encoded. */
export const DEFAULT_NAMESPACE_SEPARATOR = '%1F'

/** One name as one path segment. Rejects empty names and dot segments, which no encoding protects. */
export function encodeSegment(name: string): string {
  if (name === '' || name === '.' || name === '..') {
    throw new AppError('INVALID_REQUEST', `A name may not be ${name === '' ? 'empty' : `"${name}"`}`)
  }
  if (!name.isWellFormed()) throw new AppError('INVALID_REQUEST', 'A name is not well-formed Unicode')
  return encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * Levels as one path segment. `separator` is inserted as the catalog gave it (encoded).
 * A level that contains the separator cannot be told from two levels, so it is refused.
 */
export function encodeNamespace(levels: readonly string[], separator: string): string {
  const decoded = decodeURIComponent(separator)
  for (const level of levels) {
    if (level.includes(decoded))
      throw new AppError('INVALID_REQUEST', 'A namespace level contains the separator of levels')
  }
  return levels.map(encodeSegment).join(separator)
}

/** The catalog's `prefix`, verbatim: `/` and `%XX` are kept, only characters illegal in a path are encoded. */
export function encodePrefix(prefix: string): string {
  return encodeIllegal(prefix.replaceAll(/^\/+|\/+$/g, ''))
}

/**
 * The catalog's `namespace-separator`, verbatim as far as it can stand in a path; the default where it is empty.
 * @throws AppError CATALOG_UNAVAILABLE where it is no text once it is decoded
 */
export function encodeSeparator(separator: string): string {
  const encoded = encodeIllegal(separator)
  try {
    decodeURIComponent(encoded)
  } catch (cause) {
    throw new AppError('CATALOG_UNAVAILABLE', "The catalog's namespace-separator is no text", { cause })
  }
  return encoded === '' ? DEFAULT_NAMESPACE_SEPARATOR : encoded
}

/** Half a surrogate pair, which no encoding has, becomes the sign for what cannot be read. */
function encodeIllegal(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, (char) => encodeURIComponent(char))
}

/**
 * Joins the base and an encoded path, and proves that the parser left the path as it was meant.
 * @param path starts with `/`; already encoded
 */
export function catalogUrl(base: URL, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const basePath = base.pathname.replace(/\/+$/, '')
  const url = new URL(base)
  url.pathname = `${basePath}${path}`
  if (url.pathname !== `${basePath}${path}`) {
    throw new AppError('INVALID_REQUEST', 'A name cannot be part of a catalog URL')
  }
  url.search = Object.entries(query)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join('&')
  return url
}

/** An endpoint that the catalog names: absolute, or below `base` with or without a leading slash; undefined: no URL. */
export function resolveEndpoint(endpoint: string, base: string): URL | undefined {
  const url = /^https?:\/\//.test(endpoint)
    ? URL.parse(endpoint)
    : URL.parse(endpoint.replace(/^\/+/, ''), base.endsWith('/') ? base : `${base}/`)
  return url ?? undefined
}

/** Path of a view below the root. */
export function viewPath(
  { namespace, table }: { readonly namespace: readonly string[]; readonly table: string },
  separator: string,
): string {
  return `/namespaces/${encodeNamespace(namespace, separator)}/views/${encodeSegment(table)}`
}

/** Path of a table below the root. */
export function tablePath(
  { namespace, table }: { readonly namespace: readonly string[]; readonly table: string },
  separator: string,
): string {
  return `/namespaces/${encodeNamespace(namespace, separator)}/tables/${encodeSegment(table)}`
}
