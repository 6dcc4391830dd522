// Signing in by a token, over real HTTP: cookies, the proof that a page of this site asks, expiry and signing out.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_PREFIX, REQUEST_HEADER, ROUTES, sessionResponse } from '@lake/core/api/contract.ts'
import type { SignInAudit } from '../src/observability/audit-log.ts'
import { LIMITS } from '../src/limits.ts'
import { startTestEngine, type TestEngine } from './engine-support.ts'
import { startRecordingApp, type RecordingApp } from './support/recording-app.ts'
import { GUARDED_ROUTES, requestTo, ROUTE_NAMES } from './support/route-requests.ts'

const audited: SignInAudit[] = []
let engine: TestEngine
let app: RecordingApp
const PUBLIC_ORIGIN = 'https://lake.example.com'
const PARTS = { namespaceSegment: 'a', tableSegment: 't', sql: 'SELECT * FROM iceberg.a.t', ticket: 'x' }

beforeAll(async () => {
  engine = await startTestEngine({ threads: 1 })
  const sha256 = createHash('sha256').update('token-ada').digest('hex')
  app = await startRecordingApp({
    engine: engine.engine,
    deployment: [['a']],
    principals: JSON.stringify({ principals: [{ name: 'ada', namespaces: ['*'], tokens: [{ sha256 }] }] }),
    access: { publicUrl: new URL(PUBLIC_ORIGIN), trustedProxies: ['127.0.0.1'] },
    quotas: { requestsPerMinuteMax: 300 },
    audit: {
      statement: () => undefined,
      signIn: (entry) => audited.push(entry),
      [Symbol.asyncDispose]: async () => {},
    },
  })
}, 60_000)

afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
})

