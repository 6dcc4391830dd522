// The HTTP edge over the real stack: who is answered, what bodies are taken, and what headers go out.
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES, tableResponse, tablesResponse } from '@lake/core/api/contract.ts'
import { LIMITS } from '../src/limits.ts'
import { createTestClient, readResult } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let stack: TestStack

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  stack = await startTestStack(lake, { LAKE_METRICS_ADDR: '127.0.0.1:0' })
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

/** As `fetch`, which does not let a caller choose these headers. */
async function raw(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(stack.url)
  return await new Promise((resolve, reject) => {
    const sent = request({ method, hostname, port, path, headers }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: text })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('who is answered', () => {
  const host = (): string => new URL(stack.url).host

  it.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1:1', 'localhost', '10.0.0.1:80'])(
    'refuses the Host %j',
    async (name) => {
      const answer = await raw('GET', '/api/v1/namespaces', { host: name })
      expect(answer.status).toBe(403)
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'PERMISSION_DENIED' } })
    },
  )

  it('answers its loopback names', async () => {
    const { port } = new URL(stack.url)
    for (const name of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect((await raw('GET', '/api/v1/namespaces', { host: name })).status).toBe(200)
    }
  })

  it.each(['http://evil.example', 'null', 'https://127.0.0.1'])('refuses the Origin %s', async (origin) => {
    const answer = await raw(
      'POST',
      '/api/v1/analyze',
      { host: host(), origin, 'content-type': 'application/json' },
      '{"sql":"SELECT 1"}',
    )
    expect(answer.status).toBe(403)
  })

  it('answers its own pages', async () => {
    const answer = await raw(
      'POST',
      '/api/v1/analyze',
      { host: host(), origin: stack.url, 'content-type': 'application/json' },
      '{"sql":"SELECT 1"}',
    )
    expect(answer.status).toBe(200)
  })
})

