// What the catalog says of itself (`GET /v1/config`), as far as it is obeyed. Pure.
// Source: Iceberg REST OpenAPI, CatalogConfig.
import { AppError } from '@lake/core/errors.ts'
import type { IcebergConfig } from '../config.ts'
import { encodePrefix, encodeSeparator } from './paths.ts'
import type { ConfigAnswer } from './rest-schemas.ts'

/** What the catalog says of itself. */
export interface CatalogSetup {
  readonly base: URL
  /** `/v1` or `/v1/<prefix>`, encoded. */
  readonly root: string
  readonly separator: string
  readonly properties: Readonly<Record<string, string>>
  /** undefined: not advertised. */
  readonly endpoints: ReadonlySet<string> | undefined
}

/**
 * Merges the catalog's configuration; only harmless or same-origin parts of it are obeyed.
 * @throws AppError CATALOG_REFUSED for an address that is not allowed, CATALOG_UNAVAILABLE (not the protocol)
 */
export function readSetup(
  { endpoint: base, catalogOrigins }: Pick<IcebergConfig, 'endpoint' | 'catalogOrigins'>,
  answer: ConfigAnswer,
): CatalogSetup {
  const { token, credential, ...properties } = { ...answer.defaults, ...answer.overrides }
  // Credentials are this deployment's to give.
  void [token, credential]
  const uri = properties['uri']
  let effectiveBase = base
  if (uri !== undefined && URL.canParse(uri)) {
    const url = new URL(uri)
    // The token goes to this address, so another origin is refused rather than followed.
    if (url.origin !== base.origin && !catalogOrigins.includes(url.origin)) {
      throw new AppError(
        'CATALOG_REFUSED',
        `The catalog says that it is at ${url.origin}, to which the token must not go unless LAKE_ICEBERG_REST_ORIGINS allows it`,
      )
    }
    effectiveBase = url
  }
  const prefix = encodePrefix(properties['prefix'] ?? '')
  const endpoints = answer.endpoints && answer.endpoints.length > 0 ? new Set(answer.endpoints) : undefined
  return {
    base: effectiveBase,
    root: prefix === '' ? '/v1' : `/v1/${prefix}`,
    separator: encodeSeparator(properties['namespace-separator'] ?? ''),
    properties,
    endpoints,
  }
}
