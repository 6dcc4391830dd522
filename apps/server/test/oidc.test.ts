// Sign-in at a real OpenID provider, walked by HTTP, and its bearer tokens: what counts and what does not.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_PREFIX } from '@lake/core/api/contract.ts'
import { readAccess } from '../src/config/access.ts'
import { createReader } from '../src/config/reader.ts'
import { LIMITS } from '../src/limits.ts'
import { startTestEngine, type TestEngine } from './engine-support.ts'
import { bearer } from './support/principals.ts'
import {
  API_CLIENT,
  createCookieBrowser,
  startIdentityProvider,
  type IdentityProvider,
} from './support/identity-provider.ts'
import { startRecordingApp, type RecordingApp } from './support/recording-app.ts'

let engine: TestEngine
let provider: IdentityProvider
let app: RecordingApp

const GROUPS = { ada: ['analysts', 'other'], bob: ['modellers'], eve: [], [API_CLIENT.id]: ['modellers'] }
const GRANTS = { analysts: ['analytics'], modellers: [['models', 'v2']] }

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

beforeAll(async () => {
  engine = await startTestEngine({ threads: 1 })
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  provider = await startIdentityProvider({ groups: GROUPS, publicUrl, tokenLifetimeS: 3_600 })
  const reader = createReader({
    ...provider.environment,
    LAKE_PUBLIC_URL: publicUrl,
    LAKE_OIDC_GRANTS: JSON.stringify(GRANTS),
  })
  const access = readAccess(reader)
  expect(reader.faults).toEqual([])
  app = await startRecordingApp({
    engine: engine.engine,
    deployment: [['analytics'], ['models', 'v2'], ['models', 'v2', 'eval']],
    principals: '{"principals":[]}',
    access,
    startMs: Date.now(),
    port,
  })
}, 60_000)

afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
})

type CookieBrowser = ReturnType<typeof createCookieBrowser>
const get = async (browser: CookieBrowser, path: string): Promise<unknown> =>
  await (await browser.request(new URL(`${app.url}${API_PREFIX}${path}`))).json()
const outcome = async (browser: CookieBrowser, url: URL): Promise<string> =>
  (await browser.request(url)).headers.get('location') ?? 'no answer'

/** Signs in up to the provider's answer. */
async function walk(name: string): Promise<{ browser: CookieBrowser; callback: URL }> {
  const browser = createCookieBrowser()
  const callback = await browser.signIn(`${app.url}${API_PREFIX}/sign-in`, name, app.url)
  return { browser, callback }
}

describe('[AU7] signing in at an identity provider', () => {
  it('grants what the claims map to, to each their own', async () => {
    const seen: Record<string, unknown> = {}
    for (const name of ['ada', 'bob', 'eve']) {
      const { browser, callback } = await walk(name)
      expect(await outcome(browser, callback)).toBe('/')
      expect(await get(browser, '/session')).toMatchObject({
        principal: `${name}@example.com`,
        isSignInRequired: false,
        signInMethods: ['oidc', 'token'],
      })
      seen[name] = ((await get(browser, '/namespaces')) as { namespaces: unknown }).namespaces
    }
    expect(seen).toEqual({
      ada: [['analytics']],
      bob: [
        ['models', 'v2'],
        ['models', 'v2', 'eval'],
      ],
      eve: [],
    })
  })

  it('sends the browser with a challenge, and a state of its own each time', async () => {
    const begin = async (): Promise<URL> => {
      const answer = await createCookieBrowser().request(new URL(`${app.url}${API_PREFIX}/sign-in`))
      expect(answer.headers.getSetCookie()[0]).toMatch(/^lake-sign-in=[\w-]+; .*HttpOnly; SameSite=Lax$/)
      return new URL(answer.headers.get('location') ?? '')
    }
    const [first, second] = [await begin(), await begin()]
    expect(first.searchParams.get('code_challenge_method')).toBe('S256')
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name))
    expect(first.href).not.toContain('secret')
  })

  it('takes an answer in the browser that asked, once, in time, and as it was sent', async () => {
    const { browser, callback } = await walk('ada')
    // Another browser that got hold of the answer, with and without an attempt of its own.
    expect(await outcome(createCookieBrowser(), callback)).toBe('/?sign-in=failed')
    const thief = await walk('eve')
    expect(await outcome(thief.browser, callback)).toBe('/?sign-in=failed')
    const attempt = new Map(browser.cookiesOf(app.url))
    expect(await outcome(browser, callback)).toBe('/')
    // Replayed, with the attempt's cookie put back.
    const cookie = `lake-sign-in=${attempt.get('lake-sign-in') ?? ''}`
    const replay = await fetch(callback, { redirect: 'manual', headers: { cookie } })
    expect(replay.headers.get('location')).toBe('/?sign-in=failed')
    expect(replay.headers.getSetCookie().join()).not.toContain('lake-session')
  })

  it.each(['state', 'code', 'iss'])('refuses an answer with another %s', async (name) => {
    const { browser, callback } = await walk('ada')
    callback.searchParams.set(name, 'forged')
    expect(await outcome(browser, callback)).toBe('/?sign-in=failed')
    expect(await get(browser, '/session')).toMatchObject({ principal: null })
  })

  it('refuses an attempt that is too old or that was forged', async () => {
    const late = await walk('ada')
    app.clock.advance(LIMITS.signInAttemptMs)
    expect(await outcome(late.browser, late.callback)).toBe('/?sign-in=failed')
    const answer = await fetch(late.callback, {
      redirect: 'manual',
      headers: { cookie: 'lake-sign-in=forged' },
    })
    expect(answer.headers.get('location')).toBe('/?sign-in=failed')
  })

  it('comes back to a window of its own as one', async () => {
    const browser = createCookieBrowser()
    const start = `${app.url}${API_PREFIX}/sign-in?window=own`
    expect(await outcome(browser, await browser.signIn(start, 'ada', app.url))).toBe('/?sign-in=done')
  })
})

