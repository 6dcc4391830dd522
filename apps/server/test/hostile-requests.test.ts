// Requests as an attacker makes them: written by hand onto a socket, so that no client library mends them first.
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { API_PREFIX, REQUEST_HEADER } from '@lake/core/api/contract.ts'
import { startTestEngine, type TestEngine } from './engine-support.ts'
import { startRecordingApp, type RecordingApp } from './support/recording-app.ts'

const ORIGIN = 'https://lake.example.com'
const SECRET_TEXT = 'not for anybody'
const TOKENS = { ada: 'token-ada', eve: 'token-eve' }
const OWN = `origin: ${ORIGIN}\r\n${REQUEST_HEADER.name}: ${REQUEST_HEADER.value}\r\n`

let engine: TestEngine
let app: RecordingApp
let directory: string

beforeAll(async () => {
  engine = await startTestEngine({ threads: 1 })
  directory = await mkdtemp(join(tmpdir(), 'lake-hostile-'))
  await mkdir(join(directory, 'dist/assets'), { recursive: true })
  await writeFile(join(directory, 'dist/index.html'), '<html>the app</html>')
  await writeFile(join(directory, 'secret.txt'), SECRET_TEXT)
  const sha256 = (token: string): string => createHash('sha256').update(token).digest('hex')
  app = await startRecordingApp({
    engine: engine.engine,
    deployment: [['a']],
    principals: JSON.stringify({
      principals: [
        { name: 'ada', namespaces: ['*'], tokens: [{ sha256: sha256(TOKENS.ada) }] },
        { name: 'eve', namespaces: [], tokens: [{ sha256: sha256(TOKENS.eve) }] },
      ],
    }),
    access: { publicUrl: new URL(ORIGIN) },
    webDirectory: join(directory, 'dist'),
  })
}, 60_000)
beforeEach(() => {
  app.loads.length = 0
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

/**
 * Writes `text`, and `next` when an answer comes, and gives all that comes back until the server closes, as it must: what never
 * ends is a failure.
 */
async function exchange(text: string, next?: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  let answer = ''
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1')
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  if (next !== undefined) socket.once('data', () => socket.write(next, 'latin1'))
  socket.write(text, 'latin1')
  await closed
  return answer
}

const statusesOf = (answer: string): number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
/** The last request of a connection, unless headers say otherwise. */
const get = (target: string, headers = '', last = 'connection: close\r\n'): string =>
  `GET ${target} HTTP/1.1\r\nhost: x\r\n${last}${headers}\r\n`

describe('[AU9] a request that two parsers could read in two ways', () => {
  const hidden = get(`${API_PREFIX}/session`)
  it.each([
    ['two lengths', `content-length: 0\r\ncontent-length: ${hidden.length}\r\n`],
    ['a length and chunks', `content-length: ${hidden.length}\r\ntransfer-encoding: chunked\r\n`],
    ['an unknown coding', 'transfer-encoding: xchunked\r\n'],
    ['chunks that are not last', 'transfer-encoding: chunked, identity\r\n'],
    ['two codings', 'transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n'],
    ['a blank before the colon', `content-length : ${hidden.length}\r\n`],
    ['a folded header', 'x: 1\r\n  content-length: 5\r\n'],
    ['a length with a sign', `content-length: +${hidden.length}\r\n`],
    ['lines that end without a carriage return', `x: y\ncontent-length: ${hidden.length}\n`],
    ['a zero byte in a header', 'x: a\0b\r\n'],
  ])('is refused with its connection: %s', async (_what, headers) => {
    const post = `POST ${API_PREFIX}/session HTTP/1.1\r\nhost: x\r\n${OWN}content-type: application/json\r\n`
    const answer = await exchange(`${post}${headers}\r\n${hidden}`)
    expect(statusesOf(answer)).toEqual([400])
  })

  it('has one host, and no more headers than fit', async () => {
    expect(statusesOf(await exchange('GET /livez HTTP/1.1\r\n\r\n'))).toEqual([400])
    expect(statusesOf(await exchange(get('/livez', `x: ${'y'.repeat(20_000)}\r\n`)))).toEqual([431])
    expect(statusesOf(await exchange(get('/livez', 'a: b\r\n'.repeat(5_000))))).toEqual([431])
  })

  it('is answered in turn where several come at once', async () => {
    const three = get('/livez', '', '') + get(`${API_PREFIX}/namespaces`, '', '') + get('/nothing-here.js')
    expect(statusesOf(await exchange(three))).toEqual([200, 401, 200])
    // More than there are places for are refused, as over many connections.
    const request = get(`${API_PREFIX}/namespaces`, '', '')
    const flood = await exchange(request.repeat(1_999) + get(`${API_PREFIX}/namespaces`))
    expect(statusesOf(flood)).toHaveLength(2_000)
    expect([...new Set(statusesOf(flood))].filter((status) => ![401, 429].includes(status))).toEqual([])
  })

  it.each([
    ['websocket', 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: eA==\r\n'],
    ['h2c', 'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n'],
  ])('changes to no other protocol: %s', async (_what, headers) => {
    // The connection goes on as it was: what comes next is a request and no frame of another protocol.
    const answer = await exchange(get(`${API_PREFIX}/namespaces`, headers, ''), get('/livez'))
    expect(statusesOf(answer)).toEqual([401, 200])
  })

  it.each(['CONNECT', 'TRACE', 'PROPFIND', 'PURGE'])('makes no tunnel and no echo: %s', async (method) => {
    const answer = await exchange(
      `${method} / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-mark: mark-7\r\n\r\n`,
    )
    expect(answer).not.toContain('mark-7')
    expect(statusesOf(answer).filter((status) => status < 400)).toEqual([])
  })
})

describe('[AU9] a path that is not what it seems', () => {
  const PATHS = [
    `${API_PREFIX}/%2e%2e/v1/namespaces/a/tables`,
    `${API_PREFIX}/../v1/namespaces/a/tables`,
    `/${API_PREFIX}/namespaces/a/tables`,
    `${API_PREFIX}//namespaces/a/tables`,
    `${API_PREFIX}/./namespaces/a/tables`,
    `${API_PREFIX.toUpperCase()}/namespaces/a/tables`,
    `${API_PREFIX}/Namespaces/a/tables`,
    `${API_PREFIX}/namespaces/a/tables/`,
    `${API_PREFIX}/namespaces/a/tables;x=1`,
    `${API_PREFIX}/namespaces/a/tables%3Fx`,
    `${API_PREFIX}/namespaces/a%2Ftables/t`,
    `${API_PREFIX}/namespaces/%61/tables`,
    `${API_PREFIX}/namespaces/a%00/tables`,
    `${API_PREFIX}/namespaces/%c0%ae%c0%ae/tables`,
    `http://elsewhere${API_PREFIX}/namespaces/a/tables`,
    `${API_PREFIX}/namespaces/a/tables?x=${'%'.repeat(100)}`,
    `${API_PREFIX}/namespaces/a/tables/__proto__`,
  ]
  it.each(PATHS)('loads nothing for nobody, and nothing for who has no grant: %s', async (path) => {
    const nobody = await exchange(get(path))
    const eve = await exchange(get(path, `authorization: Bearer ${TOKENS.eve}\r\n`))
    for (const answer of [nobody, eve]) {
      const [status = 0] = statusesOf(answer)
      // The app answers whatever is no route, as any path of a page.
      if (status === 200) expect(answer).toContain('the app')
      else expect([400, 401, 404]).toContain(status)
    }
    expect(app.loads).toEqual([])
  })

  it('loads nothing for a name of very many levels', async () => {
    const path = `${API_PREFIX}/namespaces/${'a%1F'.repeat(2_000)}a/tables`
    expect(statusesOf(await exchange(get(path, `authorization: Bearer ${TOKENS.eve}\r\n`)))).toEqual([404])
    expect(app.loads).toEqual([])
  })

  it.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/..%c0%afsecret.txt',
    '//secret.txt',
    '/secret.txt%00.html',
    'http://x/../secret.txt',
  ])('serves no file from beside the app: %s', async (path) => {
    const answer = await exchange(get(path))
    expect(answer).not.toContain(SECRET_TEXT)
    expect(statusesOf(answer)[0]).toBeLessThan(500)
  })
})

describe('[AU9] a page of another site', () => {
  let cookie: string
  beforeAll(async () => {
    const signedIn = await exchange(signIn(''))
    cookie = cookieOf(signedIn)
  })
  const body = '{"sql":"SELECT 1"}'
  const post = (headers: string): string =>
    `POST ${API_PREFIX}/flight-info HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: ${cookie}\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`

  it.each([
    ['a form as text', 'content-type: text/plain\r\norigin: https://evil.example\r\n'],
    ['a frame without an origin', 'content-type: text/plain\r\norigin: null\r\n'],
    [
      'a frame that sends our header',
      `content-type: application/json\r\norigin: null\r\n${REQUEST_HEADER.name}: ${REQUEST_HEADER.value}\r\n`,
    ],
    [
      'no origin at all',
      `content-type: application/json\r\n${REQUEST_HEADER.name}: ${REQUEST_HEADER.value}\r\n`,
    ],
    ['our origin without the header', `content-type: application/json\r\norigin: ${ORIGIN}\r\n`],
    [
      'an origin that begins as ours',
      `content-type: application/json\r\norigin: ${ORIGIN}.evil.example\r\n${REQUEST_HEADER.name}: ${REQUEST_HEADER.value}\r\n`,
    ],
    [
      'our origin without encryption',
      `content-type: application/json\r\norigin: ${ORIGIN.replace('https', 'http')}\r\n${REQUEST_HEADER.name}: ${REQUEST_HEADER.value}\r\n`,
    ],
  ])('does nothing in the name of who is signed in: %s', async (_what, headers) => {
    expect(statusesOf(await exchange(post(headers)))).toEqual([403])
  })

  it('is not allowed by a preflight, and our own page is not in its way', async () => {
    const preflight = `OPTIONS ${API_PREFIX}/flight-info HTTP/1.1\r\nhost: x\r\nconnection: close\r\norigin: https://evil.example\r\naccess-control-request-method: POST\r\n\r\n`
    expect(await exchange(preflight)).not.toMatch(/access-control-allow/i)
    expect(statusesOf(await exchange(post(`content-type: application/json\r\n${OWN}`)))).toEqual([200])
  })
})

describe('[AU5] a session that was planted before signing in', () => {
  it('is not the one that is signed in', async () => {
    const planted = cookieOf(await exchange(signIn('', TOKENS.eve)))
    const own = cookieOf(await exchange(signIn(`cookie: ${planted}\r\n`)))
    expect(own).not.toBe(planted)
    const who = async (cookie: string): Promise<string | undefined> =>
      /"principal":"?(\w+)/.exec(await exchange(get(`${API_PREFIX}/session`, `cookie: ${cookie}\r\n`)))?.[1]
    expect(await who(planted)).toBe('eve')
    expect(await who(own)).toBe('ada')
    // A value of one's own choosing is no session, also not after somebody signed in with it.
    const chosen = '__Host-lake-session=chosen'
    await exchange(signIn(`cookie: ${chosen}\r\n`))
    expect(await who(chosen)).toBe('null')
  })
})

function signIn(headers: string, token = TOKENS.ada): string {
  const body = JSON.stringify({ token })
  return `POST ${API_PREFIX}/session HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${OWN}${headers}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

function cookieOf(answer: string): string {
  return /^set-cookie: ([^;]+)/im.exec(answer)?.[1] ?? ''
}
