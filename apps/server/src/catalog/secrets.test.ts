import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startStub, type StubServer } from '../../test/support/stub-http.ts'
import { load, startStubCatalog, tableBody } from '../../test/support/stub-catalog.ts'
import { readConfig } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { cacheScope } from '../storage/column-chunk-cache.ts'
import { createSecretResolver, parseSecretSetting } from './secrets.ts'

const NEVER = new AbortController().signal
const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of opened.splice(0)) await part[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

describe('[CF8] a secret reference', () => {
  it.each([
    'file:/run/x',
    'env:X',
    'aws-sm:lake/token',
    'aws-sm:arn:aws:secretsmanager:eu-west-1:1:secret:a-b#key',
  ])('%s is taken', (reference) => {
    expect(parseSecretSetting(JSON.stringify({ secret_ref: reference }))).toEqual({
      kind: 'reference',
      reference,
    })
  })

  it.each(['vault:x', 'aws-sm:', 'aws-sm:#key', 'file:', '/run/x', 'constructor:x'])(
    '%s is a fault that names what can be resolved',
    (reference) => {
      expect(parseSecretSetting(JSON.stringify({ secret_ref: reference }))).toMatchObject({
        kind: 'fault',
        fault: expect.stringContaining('aws-sm:<name or ARN>') as string,
      })
    },
  )

  it('that resolves to nothing fails by its name', async () => {
    const resolve = createSecretResolver({ EMPTY: '' })
    for (const reference of ['env:MISSING', 'env:EMPTY', 'file:/nonexistent/secret']) {
      await expect(resolve(reference, NEVER)).rejects.toMatchObject({
        code: 'CATALOG_UNAVAILABLE',
        message: expect.stringContaining(reference.replace('file:', '')) as string,
      })
    }
  })
})

describe('[CF8] AWS Secrets Manager', () => {
  const secrets: Record<string, unknown> = {
    plain: { SecretString: 'canary-plain' },
    json: { SecretString: '{"token":"canary-json","n":1}' },
    broken: { SecretString: 'canary-broken' },
    binary: { SecretBinary: 'Y2FuYXJ5' },
  }
  let stub: StubServer
  beforeEach(async () => {
    stub = await startStub(({ body }) => {
      const { SecretId } = JSON.parse(body) as { SecretId: string }
      const answer = secrets[SecretId.replace(/^arn:.*:secret:/, '')]
      if (answer !== undefined)
        return { body: answer, headers: { 'content-type': 'application/x-amz-json-1.1' } }
      return { status: 400, body: { __type: 'ResourceNotFoundException', message: 'no' } }
    })
    opened.push(stub)
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', stub.url.href)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AK')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'canary-ambient')
    vi.stubEnv('AWS_REGION', 'eu-west-1')
  })

  it('gives a text, or one key of a JSON object, read with the ambient identity', async () => {
    const resolve = createSecretResolver({})
    expect((await resolve('aws-sm:plain', NEVER)).reveal()).toBe('canary-plain')
    expect((await resolve('aws-sm:json#token', NEVER)).reveal()).toBe('canary-json')
    expect(stub.requests[0]?.headers).toMatchObject({
      'x-amz-target': 'secretsmanager.GetSecretValue',
      authorization: expect.stringContaining('Credential=AK/') as string,
    })
  })

  it('without a region says how to give one', async () => {
    vi.stubEnv('AWS_REGION', undefined)
    vi.stubEnv('AWS_DEFAULT_REGION', undefined)
    vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent')
    await expect(createSecretResolver({})('aws-sm:plain', NEVER)).rejects.toMatchObject({
      code: 'CATALOG_UNAVAILABLE',
      message: expect.stringContaining('AWS_REGION') as string,
    })
  })

  it('is asked in the region of an ARN', async () => {
    const resolve = createSecretResolver({})
    await resolve('aws-sm:arn:aws:secretsmanager:ap-south-1:123:secret:plain', NEVER)
    expect(stub.requests[0]?.headers.authorization).toContain('/ap-south-1/secretsmanager/')
  })

  it.each([
    'aws-sm:missing',
    'aws-sm:json#other',
    'aws-sm:json#n',
    'aws-sm:json#__proto__',
    'aws-sm:broken#k',
    'aws-sm:binary',
  ])('%s fails by its name, without a value', async (reference) => {
    const failure = await createSecretResolver({})(reference, NEVER).then(
      () => undefined,
      (error: Error) => error,
    )
    expect(failure).toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
    expect(failure?.cause).toBeUndefined()
    expect(failure?.message).toContain(reference)
    expect(failure?.message).not.toContain('canary')
    expect(stub.requests).toHaveLength(1)
  })

  it('ends with who waits for it', async () => {
    const silent = await startStub(() => undefined)
    opened.push(silent)
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', silent.url.href)
    const caller = new AbortController()
    const read = createSecretResolver({})('aws-sm:plain', caller.signal)
    setTimeout(() => {
      caller.abort()
    }, 100)
    await expect(read).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

describe('[CF9] a rotated secret', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secret-'))
    return () => {
      rmSync(folder, { recursive: true })
    }
  })
  const setUp = async (isAccepted: (authorization: string | undefined) => boolean) => {
    const path = join(folder, 'token')
    const rotate = (text: string): void => {
      writeFileSync(path, `${text}\n`)
    }
    rotate('old')
    const started = await startStubCatalog(
      ({ headers }) => (isAccepted(headers.authorization) ? { body: tableBody() } : { status: 401 }),
      {
        auth: { kind: 'token', token: { kind: 'reference', reference: `file:${path}` } },
        resolver: createSecretResolver({}),
      },
    )
    opened.push(started)
    const sent = (): unknown => started.stub.requests.at(-1)?.headers.authorization
    return { ...started, rotate, sent }
  }

  it('is used at once when the catalog refuses the old one, and by all that failed with it', async () => {
    let newest = 'old'
    const { catalog, rotate, renewals, sent } = await setUp((text) => text === `Bearer ${newest}`)
    await load(catalog)
    newest = 'new'
    rotate('new')
    await Promise.all(Array.from({ length: 20 }, async () => await load(catalog)))
    expect(sent()).toBe('Bearer new')
    expect(renewals.filter((outcome) => outcome !== 'renewed')).toEqual([])
  })

  it('is used within one lifetime of a client where the catalog takes both', async () => {
    const { catalog, rotate, clock, sent } = await setUp(() => true)
    await load(catalog)
    rotate('new')
    clock.advance(LIMITS.catalogClientLifetimeMs - 1)
    await load(catalog)
    expect(sent()).toBe('Bearer old')
    clock.advance(1)
    await load(catalog)
    expect(sent()).toBe('Bearer new')
  })

  it('that is not there yet fails what needs it, and heals on a later call', async () => {
    let newest = 'old'
    const { catalog, rotate, sent } = await setUp((text) => text === `Bearer ${newest}`)
    await load(catalog)
    newest = 'new'
    await expect(load(catalog)).rejects.toMatchObject({ code: 'CATALOG_UNAUTHORIZED' })
    rotate('new')
    await load(catalog)
    expect(sent()).toBe('Bearer new')
  })
})