describe('[AU7] a bearer token of the provider', () => {
  const statusOf = async (token: string): Promise<number> =>
    (await fetch(`${app.url}${API_PREFIX}/namespaces`, { headers: bearer(token) })).status

  it('counts for this audience, with the grants of its claims', async () => {
    const token = await provider.bearerToken()
    const answer = await fetch(`${app.url}${API_PREFIX}/namespaces`, { headers: bearer(token) })
    expect(await answer.json()).toEqual({
      namespaces: [
        ['models', 'v2'],
        ['models', 'v2', 'eval'],
      ],
    })
  })

  it('is refused for another audience, altered, unsigned, or signed by another', async () => {
    const token = await provider.bearerToken()
    const [header = '', payload = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const signed = async (key: Parameters<SignJWT['sign']>[0], alg: string, kid = 'k'): Promise<string> =>
      await new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key)
    const publicText = Buffer.from(JSON.stringify(await exportJWK(publicKey)))
    const forged = [
      await provider.bearerToken('urn:lake:other'),
      `${header}.${encode({ ...claims, groups: ['analysts', 'modellers'] })}.${signature}`,
      `${encode({ alg: 'none' })}.${payload}.`,
      `${encode({ alg: 'none' })}.${payload}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      await signed(privateKey, 'RS256'),
      await signed(privateKey, 'RS256', 'unknown'),
      await signed(publicText, 'HS256'),
    ]
    for (const text of forged) expect(await statusOf(text), text).toBe(401)
    expect(await statusOf(token)).toBe(200)
  })

  it('ends when it says', async () => {
    const token = await provider.bearerToken()
    expect(await statusOf(token)).toBe(200)
    app.clock.advance(3_600_000 + LIMITS.oidcClockToleranceMs)
    expect(await statusOf(token)).toBe(401)
  })
})

describe('[AU7] an identity provider that is away', () => {
  it('stops sign-in and its tokens, says so, and stops nothing else', async () => {
    const { browser, callback } = await walk('ada')
    expect(await outcome(browser, callback)).toBe('/')
    const token = await provider.bearerToken()
    await provider[Symbol.asyncDispose]()
    app.clock.advance(LIMITS.oidcMetadataFreshMs)
    expect(await get(browser, '/namespaces')).toEqual({ namespaces: [['analytics']] })
    for (const answer of [
      await fetch(`${app.url}${API_PREFIX}/sign-in`, { redirect: 'manual' }),
      await fetch(`${app.url}${API_PREFIX}/namespaces`, { headers: bearer(token) }),
    ]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      const text = await answer.text()
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'SIGN_IN_UNAVAILABLE' } })
      expect(text).not.toContain(provider.issuer)
    }
  })
})
