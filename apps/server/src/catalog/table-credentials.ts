// Storage credentials of a table as the catalog gives them, and asking for them again without the table.
// Source: Iceberg REST OpenAPI, GET …/tables/{table}/credentials; the properties as the reference client reads them.
import { Secret } from '../observability/redaction.ts'
import type { CatalogCaller } from './catalog-caller.ts'
import type { CatalogSetup } from './catalog-setup.ts'
import { catalogUrl, resolveEndpoint, tablePath } from './paths.ts'
import type { ParsedTable } from './parsed-table.ts'
import type { StorageCredential, TableAccess } from './rest-catalog.ts'
import { loadCredentialsAnswer, parseAnswer } from './rest-schemas.ts'

const ENDPOINT = 'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials'
/** Properties that say where, and whether, credentials are given anew. */
const REFRESH_PROPERTIES = [
  'client.refresh-credentials',
  'gcs.oauth2.refresh-credentials',
  'adls.refresh-credentials',
] as const

/** Empty where the catalog has no such endpoint, or it gives none. Throws CATALOG_*, DEADLINE_EXCEEDED, CANCELLED. */
export async function askCredentials(
  parts: {
    readonly caller: CatalogCaller
    readonly table: TableAccess
    readonly headers: Readonly<Record<string, string>>
  },
  signal: AbortSignal,
): Promise<readonly StorageCredential[]> {
  const { caller, table, headers } = parts
  const url = credentialsUrl(table, await caller.setup(signal))
  if (url === undefined) return []
  const answer = await caller.call(
    { method: 'GET', path: () => url, headers, token: table.config.get('token') },
    signal,
  )
  if (answer.status !== 200) return []
  return readCredentials(
    parseAnswer(loadCredentialsAnswer, answer.text, 'credentials')['storage-credentials'],
  )
}

/** Our token goes there, so an address of another origin is passed over, for the protocol's own or none. */
function credentialsUrl(table: TableAccess, setup: CatalogSetup): URL | undefined {
  const sources = [table.config, ...table.storageCredentials.map(({ config }) => config)]
  for (const name of REFRESH_PROPERTIES) {
    const text = (suffix: string): string | undefined =>
      sources.map((source) => source.get(`${name}-${suffix}`)?.reveal()).find((value) => value !== undefined)
    if (text('enabled') === 'false') return undefined
    const endpoint = text('endpoint')
    const url = endpoint ? resolveEndpoint(endpoint, setup.base.href) : undefined
    if (url?.origin === setup.base.origin) return url
  }
  if (setup.endpoints?.has(ENDPOINT) !== true) return undefined
  return catalogUrl(setup.base, `${setup.root}${tablePath(table.ident, setup.separator)}/credentials`)
}

export function readCredentials(
  entries: ParsedTable['storageCredentials'] | null | undefined,
): StorageCredential[] {
  return (entries ?? []).map(({ prefix, config }) => ({ prefix, config: asSecrets(config) }))
}

/** All of it: which properties hold credentials differs by catalog. */
export function asSecrets(map: Readonly<Record<string, string>>): ReadonlyMap<string, Secret> {
  return new Map(Object.entries(map).map(([key, value]) => [key, new Secret(value)]))
}