describe('[CC1] the scope of cached chunks', () => {
  const scopeOf = (token: string, warehouse = 'w', more: Record<string, string> = {}): string => {
    const { iceberg } = readConfig({
      ...more,
      LAKE_ICEBERG_REST_ENDPOINT: 'https://catalog.example/',
      LAKE_ICEBERG_WAREHOUSE: warehouse,
      LAKE_ICEBERG_NAMESPACES: 'n',
      LAKE_ICEBERG_REST_TOKEN: token,
    })
    return iceberg ? cacheScope(iceberg) : ''
  }

  it('is of the settings as written, and holds no secret', () => {
    const reference = '{"secret_ref":"file:/run/token"}'
    expect(scopeOf(reference)).toBe(scopeOf(reference))
    expect(scopeOf(reference)).toContain('file:/run/token')
    expect(scopeOf('canary')).not.toContain('canary')
    const others = [scopeOf('{"secret_ref":"file:/run/other"}'), scopeOf(reference, 'w2'), scopeOf('canary')]
    expect(new Set([scopeOf(reference), ...others]).size).toBe(4)
  })

  it('is another for each place that files are read from', () => {
    const place = 'https://storage.example/'
    const scopes = [
      {},
      { LAKE_ICEBERG_S3_ENDPOINT: place, LAKE_ICEBERG_S3_REGION: 'r' },
      { LAKE_ICEBERG_GCS_ENDPOINT: place },
      { LAKE_ICEBERG_ADLS_ENDPOINT: place },
    ].map((more) => scopeOf('t', 'w', more))
    expect(new Set(scopes).size).toBe(4)
  })
})
