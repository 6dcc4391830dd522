// Asks the catalog to sign one request to object storage. Which endpoint signs is told by the table's config or the
// protocol; our token goes there, so another origin than the catalog's must be allowed by the deployment.
// Source: Iceberg REST OpenAPI, POST …/tables/{table}/sign; older names as the reference client reads them.
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import type { SignableRequest, SignatureAnswer } from '../storage/remote-signer.ts'
import type { CatalogCaller } from './catalog-caller.ts'
import { catalogFailure } from './catalog-failure.ts'
import type { CatalogSetup } from './catalog-setup.ts'
import { singleHeader } from './http-client.ts'
import { catalogUrl, resolveEndpoint, tablePath } from './paths.ts'
import type { TableAccess } from './rest-catalog.ts'
import { parseAnswer } from './rest-schemas.ts'

const signAnswer = z.object({
  uri: z.string(),
  headers: z.record(z.string(), z.union([z.array(z.string()), z.string().transform((text) => [text])])),
})

const SIGN_ENDPOINT = 'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign'
/** Newer names first. */
const SIGNER_PROPERTIES = [
  ['signer.endpoint', 'signer.uri'],
  ['s3.signer.endpoint', 's3.signer.uri'],
] as const

export interface SigningContext {
  readonly caller: CatalogCaller
  readonly table: TableAccess
  /** The catalog's, and those that the deployment allows besides. */
  readonly origins: ReadonlySet<string>
}

/** Throws CATALOG_CREDENTIALS_NOT_VENDED (nothing signs, or not where the token may go), CATALOG_*. */
export async function signRequest(
  { caller, table, origins }: SigningContext,
  request: SignableRequest,
  signal: AbortSignal,
): Promise<SignatureAnswer> {
  const { properties = new Map(), headers = new Map() } = table.remoteSigning ?? {}
  const reveal = (map: typeof properties): Record<string, string> =>
    Object.fromEntries([...map].map(([name, value]) => [name, value.reveal()]))
  const body = {
    ...request,
    provider: 's3',
    ...(properties.size > 0 ? { properties: reveal(properties) } : {}),
  }
  const answer = await caller.call(
    {
      method: 'POST',
      path: (setup) => allowed(signerUrl(table, setup), origins),
      headers: { ...reveal(headers), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      token: table.config.get('token'),
    },
    signal,
  )
  if ([404, 405, 501].includes(answer.status)) {
    throw new AppError(
      'CATALOG_CREDENTIALS_NOT_VENDED',
      `The catalog does not sign requests for a file of this table (HTTP ${answer.status})`,
    )
  }
  if (answer.status !== 200) throw catalogFailure(answer, undefined, 'a file of this table')
  const cacheControl = singleHeader(answer, 'cache-control') ?? ''
  return {
    ...parseSignature(answer.text),
    isCacheable: /\bprivate\b/i.test(cacheControl) && !/\bno-(?:cache|store)\b/i.test(cacheControl),
  }
}

/** @throws AppError CATALOG_UNAVAILABLE (not the protocol) */
export function parseSignature(text: string): z.infer<typeof signAnswer> {
  return parseAnswer(signAnswer, text, 'signature')
}

function signerUrl(table: TableAccess, setup: CatalogSetup): URL {
  const text = (name: string): string | undefined => table.config.get(name)?.reveal() || undefined
  for (const [endpointName, uriName] of SIGNER_PROPERTIES) {
    const endpoint = text(endpointName)
    if (endpoint !== undefined) return signerAt(endpoint, text(uriName) ?? setup.base.href)
  }
  if (setup.endpoints?.has(SIGN_ENDPOINT) === true || table.remoteSigning !== undefined) {
    return catalogUrl(setup.base, `${setup.root}${tablePath(table.ident, setup.separator)}/sign`)
  }
  return signerAt('v1/aws/s3/sign', text('s3.signer.uri') ?? setup.base.href)
}

function signerAt(endpoint: string, base: string): URL {
  const url = resolveEndpoint(endpoint, base)
  if (url) return url
  throw new AppError('CATALOG_REFUSED', 'The catalog names a signer whose address is not a URL')
}

function allowed(url: URL, origins: ReadonlySet<string>): URL {
  if (origins.has(url.origin)) return url
  throw new AppError(
    'CATALOG_CREDENTIALS_NOT_VENDED',
    `The catalog names a signer at ${url.origin}, to which the token must not go unless LAKE_ICEBERG_SIGNER_ORIGINS allows it`,
  )
}
