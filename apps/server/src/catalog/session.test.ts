import { describe, expect, it } from 'vitest'
import { openStubs } from '../../test/support/open-stubs.ts'
import { clientCredentials, load, staticToken, tableBody } from '../../test/support/stub-catalog.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { startStub } from '../../test/support/stub-http.ts'
import { LIMITS } from '../limits.ts'
import { Secret } from '../observability/redaction.ts'
import { createHttpClient } from './http-client.ts'
import { createSecretResolver } from './secrets.ts'
import { createSession } from './session.ts'

const { opened, setUp } = openStubs()

describe('session', () => {
  it('[RC7] sends a static bearer and never renews it', async () => {
    const { catalog, stub, renewals } = await setUp(() => ({ status: 401 }), { auth: staticToken('canary') })
    await expect(load(catalog)).rejects.toMatchObject({
      code: 'CATALOG_UNAUTHORIZED',
      message: expect.not.stringContaining('canary') as string,
    })
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer canary',
      'Bearer canary',
    ])
    expect(renewals).toEqual([])
  })

  it.each([401, 419])('[RC7] renews once after %i and replays once', async (status) => {
    let issued = 0
    const { catalog, stub, renewals } = await setUp(
      ({ path, headers }) => {
        if (path === '/v1/oauth/tokens')
          return { body: { access_token: `token-${(issued += 1)}`, token_type: 'bearer' } }
        return headers.authorization === 'Bearer token-1' ? { status } : { body: tableBody() }
      },
      { auth: clientCredentials() },
    )
    await load(catalog)
    expect(issued).toBe(2)
    expect(renewals).toEqual(['renewed'])
    const form = new URLSearchParams(stub.requests[0]?.body)
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'client_credentials',
      scope: 'catalog',
      client_id: 'id',
      client_secret: 'se:cret',
    })
  })

  it('[RC8] makes one renewal for all that failed with one token, and tries afresh after a failure', async () => {
    let issued = 0
    let isDown = false
    const { catalog, renewals } = await setUp(
      ({ path, headers }) => {
        if (path !== '/v1/oauth/tokens')
          return headers.authorization === `Bearer good` ? { body: tableBody() } : { status: 401 }
        issued += 1
        if (isDown) return { status: 500 }
        return { body: { access_token: issued === 1 ? 'old' : 'good' } }
      },
      { auth: clientCredentials(), config: {} },
    )
    await load(catalog, ['ns']).catch(() => undefined)
    const after = issued
    isDown = false
    await Promise.all(Array.from({ length: 20 }, async () => await load(catalog)))
    expect(issued).toBe(after)
    expect(renewals.every((outcome) => outcome === 'renewed')).toBe(true)
    isDown = true
  })

  it('[RC8] shares a failed renewal and recovers on a later call', async () => {
    let issued = 0
    let isDown = false
    let accepted = 'token-1'
    const { catalog } = await setUp(
      ({ path, headers }) => {
        if (path !== '/v1/oauth/tokens')
          return headers.authorization === `Bearer ${accepted}` ? { body: tableBody() } : { status: 401 }
        issued += 1
        return isDown ? { status: 503 } : { body: { access_token: `token-${issued}` } }
      },
      { auth: clientCredentials() },
    )
    await load(catalog)
    accepted = 'token-3'
    isDown = true
    const failed = await Promise.allSettled(Array.from({ length: 20 }, async () => await load(catalog)))
    expect(failed.every(({ status }) => status === 'rejected')).toBe(true)
    const exchanges = issued
    expect(exchanges).toBeLessThan(21)
    isDown = false
    accepted = `token-${issued + 1}`
    await expect(load(catalog)).resolves.toBeDefined()
  })

  it('[RC8] makes one exchange for one token where it fails at once, however late a reader with that token is', async () => {
    let exchanges = 0
    let accepted = 'first'
    let isDown = false
    const { catalog } = await setUp(
      async ({ path, headers }) => {
        if (path !== '/v1/oauth/tokens') {
          // As long as the last answers are on their way, the first exchange has failed long ago.
          await new Promise((resolve) => setTimeout(resolve, isDown ? 5 : 0))
          return headers.authorization === `Bearer ${accepted}` ? { body: tableBody() } : { status: 401 }
        }
        exchanges += 1
        return isDown ? { status: 503 } : { body: { access_token: accepted } }
      },
      { auth: clientCredentials(), config: {} },
    )
    await load(catalog)
    accepted = 'second'
    exchanges = 0
    isDown = true
    const readers = await Promise.allSettled(Array.from({ length: 200 }, async () => await load(catalog)))
    expect(readers.filter(({ status }) => status === 'fulfilled')).toEqual([])
    expect(exchanges).toBe(1)
    isDown = false
    await load(catalog)
    expect(exchanges).toBe(2)
  })

  it('[RC8] takes the token that another reader has renewed meanwhile', async () => {
    let issued = 0
    let refused = 0
    const renewed = Promise.withResolvers<undefined>()
    const { catalog, renewals } = await setUp(
      async ({ path, headers }) => {
        if (path === '/v1/oauth/tokens') return { body: { access_token: `t${(issued += 1)}` } }
        if (headers.authorization !== 'Bearer t1') {
          renewed.resolve(undefined)
          return { body: tableBody() }
        }
        // The second learns that the token has ended when the first has another already.
        if ((refused += 1) > 1) await renewed.promise
        return { status: 401 }
      },
      { auth: clientCredentials() },
    )
    await Promise.all([load(catalog), load(catalog)])
    expect([issued, refused, renewals]).toEqual([2, 2, ['renewed']])
  })

  it('[RC8] fails the followers of a cancelled leader, not saying why, and lets a cancelled follower go', async () => {
    const arrived = Promise.withResolvers<undefined>()
    const stub = await startStub(() => {
      arrived.resolve(undefined)
      return undefined
    })
    const http = createHttpClient({ timeoutMs: 10_000, bodyBytesMax: 1_000, connectionsMax: 2 })
    opened.push(http, stub)
    const session = createSession({
      auth: clientCredentials(),
      resolver: createSecretResolver({}),
      http,
      clock: createManualClock(),
      defaultTokenUri: stub.url,
      onRenewal: () => undefined,
    })
    const [leader, follower, leaving] = Array.from({ length: 3 }, () => new AbortController())
    const outcomes = [leader, follower, leaving].map(
      async (caller) => await session.token(caller!.signal).catch((error: unknown) => error),
    )
    await arrived.promise
    leaving?.abort()
    expect(await outcomes[2]).toMatchObject({ code: 'CANCELLED' })
    leader?.abort()
    expect(await outcomes[0]).toMatchObject({ code: 'CANCELLED' })
    expect(await outcomes[1]).toMatchObject({
      code: 'CATALOG_UNAVAILABLE',
      message: expect.not.stringMatching(/cancel|abort/i) as string,
    })
    expect(stub.requests).toHaveLength(1)
  })

  it('[RC8] makes one exchange for 200 readers while the identity provider is down, and one for a later reader', async () => {
    let isDown = false
    let exchanges = 0
    let accepted = 'first'
    const { catalog } = await setUp(
      async ({ path, headers }) => {
        if (path !== '/v1/oauth/tokens')
          return headers.authorization === `Bearer ${accepted}` ? { body: tableBody() } : { status: 401 }
        exchanges += 1
        if (!isDown) return { body: { access_token: accepted } }
        await new Promise((resolve) => setTimeout(resolve, 1_500))
        return { status: 503 }
      },
      { auth: clientCredentials(), config: {} },
    )
    await load(catalog)
    accepted = 'second'
    exchanges = 0
    isDown = true
    const readers = await Promise.allSettled(Array.from({ length: 200 }, async () => await load(catalog)))
    expect(readers.filter(({ status }) => status === 'fulfilled')).toEqual([])
    expect(exchanges).toBe(1)
    await load(catalog).catch(() => undefined)
    expect(exchanges).toBe(2)
    isDown = false
    await load(catalog)
    expect(exchanges).toBe(3)
  })

  it('[RC15] sends Basic client authentication, and leaves out what is blank', async () => {
    const basic = await setUp(
      ({ path }) => ({ body: path === '/v1/oauth/tokens' ? { access_token: 'a' } : tableBody() }),
      {
        auth: clientCredentials({ clientAuth: 'basic', scope: '', audience: 'aud', resource: 'res' }),
      },
    )
    await load(basic.catalog)
    const request = basic.stub.requests[0]
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('id:se%3Acret').toString('base64')}`)
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      audience: 'aud',
      resource: 'res',
    })
  })

  it('[RC16] asks for a new token when the known expiry has passed', async () => {
    let issued = 0
    const { catalog, clock } = await setUp(
      ({ path }) => ({
        body:
          path === '/v1/oauth/tokens' ? { access_token: `t${(issued += 1)}`, expires_in: 60 } : tableBody(),
      }),
      { auth: clientCredentials() },
    )
    await load(catalog)
    clock.advance(59_999)
    await load(catalog)
    expect(issued).toBe(1)
    clock.advance(1)
    await load(catalog)
    expect(issued).toBe(2)
  })

  it('[RC15] leaves out a blank client id, and sends no scope where it is set to nothing', async () => {
    const { catalog, stub } = await setUp(
      ({ path }) => ({ body: path === '/v1/oauth/tokens' ? { access_token: 'a' } : tableBody() }),
      {
        auth: clientCredentials({
          credential: { kind: 'inline', secret: new Secret(':only-a-secret') },
          scope: 'session:role:R',
        }),
      },
    )
    await load(catalog)
    expect(Object.fromEntries(new URLSearchParams(stub.requests[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'session:role:R',
      client_secret: 'only-a-secret',
    })
  })

  it.each([
    ['exp alone', { exp: 60 }, undefined, 60_000],
    ['the earlier exp', { exp: 30 }, 60, 30_000],
    ['the earlier expires_in', { exp: 90 }, 60, 60_000],
    ['expires_in, as exp is past: clocks differ', { exp: -5 }, 60, 60_000],
    ['expires_in, as exp is no number', { exp: 'soon' }, 60, 60_000],
    ['expires_in as a text', {}, '60', 60_000],
    ['exp, as expires_in says nothing', { exp: 60 }, 0, 60_000],
    ['exp, as expires_in is no number', { exp: 60 }, 'soon', 60_000],
  ])('[RC16] honours %s', async (_which, claims: { exp?: unknown }, expiresIn, lifetimeMs) => {
    let issued = 0
    const { catalog, clock } = await setUp(
      ({ path }) => {
        if (path !== '/v1/oauth/tokens') return { body: tableBody() }
        issued += 1
        const exp = typeof claims.exp === 'number' ? clock.nowMs() / 1_000 + claims.exp : claims.exp
        const payload = Buffer.from(JSON.stringify({ exp, n: issued })).toString('base64url')
        return { body: { access_token: `e30.${payload}.sig`, expires_in: expiresIn } }
      },
      { auth: clientCredentials() },
    )
    await load(catalog)
    clock.advance(lifetimeMs - 1)
    await load(catalog)
    expect(issued).toBe(1)
    clock.advance(1)
    await load(catalog)
    expect(issued).toBe(2)
  })

  it('resolves references again after the life of a client', async () => {
    let resolved = 0
    const { catalog, stub, clock } = await setUp(() => ({ body: tableBody() }), {
      auth: { kind: 'token', token: { kind: 'reference', reference: 'file:/x' } },
      resolver: () => Promise.resolve(new Secret(`s${(resolved += 1)}`)),
    })
    await load(catalog)
    await load(catalog)
    expect(resolved).toBe(1)
    clock.advance(LIMITS.catalogClientLifetimeMs)
    await load(catalog)
    expect(stub.requests.at(-1)?.headers.authorization).toBe('Bearer s2')
  })
})
