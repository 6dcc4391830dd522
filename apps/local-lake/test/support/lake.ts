// A running local lake in a folder of its own, and a client that speaks plain HTTP to its catalog.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { asString, formatJson, parseJson } from '../../src/catalog/json.ts'
import type { Json, JsonObject } from '../../src/catalog/json.ts'
import { startLocalLake } from '../../src/local-lake.ts'
import type { LocalLake, LocalLakeOptions } from '../../src/local-lake.ts'

export interface TestLake extends AsyncDisposable {
  readonly lake: LocalLake
  readonly dataFolder: string
  /** Calls the catalog below its prefix. */
  call(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<CatalogAnswer>
}

interface CatalogAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: JsonObject
  readonly text: string
}

export async function openTestLake(options: Partial<LocalLakeOptions> = {}): Promise<TestLake> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'local-lake-')))
  const lake = await startLocalLake({ ...options, dataFolder })
  return {
    lake,
    dataFolder,
    call: (method, path, body, headers = {}) => callCatalog(lake, method, path, body, headers),
    [Symbol.asyncDispose]: async () => {
      await lake.close()
      if (options.dataFolder === undefined) await rm(dataFolder, { recursive: true })
    },
  }
}

async function callCatalog(
  lake: LocalLake,
  method: string,
  path: string,
  body: Json | undefined,
  headers: Record<string, string>,
): Promise<CatalogAnswer> {
  const response = await fetch(`${lake.restEndpoint}v1/${lake.warehouse}${path}`, {
    method,
    headers: { authorization: `Bearer ${lake.token}`, ...headers },
    ...(body === undefined ? {} : { body: formatJson(body) }),
  })
  const text = await response.text()
  const parsed = text === '' ? {} : (parseJson(text) as JsonObject)
  return { status: response.status, headers: response.headers, body: parsed, text }
}

/** A schema of an id and a name. */
export const SCHEMA: JsonObject = {
  type: 'struct',
  fields: [
    { id: 1, name: 'id', required: true, type: 'long' },
    { id: 2, name: 'name', required: false, type: 'string' },
  ],
}

/** An S3 client with the credentials that the catalog vended for a table. */
export function s3Client(lake: LocalLake, config: Record<string, string>): S3Client {
  return new S3Client({
    endpoint: lake.s3Endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: {
      accessKeyId: config['s3.access-key-id'] ?? '',
      secretAccessKey: config['s3.secret-access-key'] ?? '',
      ...(config['s3.session-token'] === undefined ? {} : { sessionToken: config['s3.session-token'] }),
    },
  })
}

/** Creates `ns.name` and answers its location's key prefix and the credentials vended for it. */
export async function createTable(
  test: TestLake,
  name: string,
): Promise<{ prefix: string; config: Record<string, string>; metadata: JsonObject }> {
  await test.call('POST', '/namespaces', { namespace: ['ns'] })
  const created = await test.call(
    'POST',
    '/namespaces/ns/tables',
    { name, schema: SCHEMA },
    { 'x-iceberg-access-delegation': 'vended-credentials' },
  )
  const [credential] = created.body['storage-credentials'] as JsonObject[]
  const prefix = asString(credential?.['prefix'], 'prefix').slice('s3://lake/'.length)
  return {
    prefix,
    config: credential?.['config'] as Record<string, string>,
    metadata: created.body['metadata'] as JsonObject,
  }
}
