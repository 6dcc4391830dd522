import { afterEach, describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { startStub, type StubAnswer, type StubServer } from '../../test/support/stub-http.ts'
import { Secret } from '../observability/redaction.ts'
import { createStorageDispatcher } from './http-object-store.ts'
import { createTableStorageFactory } from './table-storage.ts'
import type { StorageGrant } from './vended-credentials.ts'

const NEVER = new AbortController().signal
const opened: { [Symbol.asyncDispose](): PromiseLike<void> }[] = []
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part[Symbol.asyncDispose]()
})

const EXPIRED = { status: 400, body: '<Error><Code>ExpiredToken</Code></Error>' }

/** The stores that credentials are vended for: how one is sent, how it comes, and how it is refused once it has ended. */
const STORES = {
  s3: {
    uri: 's3://b/t/x',
    prefix: 's3://b/t',
    sentIn: (authorization: string) => /Credential=([^/]+)\//.exec(authorization)?.[1],
    vend: (key: string, endpoint: string) => ({
      's3.access-key-id': key,
      's3.secret-access-key': 'secret',
      's3.endpoint': endpoint,
      's3.path-style-access': 'true',
      'client.region': 'r',
    }),
    expiry: 's3.session-token-expires-at-ms',
    ended: EXPIRED,
    details: { bucket: 'b', key: 't/x', region: 'r' },
  },
  gcs: {
    uri: 'gs://b/t/x',
    prefix: 'gs://b/t',
    sentIn: (authorization: string) => /^Bearer (.*)$/.exec(authorization)?.[1],
    vend: (key: string) => ({ 'gcs.oauth2.token': key }),
    expiry: 'gcs.oauth2.token-expires-at',
    ended: { status: 401, body: '' },
    details: { bucket: 'b', key: 't/x' },
  },
  azure: {
    uri: 'abfss://b@acct.dfs.core.windows.net/t/x',
    prefix: 'abfss://b@acct.dfs.core.windows.net/t',
    sentIn: (_authorization: string, query: URLSearchParams) => query.get('sig') ?? undefined,
    vend: (key: string) => ({ 'adls.sas-token.acct': `sp=r&sig=${key}` }),
    expiry: 'adls.sas-token-expires-at-ms.acct',
    ended: { status: 403, headers: { 'x-ms-error-code': 'AuthenticationFailed' }, body: '' },
    details: { bucket: 'b@acct', key: 't/x' },
  },
}
type StoreKind = keyof typeof STORES

/** Storage of which the n-th grant has the credential `key-<n>` and lives for `lifetimeMs`. */
async function setUp(
  kind: StoreKind,
  answer: (credential: string, callIndex: number) => StubAnswer | Promise<StubAnswer>,
  lifetimeMs?: number,
) {
  const { uri, prefix, sentIn, vend, expiry } = STORES[kind]
  let calls = 0
  const stub: StubServer = await startStub(({ headers, query }) => {
    const credential = sentIn(headers.authorization ?? '', query) ?? 'none'
    return answer(credential, (calls += 1) - 1)
  })
  const clock = createManualClock(1_700_000_000_000)
  const dispatcher = createStorageDispatcher()
  opened.push(stub, {
    [Symbol.asyncDispose]: async () => {
      await dispatcher.destroy()
    },
  })
  let grants = 0
  const nextGrant = (): StorageGrant => {
    grants += 1
    const map: Record<string, string> = vend(`key-${grants}`, stub.url.href)
    if (lifetimeMs !== undefined) map[expiry] = String(clock.nowMs() + lifetimeMs)
    return {
      storageCredentials: [
        {
          prefix,
          config: new Map(Object.entries(map).map(([key, value]) => [key, new Secret(value)])),
        },
      ],
      config: new Map(),
    }
  }
  const open = createTableStorageFactory({
    config: {
      storageAccess: 'vended-credentials',
      s3: { endpoint: undefined, region: undefined, isPathStyle: undefined, isAnonymous: false },
      gcsEndpoint: stub.url,
      adlsEndpoint: stub.url,
    },
    dispatcher,
    onOutcome: () => undefined,
    clock,
  })
  const { store } = open(nextGrant(), {
    renew: async () => await Promise.resolve(nextGrant()),
    askSignature: () => Promise.reject(new Error('nothing is signed')),
  })
  const read = async (): Promise<string> =>
    Buffer.from(await store.readObject(uri, { bytesMax: 100 }, NEVER)).toString()
  return { read, clock, grantCount: () => grants, stub }
}

describe.each(['s3', 'gcs', 'azure'] as const)('[CR4] vended credentials of %s', (kind) => {
  const { ended, details } = STORES[kind]
  it('are asked for anew when a fifth of their life is left, at most five minutes', async () => {
    const { read, clock, grantCount } = await setUp(kind, (key) => ({ body: key }), 100_000)
    expect(await read()).toBe('key-1')
    clock.advance(80_000)
    expect(await read()).toBe('key-1')
    clock.advance(1)
    expect(await read()).toBe('key-2')
    expect(await read()).toBe('key-2')
    expect(grantCount()).toBe(2)
  })

  it('are asked for once by reads that run together', async () => {
    const { read, clock, grantCount } = await setUp(kind, (key) => ({ body: key }), 1_000)
    clock.advance(900)
    expect(await Promise.all([read(), read(), read()])).toEqual(['key-2', 'key-2', 'key-2'])
    expect(grantCount()).toBe(2)
  })

  it('that have ended when they come, by a clock that differs, are not asked for at every read', async () => {
    const { read, grantCount } = await setUp(kind, (key) => ({ body: key }), -1_000)
    for (let index = 0; index < 5; index += 1) expect(await read()).toBe('key-2')
    expect(grantCount()).toBe(2)
  })

  it('are renewed once for reads that meet their end one after the other', async () => {
    const late = Promise.withResolvers<undefined>()
    const { read, grantCount } = await setUp(kind, async (key, callIndex) => {
      if (key === 'key-2') late.resolve(undefined)
      if (callIndex === 1) await late.promise
      return key === 'key-1' ? ended : { body: key }
    })
    expect(await Promise.all([read(), read()])).toEqual(['key-2', 'key-2'])
    expect(grantCount()).toBe(2)
  })

  it('are renewed once and the read repeated once when storage calls them expired', async () => {
    const { read, grantCount, stub } = await setUp(kind, (key) => (key === 'key-1' ? ended : { body: key }))
    expect(await read()).toBe('key-2')
    expect(grantCount()).toBe(2)
    expect(stub.requests).toHaveLength(2)
  })

  it('that are refused again end in STORAGE_ACCESS_DENIED', async () => {
    const { read, grantCount } = await setUp(kind, () => ended)
    await expect(read()).rejects.toMatchObject({
      code: 'STORAGE_ACCESS_DENIED',
      details,
    })
    expect(grantCount()).toBe(2)
  })

  it('are not renewed for a plain refusal', async () => {
    const { read, grantCount } = await setUp(kind, () => ({
      status: 403,
      body: '<Error><Code>AccessDenied</Code></Error>',
    }))
    await expect(read()).rejects.toMatchObject({ code: 'STORAGE_ACCESS_DENIED' })
    expect(grantCount()).toBe(1)
  })
})
