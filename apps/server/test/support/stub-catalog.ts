// A stub catalog with a client on it, and the small table that it serves.
import type { ServerResponse } from 'node:http'
import type { CatalogAuth, IcebergConfig } from '../../src/config.ts'
import type { ReadMetadataFile } from '../../src/catalog/metadata-files.ts'
import { createRestCatalog, type RestCatalog } from '../../src/catalog/rest-catalog.ts'
import { createSecretResolver, type SecretResolver } from '../../src/catalog/secrets.ts'
import { Secret } from '../../src/observability/redaction.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import { startStub, type StubAnswer, type StubRequest, type StubServer } from './stub-http.ts'

const NEVER = new AbortController().signal

const SNAPSHOT_ID = '7505300640432048841'
export const METADATA = `{"format-version":2,"table-uuid":"u-1","location":"s3://b/t","last-sequence-number":1,"last-updated-ms":1,
  "last-column-id":1,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":false,"type":"long"}]}],
  "default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,"default-sort-order-id":0,
  "sort-orders":[{"order-id":0,"fields":[]}],"properties":{},"current-snapshot-id":${SNAPSHOT_ID},
  "snapshots":[{"snapshot-id":${SNAPSHOT_ID},"sequence-number":1,"timestamp-ms":1,"manifest-list":"s3://b/t/m.avro","summary":{"operation":"append"},"schema-id":0}]}`
export const tableBody = (more = ''): string =>
  `{"metadata-location":"s3://b/t/v1.json","metadata":${METADATA}${more}}`

type Answer = StubAnswer | undefined
type Answers = (request: StubRequest, response: ServerResponse) => Answer | Promise<Answer>

/** A catalog client on a stub that serves `answers` behind its own configuration. */
export async function startStubCatalog(
  answers: Answers,
  options: {
    auth?: CatalogAuth
    config?: unknown
    /** In place of the stub's own. */
    endpoint?: URL
    resolver?: SecretResolver
    storageAccess?: IcebergConfig['storageAccess']
    signerOrigins?: readonly string[]
    catalogOrigins?: readonly string[]
    readMetadataFile?: ReadMetadataFile
  } = {},
): Promise<{
  catalog: RestCatalog
  stub: StubServer
  clock: ManualClock
  renewals: string[]
  [Symbol.asyncDispose](): Promise<void>
}> {
  const stub = await startStub(async (request, response) => {
    if (request.path === '/v1/config') return { body: options.config ?? { overrides: { prefix: 'p' } } }
    return await answers(request, response)
  })
  const clock = createManualClock()
  const renewals: string[] = []
  const catalog = createRestCatalog({
    config: {
      endpoint: options.endpoint ?? stub.url,
      warehouse: 'w h',
      namespaces: [['ns']],
      auth: options.auth ?? { kind: 'none' },
      storageAccess: options.storageAccess ?? 'vended-credentials',
      catalogOrigins: options.catalogOrigins ?? [],
      signerOrigins: options.signerOrigins ?? [],
      s3: { endpoint: undefined, region: undefined, isPathStyle: undefined, isAnonymous: false },
      gcsEndpoint: undefined,
      adlsEndpoint: undefined,
      discovery: 'list',
    },
    readMetadataFile:
      options.readMetadataFile ?? (() => Promise.reject(new Error('no metadata file is read here'))),
    resolver: options.resolver ?? createSecretResolver({}),
    clock,
    onCall: () => undefined,
    onRenewal: (outcome) => renewals.push(outcome),
  })
  const dispose = async (): Promise<void> => {
    await catalog[Symbol.asyncDispose]()
    await stub[Symbol.asyncDispose]()
  }
  return { catalog, stub, clock, renewals, [Symbol.asyncDispose]: dispose }
}

export const load = async (catalog: RestCatalog, namespace = ['ns'], table = 't') =>
  await catalog.loadTable({ namespace, table }, NEVER)
export const staticToken = (text: string): CatalogAuth => ({
  kind: 'token',
  token: { kind: 'inline', secret: new Secret(text) },
})
export const clientCredentials = (
  more: Partial<Extract<CatalogAuth, { kind: 'client-credentials' }>> = {},
): CatalogAuth => ({
  kind: 'client-credentials',
  credential: { kind: 'inline', secret: new Secret('id:se:cret') },
  serverUri: undefined,
  scope: undefined,
  audience: undefined,
  resource: undefined,
  clientAuth: 'body',
  ...more,
})