const OWN = { origin: PUBLIC_ORIGIN, [REQUEST_HEADER.name]: REQUEST_HEADER.value }

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Response> {
  return await fetch(`${app.url}${API_PREFIX}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** `name=value` of the cookie that an answer sets. */
const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0]!.split(';')[0]!
const codeOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { error?: { code: string } }).error?.code ?? 'ok'

async function signIn(): Promise<string> {
  const answer = await send('POST', '/session', OWN, { token: 'token-ada' })
  expect(answer.status).toBe(200)
  return cookieOf(answer)
}

describe('[AU5] signing in by a token', () => {
  it('sets a cookie that no script reads and no other host gets, and says who is signed in', async () => {
    const answer = await send('POST', '/session', OWN, { token: 'token-ada' })
    const [cookie = ''] = answer.headers.getSetCookie()
    expect(cookie).toMatch(
      /^__Host-lake-session=[\w-]+; Max-Age=7200; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect(cookie).not.toContain('ada')
    const session = sessionResponse.parse(await answer.json())
    expect(session).toMatchObject({ principal: 'ada', isSignInRequired: false, signInMethods: ['token'] })
    expect(session.expiresAtMs).toBe(app.clock.nowMs() + LIMITS.sessionIdleMs)
  })

  it.each(['token-eve', 'token-ada ', 'TOKEN-ADA', createHash('sha256').update('token-ada').digest('hex')])(
    'refuses %j',
    async (token) => {
      const answer = await send('POST', '/session', OWN, { token })
      expect(answer.headers.getSetCookie()).toEqual([])
      expect([answer.status, await codeOf(answer)]).toEqual([401, 'UNAUTHENTICATED'])
    },
  )

  it('takes the session for every route', async () => {
    const cookie = await signIn()
    for (const name of GUARDED_ROUTES) {
      const { method, path, body } = requestTo(name, PARTS)
      const answer = await send(method, path, { ...OWN, cookie }, body)
      expect(['ok', 'NO_SUCH_TABLE', 'TICKET_INVALID'], name).toContain(await codeOf(answer))
    }
  })
})

describe('[AU6] a request under a session', () => {
  const changing = ROUTE_NAMES.filter((name) => ROUTES[name].method !== 'GET')

  it.each(changing)('to %s comes from a page of this site', async (name) => {
    const cookie = await signIn()
    const { method, path, body } = requestTo(name, PARTS)
    for (const headers of [
      {},
      { origin: PUBLIC_ORIGIN },
      { [REQUEST_HEADER.name]: REQUEST_HEADER.value },
      { ...OWN, [REQUEST_HEADER.name]: 'XMLHttpRequest' },
      { ...OWN, origin: 'https://evil.example' },
      { ...OWN, origin: 'null' },
      { ...OWN, origin: `${PUBLIC_ORIGIN}.evil.example` },
      { ...OWN, origin: 'http://lake.example.com' },
    ]) {
      const answer = await send(method, path, { ...headers, cookie }, body)
      expect([answer.status, await codeOf(answer)], JSON.stringify(headers)).toEqual([
        403,
        'PERMISSION_DENIED',
      ])
    }
  })

  it('needs none of that with a token of the API', async () => {
    const { method, path, body } = requestTo('analyze', PARTS)
    const answer = await send(method, path, { authorization: 'Bearer token-ada' }, body)
    expect(answer.status).toBe(200)
  })

  it('does not fall back to the session when its token is wrong', async () => {
    const cookie = await signIn()
    const answer = await send('GET', '/namespaces', { cookie, authorization: 'Bearer token-eve' })
    expect(answer.status).toBe(401)
  })
})

describe('[AU5] a cookie', () => {
  const namespaces = async (cookie: string): Promise<Response> => await send('GET', '/namespaces', { cookie })

  it('that was forged, altered, or made for something else signs nobody in', async () => {
    const cookie = await signIn()
    const value = cookie.slice(cookie.indexOf('=') + 1)
    const ticket = app.sealer.seal({
      statementId: 's',
      sql: 'SELECT 1',
      pins: [],
      principal: 'file:ada',
      issuedAtMs: 0,
      expiresAtMs: Number.MAX_SAFE_INTEGER,
    })
    for (const text of ['', 'x', value.slice(0, -2), `${value}A`, value.toUpperCase(), ticket, 'token-ada'])
      expect((await namespaces(`__Host-lake-session=${text}`)).status, text).toBe(401)
    expect((await namespaces(`lake-session=${value}`)).status).toBe(401)
    expect((await namespaces(`x=${'y'.repeat(LIMITS.cookieCharsMax)}; ${cookie}`)).status).not.toBe(200)
    expect((await namespaces(cookie)).status).toBe(200)
    // Nor is a session a ticket.
    const asTicket = await send('POST', '/do-get', { authorization: 'Bearer token-ada' }, { ticket: value })
    expect(await codeOf(asTicket)).toBe('TICKET_INVALID')
  })

  it('is renewed while it is used, and expires when it is not', async () => {
    const cookie = await signIn()
    expect((await namespaces(cookie)).headers.getSetCookie()).toEqual([])
    app.clock.advance(LIMITS.sessionRenewedAfterMs)
    const renewed = cookieOf(await namespaces(cookie))
    expect(renewed).not.toBe(cookie)
    app.clock.advance(LIMITS.sessionIdleMs - 1)
    expect((await namespaces(cookie)).status).toBe(401)
    expect((await namespaces(renewed)).status).toBe(200)
    app.clock.advance(1)
    expect((await namespaces(renewed)).status).toBe(401)
  })

  it('that was signed out is refused when it is replayed', async () => {
    const cookie = await signIn()
    const out = await send('DELETE', '/session', { ...OWN, cookie })
    expect(await out.json()).toMatchObject({ principal: null, isSignInRequired: true, version: null })
    expect(out.headers.getSetCookie()[0]).toMatch(/^__Host-lake-session=; Path=\/; Expires=Thu, 01 Jan 1970/)
    expect((await namespaces(cookie)).status).toBe(401)
    // Signing out twice, or without a session, is no failure.
    expect((await send('DELETE', '/session', { ...OWN, cookie })).status).toBe(200)
  })
})

describe('behind TLS', () => {
  it('the browser is told to insist on it', async () => {
    const { headers } = await send('GET', '/session', {})
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect(headers.get('content-security-policy')).toContain('upgrade-insecure-requests')
  })

  it('nobody who is not signed in learns a version', async () => {
    for (const path of ['/session', '/namespaces', '/nowhere']) {
      const answer = await send('GET', path, {})
      const text = JSON.stringify([...answer.headers]) + (await answer.text())
      expect(text).not.toMatch(/express|node|"version":"/i)
    }
  })
})

describe('[AL1] sign-ins', () => {
  it('are written down with the address that a trusted proxy tells, whoever they were', async () => {
    audited.length = 0
    const cookie = await signIn()
    // The client may write what it likes before what the proxy adds.
    const forwarded = { ...OWN, 'x-forwarded-for': '192.0.2.66, 203.0.113.7' }
    await send('POST', '/session', forwarded, { token: 'token-eve' })
    await send('DELETE', '/session', { ...OWN, cookie })
    const ada = expect.objectContaining({ id: 'file:ada' }) as object
    expect(audited).toMatchObject([
      { event: 'sign-in', method: 'token', principal: ada, address: '127.0.0.1', outcome: 'ok' },
      {
        event: 'sign-in',
        method: 'token',
        principal: null,
        address: '203.0.113.7',
        outcome: 'UNAUTHENTICATED',
      },
      { event: 'sign-out', principal: ada, outcome: 'ok' },
    ])
    expect(JSON.stringify(audited)).not.toContain('token-')
  })
})

describe('[QU1] requests', () => {
  it('beyond the bound are refused with the time to come back, and nobody else is', async () => {
    const cookie = await signIn()
    // A minute passes, so that what came before does not count.
    app.clock.advance(60_000)
    const ask = async (headers: Record<string, string>): Promise<Response> =>
      await send('GET', '/namespaces', headers)
    const answers = await Promise.all(Array.from({ length: 310 }, async () => await ask({ cookie })))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(10)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(await codeOf(refused[0]!)).toBe('BUSY')
    expect((await ask({})).status).toBe(401)
    app.clock.advance(200)
    expect((await ask({ cookie })).status).toBe(200)
  })
})

describe('without an identity provider', () => {
  it('nobody is sent to one', async () => {
    expect(await codeOf(await send('GET', '/sign-in', {}))).toBe('NO_SUCH_ROUTE')
    const back = await send('GET', '/sign-in/callback?code=x&state=y', {})
    expect([back.status, back.headers.get('location')]).toEqual([303, '/?sign-in=failed'])
  })
})
