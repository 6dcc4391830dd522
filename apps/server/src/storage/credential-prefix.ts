// Which entry of `storage-credentials` is for one object: the longest prefix that ends at a `/` boundary of its URI. Pure.
// Source: Iceberg REST OpenAPI, LoadTableResult ("storage-credentials first, then config").
import type { Secret } from '../observability/redaction.ts'
import { isPathPrefix, parseAzureHost } from './object-uri.ts'

export type StorageProperties = ReadonlyMap<string, Secret>

export interface StorageEntry {
  readonly prefix: string
  readonly config: StorageProperties
}

/** Bare schemes are the root of everything that is read by them. */
const ROOTS: readonly (readonly [uriScheme: string, prefix: RegExp])[] = [
  ['s3://', /^s3(?::\/\/)?$/],
  ['gs://', /^gs(?::\/\/)?$/],
  ['abfss://', /^(?:abfss?|wasbs?)(?::\/\/)?$/],
]

/** @param isUsable entries without credentials are passed over */
export function longestPrefix(
  uri: string,
  entries: readonly StorageEntry[],
  isUsable: (config: StorageProperties) => boolean,
): StorageEntry | undefined {
  let best: StorageEntry | undefined
  for (const entry of entries) {
    if (!isUsable(entry.config) || !covers(entry.prefix, uri)) continue
    if (entry.prefix.length > (best?.prefix.length ?? -1)) best = entry
  }
  return best
}

/** True for a prefix that is of this scheme as a whole, or of every scheme. */
export function isRoot(prefix: string, uri: string): boolean {
  return prefix === '' || ROOTS.some(([scheme, pattern]) => uri.startsWith(scheme) && pattern.test(prefix))
}

function covers(prefix: string, uri: string): boolean {
  if (isRoot(prefix, uri)) return true
  const canonical = canonicalPrefix(prefix)
  return canonical !== undefined && isPathPrefix(canonical, uri)
}

/** In the form of canonical URIs; undefined where it is of a host that nothing is read from. */
function canonicalPrefix(prefix: string): string | undefined {
  const azure = /^(?:abfss?|wasbs?):\/\/([^@/]*)@([^/]*)(.*)$/s.exec(prefix)
  if (!azure) return prefix.replace(/^s3[an]:\/\//, 's3://')
  const [, container = '', host = '', rest = ''] = azure
  try {
    return `abfss://${container}@${parseAzureHost(host).dfsHost}${rest}`
  } catch {
    return undefined
  }
}