describe('bodies', () => {
  const posts = Object.values(ROUTES).filter(({ method, path }) => method === 'POST' && !path.includes(':'))

  it.each(posts.map(({ path }) => path))('of %s are checked before anything else', async (path) => {
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{}',
      '{"sql":""}',
      '{"sql":1}',
      '{"ticket":""}',
      '{"ticket":{}}',
      '{"sql":"SELECT 1","pins":[{"namespace":[],"table":"t","snapshotId":"1"}]}',
    ]
    for (const body of bodies) {
      if (path === ROUTES.analyze.path && body.includes('pins')) continue
      const response = await fetch(`${stack.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const { error } = (await response.json()) as { error: { code: string; requestId: string } }
      const isFlightInfo = path === ROUTES.flightInfo.path
      expect([response.status, error.code, isFlightInfo], body).toEqual([
        400,
        'INVALID_REQUEST',
        isFlightInfo,
      ])
      expect(error.requestId).toBe(response.headers.get('x-request-id'))
    }
  })

  it('must be JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const response = await fetch(`${stack.url}/api/v1/analyze`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"sql":"SELECT 1"}',
      })
      expect(response.status).toBe(400)
    }
  })

  it('have a bound', async () => {
    const response = await stack.client.request('POST', '/analyze', { sql: 'x'.repeat(3_000_000) })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  })

  it('say in words how long a statement may be', async () => {
    const response = await stack.client.request('POST', '/analyze', { sql: 'x'.repeat(300_000) })
    expect(await response.json()).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: 'sql: a statement may have 262,144 characters at most' },
    })
  })
})

describe('catalog pages', () => {
  it('list the tables of a namespace and describe one', async () => {
    const tables = tablesResponse.parse(
      await (await stack.client.request('GET', '/namespaces/analytics/tables')).json(),
    )
    expect(tables).toEqual({
      namespace: ['analytics'],
      tables: ['episodes', 'maintenance', 'robots', 'telemetry'],
      isTruncated: false,
    })
    const table = tableResponse.parse(
      await (await stack.client.request('GET', '/namespaces/analytics/tables/episodes')).json(),
    )
    expect(table.partitionSpecs.flatMap(({ fields }) => fields)).toMatchObject([
      { source: 'day', transform: 'identity' },
    ])
    expect(table.snapshots.length).toBeGreaterThanOrEqual(6)
    expect(table.snapshots[0]?.snapshotId).toBe(table.currentSnapshotId)
  })

  it.each(['secret', 'analytics%1Fdeeper', '..', '%2e%2e', 'ANALYTICS', 'analytics%00'])(
    'give the namespace %s and its tables one answer: not there',
    async (namespace) => {
      for (const path of [`/namespaces/${namespace}/tables`, `/namespaces/${namespace}/tables/t`]) {
        const response = await stack.client.request('GET', path)
        expect(response.status).toBe(404)
      }
    },
  )

  it('word a table outside the deployment like one that does not exist', async () => {
    const word = async (path: string): Promise<string> =>
      ((await (await stack.client.request('GET', path)).json()) as { error: { message: string } }).error
        .message
    const outside = await word('/namespaces/secret/tables/t')
    const missing = await word('/namespaces/analytics/tables/t')
    expect(outside.replace('secret', 'X')).toBe(missing.replace('analytics', 'X'))
  })
})

describe('headers and probes', () => {
  it('carry a strict content security policy and no version', async () => {
    const response = await fetch(`${stack.url}/api/v1/session`)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none';script-src 'self';worker-src 'self';")
    expect(policy).not.toContain('blob:')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(response.headers.get('x-powered-by')).toBeNull()
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('permissions-policy')).toContain('camera=()')
    // On plain loopback there is no TLS to insist on.
    expect(response.headers.get('strict-transport-security')).toBeNull()
    expect(response.headers.get('server')).toBeNull()
  })

  it('answer for life and readiness', async () => {
    expect((await fetch(`${stack.url}/livez`)).status).toBe(200)
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(200)
  })

  it('name unknown paths', async () => {
    expect(await (await stack.client.request('GET', '/nothing')).json()).toMatchObject({
      error: { code: 'NO_SUCH_ROUTE' },
    })
  })

  it('show metrics without a name, a statement or a secret', async () => {
    await stack.client.query("SELECT 'canary-literal' FROM iceberg.analytics.robots LIMIT 1")
    await stack.client.outcome('SELECT canary_column FROM iceberg.analytics.robots')
    const text = await (await fetch(`${stack.metricsUrl}/metrics`)).text()
    expect(text).toContain('lake_statements_total{outcome="ok"} 1')
    for (const word of ['canary', 'robots', 'analytics', lake.ready.token, '127.0.0.1'])
      expect(text).not.toContain(word)
  })
})

describe('[OP3] a server that is asked to end', () => {
  /** An answer of which little was taken, and the end of its server once that takes no more connections. */
  async function endWhileReading(drainMs: number) {
    // It ends with the answer, and not when the connection would be idle for too long.
    const limits = LIMITS as { keepAliveMs: number }
    const { keepAliveMs } = limits
    limits.keepAliveMs = 600_000
    const ending = await startTestStack(lake, { LAKE_DRAIN_MS: String(drainMs) })
    limits.keepAliveMs = keepAliveMs
    const client = createTestClient(ending.url)
    const info = await client.flightInfo('SELECT range FROM range(3000000)')
    if ('status' in info) throw new Error(info.message)
    const answer = await client.doGet(info.ticket)
    const ended = ending[Symbol.asyncDispose]()
    const isOpen = async (): Promise<boolean> =>
      await fetch(`${ending.url}/livez`, { headers: { connection: 'close' } }).then(
        () => true,
        () => false,
      )
    await expect.poll(isOpen).toBe(false)
    return { answer, ended }
  }

  it('takes no more requests, and lets those that run end', async () => {
    const { answer, ended } = await endWhileReading(600_000)
    const { rowCount, receipt } = await readResult(answer)
    expect([rowCount, receipt?.rowCount]).toEqual([3_000_000, 3_000_000])
    await ended
  })

  it('cuts what takes longer than it may, so that nothing looks complete', async () => {
    const { answer, ended } = await endWhileReading(0)
    await ended
    const receipt = await readResult(answer).then(
      (result) => result.receipt,
      () => undefined,
    )
    expect(receipt).toBeUndefined()
  })
})
