import { afterEach, describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { startStub, type StubAnswer, type StubServer } from '../../test/support/stub-http.ts'
import { Secret } from '../observability/redaction.ts'
import { createStorageDispatcher } from './s3-object-store.ts'
import { createTableStorageFactory } from './table-storage.ts'
import type { StorageGrant } from './vended-credentials.ts'

const NEVER = new AbortController().signal
const opened: { [Symbol.asyncDispose](): PromiseLike<void> }[] = []
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part[Symbol.asyncDispose]()
})

const EXPIRED = { status: 400, body: '<Error><Code>ExpiredToken</Code></Error>' }

/** Storage of which the n-th grant has the access key `key-<n>` and lives for `lifetimeMs`. */
async function setUp(answer: (accessKey: string, callIndex: number) => StubAnswer, lifetimeMs?: number) {
  let calls = 0
  const stub: StubServer = await startStub(({ headers }) => {
    const accessKey = /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? 'none'
    return answer(accessKey, (calls += 1) - 1)
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
    const map: Record<string, string> = {
      's3.access-key-id': `key-${grants}`,
      's3.secret-access-key': 'secret',
      's3.endpoint': stub.url.href,
      's3.path-style-access': 'true',
      'client.region': 'r',
    }
    if (lifetimeMs !== undefined) map['s3.session-token-expires-at-ms'] = String(clock.nowMs() + lifetimeMs)
    return {
      storageCredentials: [
        {
          prefix: 's3://b/t',
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
    },
    dispatcher,
    clock,
  })
  const { store } = open(nextGrant(), {
    renew: async () => await Promise.resolve(nextGrant()),
    askSignature: () => Promise.reject(new Error('nothing is signed')),
  })
  const read = async (): Promise<string> =>
    Buffer.from(await store.readObject('s3://b/t/x', { bytesMax: 100 }, NEVER)).toString()
  return { read, clock, grantCount: () => grants, stub }
}

describe('[CR4] vended credentials', () => {
  it('are asked for anew when a fifth of their life is left, at most five minutes', async () => {
    const { read, clock, grantCount } = await setUp((key) => ({ body: key }), 100_000)
    expect(await read()).toBe('key-1')
    clock.advance(80_000)
    expect(await read()).toBe('key-1')
    clock.advance(1)
    expect(await read()).toBe('key-2')
    expect(await read()).toBe('key-2')
    expect(grantCount()).toBe(2)
  })

  it('are asked for once by reads that run together', async () => {
    const { read, clock, grantCount } = await setUp((key) => ({ body: key }), 1_000)
    clock.advance(900)
    expect(await Promise.all([read(), read(), read()])).toEqual(['key-2', 'key-2', 'key-2'])
    expect(grantCount()).toBe(2)
  })

  it('are renewed once and the read repeated once when storage calls them expired', async () => {
    const { read, grantCount, stub } = await setUp((key) => (key === 'key-1' ? EXPIRED : { body: key }))
    expect(await read()).toBe('key-2')
    expect(grantCount()).toBe(2)
    expect(stub.requests).toHaveLength(2)
  })

  it('that are refused again end in STORAGE_ACCESS_DENIED', async () => {
    const { read, grantCount } = await setUp(() => EXPIRED)
    await expect(read()).rejects.toMatchObject({
      code: 'STORAGE_ACCESS_DENIED',
      details: { bucket: 'b', key: 't/x', region: 'r' },
    })
    expect(grantCount()).toBe(2)
  })

  it('are not renewed for a plain refusal', async () => {
    const { read, grantCount } = await setUp(() => ({
      status: 403,
      body: '<Error><Code>AccessDenied</Code></Error>',
    }))
    await expect(read()).rejects.toMatchObject({ code: 'STORAGE_ACCESS_DENIED' })
    expect(grantCount()).toBe(1)
  })
})
