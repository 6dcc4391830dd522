// Who is answered what, over the real stack: every route with and without credentials and grants.
import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_PREFIX, ROUTES, type RouteName } from '@lake/core/api/contract.ts'
import { createApiToken } from '../src/access/api-token.ts'
import { bearer, createTestPrincipals, type TestPrincipals } from './support/principals.ts'
import {
  GUARDED_ROUTES,
  requestTo as requestOf,
  ROUTE_NAMES,
  type RouteRequest,
} from './support/route-requests.ts'
import { createTestClient, type Failed, type TestClient } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

type Name = 'ada' | 'bob' | 'eve'
let principals: TestPrincipals<Name>
let lake: TestLake
let stack: TestStack
let as: Record<Name | 'nobody', TestClient>

const GRANTS: Record<Name, string[]> = { ada: ['*'], bob: ['analytics'], eve: [] }

beforeAll(async () => {
  principals = await createTestPrincipals(GRANTS)
  lake = await startTestLake(['--demo-scale', '0.01'])
  stack = await startTestStack(lake, {
    LAKE_METRICS_ADDR: '127.0.0.1:0',
    LAKE_PRINCIPALS: principals.path,
    LAKE_AUDIT_SINK: `file:${principals.path}.audit`,
    LAKE_AUDIT_SQL: 'full',
    LAKE_STATE_URL: `file://${lake.directory}/state`,
  })
  const client = (name: Name): TestClient => createTestClient(stack.url, bearer(principals.tokens[name]))
  as = { ada: client('ada'), bob: client('bob'), eve: client('eve'), nobody: createTestClient(stack.url) }
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  await principals?.[Symbol.asyncDispose]()
})

const SQL = 'SELECT count(*) AS n FROM iceberg.analytics.robots'
/** A request to each route that names `namespace`, which may be any. */
function requestTo(name: RouteName, namespace: string, ticket: string): RouteRequest {
  const sql = SQL.replace('analytics', `"${namespace}"`)
  return requestOf(name, {
    namespaceSegment: encodeURIComponent(namespace),
    tableSegment: 'robots',
    sql,
    ticket,
  })
}

const catalogCalls = async (): Promise<number> => {
  const text = await (await fetch(`${stack.metricsUrl}/metrics`)).text()
  return [...text.matchAll(/^lake_catalog_calls_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  )
}

async function ticketOf(client: TestClient): Promise<string> {
  const info = await client.flightInfo(SQL)
  if ('status' in info) throw new Error(info.message)
  return info.ticket
}

describe('[AU1] every route', () => {
  it.each(GUARDED_ROUTES)('%s refuses who is not known before it reads or loads anything', async (name) => {
    const before = await catalogCalls()
    const { path, body } = requestTo(name, 'analytics', await ticketOf(as.ada))
    const planned = await catalogCalls()
    for (const headers of [
      {},
      bearer('x'),
      bearer(createApiToken()),
      { authorization: `Basic ${Buffer.from(`ada:${principals.tokens.ada}`).toString('base64')}` },
      { authorization: principals.tokens.ada },
      bearer(`${principals.tokens.ada}x`),
    ]) {
      const answer = await as.nobody.request(ROUTES[name].method, path, body, headers)
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } })
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
    // Not even that the body is no JSON is said.
    const broken = await fetch(`${stack.url}${API_PREFIX}${path}`, {
      method: ROUTES[name].method,
      ...(ROUTES[name].method === 'POST'
        ? { body: '{', headers: { 'content-type': 'application/json' } }
        : {}),
    })
    expect(broken.status).toBe(401)
    expect(before).toBeLessThanOrEqual(planned)
    expect(await catalogCalls()).toBe(planned)
  })

  it.each(GUARDED_ROUTES)('%s checks what it names before it loads anything', async (name) => {
    const ticket = await ticketOf(as.ada)
    const { path, body } = requestTo(name, 'analytics', ticket)
    const before = await catalogCalls()
    const answer = await as.eve.request(ROUTES[name].method, path, body)
    const { requires } = ROUTES[name]
    if (requires === 'principal') {
      expect(await answer.json()).toEqual({ [name]: [] })
    } else {
      const expected = {
        namespace: 'NO_SUCH_NAMESPACE',
        table: 'NO_SUCH_TABLE',
        statement: 'NO_SUCH_TABLE',
        ticket: 'TICKET_INVALID',
        nothing: '',
      }[requires]
      expect(await answer.json()).toMatchObject({ error: { code: expected } })
    }
    expect(await catalogCalls()).toBe(before)
  })

  it('comes to be through the table of routes, and in no other way', async () => {
    const folder = `${import.meta.dirname}/../src/http/routes`
    const sources = await Promise.all(
      (await readdir(folder)).map(async (name) => await readFile(`${folder}/${name}`, 'utf8')),
    )
    const added = sources.flatMap((text) =>
      [...text.matchAll(/\broutes\.add(?:Public)?\(\s*'(\w+)'/g)].map((match) => match[1]),
    )
    expect(new Set(added)).toEqual(new Set<string>(ROUTE_NAMES))
    expect(added).toHaveLength(ROUTE_NAMES.length)
    for (const text of sources) expect(text).not.toMatch(/\brouter\b|import \{[^}]*\} from 'express'/)
  })
})

/**
 * Of so many pairs, in which the two are timed one right after the other and take turns in going first, those where the
 * first of them was slower: half of them where there is no difference, whatever else the machine does.
 */
async function countSlower(
  work: (of: string) => Promise<void>,
  [one, other]: readonly [string, string],
  pairs: number,
): Promise<number> {
  const timeOf = async (of: string): Promise<number> => {
    const startedAt = performance.now()
    await work(of)
    return performance.now() - startedAt
  }
  let slowerCount = 0
  for (let pair = 0; pair < pairs; pair += 1) {
    const isFirst = pair % 2 === 0
    const early = await timeOf(isFirst ? one : other)
    const late = await timeOf(isFirst ? other : one)
    if (isFirst ? early > late : late > early) slowerCount += 1
  }
  return slowerCount
}

/** How many standard deviations a count lies from half of the pairs. */
const deviations = (count: number, pairs: number): number =>
  Math.abs(count - pairs / 2) / Math.sqrt(pairs / 4)
/** By chance alone once in ten million times. */
const DEVIATIONS_MAX = 5.3

describe('[AU2] what may not be read', () => {
  it('is answered like what does not exist, in the same time', async () => {
    // Not granted to eve, not the deployment's, not anywhere.
    const places = ['analytics', 'secret', 'nowhere']
    for (const name of GUARDED_ROUTES.filter(
      (route) => !['principal', 'ticket'].includes(ROUTES[route].requires),
    )) {
      const answers = await Promise.all(
        places.map(async (place) => {
          const { path, body } = requestTo(name, place, '')
          const answer = await as.eve.request(ROUTES[name].method, path, body)
          const { error } = (await answer.json()) as { error: Record<string, unknown> }
          const text = JSON.stringify({ ...error, requestId: '' }).replaceAll(place, 'X')
          // Where the name stands is said, and that depends on its length alone.
          const plain = text.replaceAll(/"endOffset":\d+/g, '')
          const headers = [...answer.headers].filter(
            ([key]) => !/^(x-request-id|date|content-length)$/.test(key),
          )
          return JSON.stringify([answer.status, plain, headers])
        }),
      )
      expect(new Set(answers).size, answers.join('\n')).toBe(1)
    }
  })

  it('takes as long where it is there as where it is not', async () => {
    const places = ['analytics', 'nowhere12'] as const
    const refused = (name: RouteName) => async (place: string) => {
      const { path, body } = requestTo(name, place, '')
      await (await as.eve.request(ROUTES[name].method, path, body)).arrayBuffer()
    }
    for (const [name, pairs] of [
      ['table', 300],
      ['flightInfo', 60],
    ] as const) {
      const slower = await countSlower(refused(name), places, pairs)
      expect(deviations(slower, pairs), name).toBeLessThan(DEVIATIONS_MAX)
    }
    // The measure tells a statement that is planned from one that is refused: after more pairs the busier the machine is.
    const { path, body } = requestTo('flightInfo', 'analytics', '')
    const planned = async (who: string): Promise<void> => {
      await (await as[who as Name].request('POST', path, body)).arrayBuffer()
    }
    let [slower, pairs] = [0, 0]
    do {
      slower += await countSlower(planned, ['bob', 'eve'], 40)
      pairs += 40
    } while (slower < pairs / 2 || deviations(slower, pairs) <= DEVIATIONS_MAX)
  })

  it('shows each what is granted, and runs it', async () => {
    const seen = async (client: TestClient): Promise<unknown> =>
      ((await (await client.request('GET', '/namespaces')).json()) as { namespaces: unknown }).namespaces
    const everything = (await seen(as.ada)) as string[][]
    expect(everything).toContainEqual(['analytics'])
    expect(everything.length).toBeGreaterThan(1)
    expect(await seen(as.bob)).toEqual([['analytics']])
    expect(await as.bob.outcome(SQL)).toBe('ok')
    const other = everything.find(([name]) => name !== 'analytics')!
    const joined = `SELECT * FROM iceberg.analytics.robots, iceberg."${other.join('.')}".t`
    expect(await as.bob.flightInfo(joined)).toMatchObject({ code: 'NO_SUCH_TABLE' })
    expect(await as.bob.flightInfo(`SELECT * FROM iceberg."${other.join('.')}"."t$files"`)).toMatchObject({
      code: 'NO_SUCH_TABLE',
    })
  })

  it('stays unread when the session is asked for by nobody', async () => {
    const session = async (client: TestClient): Promise<unknown> =>
      await (await client.request('GET', '/session')).json()
    expect(await session(as.nobody)).toMatchObject({ principal: null, isSignInRequired: true, version: null })
    expect(await session(as.bob)).toMatchObject({
      principal: 'bob',
      isSignInRequired: false,
      version: 'test',
    })
  })
})

describe('[AU4] a ticket', () => {
  it('is refused to every other principal, for redeeming and for stopping', async () => {
    const ticket = await ticketOf(as.ada)
    for (const path of [ROUTES.doGet.path, ROUTES.cancelFlightInfo.path]) {
      const answer = await as.bob.request('POST', path, { ticket })
      expect(await answer.json()).toMatchObject({ error: { code: 'TICKET_INVALID' } })
    }
    expect((await as.ada.doGet(ticket)).status).toBe(200)
  })

  it('opens nothing that has been taken away since, and comes back with the grant', async () => {
    const ticket = await ticketOf(as.bob)
    const inForce = async (isGranted: boolean): Promise<void> => {
      await expect
        .poll(async () => ((await as.bob.flightInfo(SQL)) as Failed).code ?? 'ok')
        .toBe(isGranted ? 'ok' : 'NO_SUCH_TABLE')
    }
    await principals.write({ ...GRANTS, bob: [] })
    await inForce(false)
    const before = await catalogCalls()
    const answer = await as.bob.doGet(ticket)
    expect(await answer.json()).toMatchObject({ error: { code: 'NO_SUCH_TABLE' } })
    expect(await catalogCalls()).toBe(before)
    await principals.write(GRANTS)
    await inForce(true)
    expect((await as.bob.doGet(ticket)).status).toBe(200)
  })
})

describe('[AU3] a faulty file', () => {
  it('is said by readiness while the last good one is in force', async () => {
    const ready = async (): Promise<string> => await (await fetch(`${stack.url}/readyz`)).text()
    await principals.write('{"principals": 7}')
    await expect.poll(ready).toBe('the principals file has faults; the last good one is in force\n')
    expect(await as.bob.outcome(SQL)).toBe('ok')
    await principals.write(GRANTS)
    await expect.poll(ready).toBe('ok\n')
  })
})

describe('[AL1] the audit log', () => {
  it('has a line for what ran and for what was refused', async () => {
    const lines = async (): Promise<Record<string, unknown>[]> =>
      (await readFile(`${principals.path}.audit`, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    const marked = `${SQL} -- ran`
    const { receipt } = await as.bob.query(marked)
    const refused = 'SELECT * FROM iceberg.secret.t -- refused'
    expect(await as.bob.flightInfo(refused)).toMatchObject({ code: 'NO_SUCH_TABLE' })
    const find = async (sql: string): Promise<Record<string, unknown> | undefined> =>
      (await lines()).find((line) => line['sql'] === sql)
    await expect.poll(async () => await find(refused)).toBeDefined()
    const who = { event: 'statement', principalId: 'file:bob', principal: 'bob' }
    const { snapshotId } = receipt!.tables[0]!
    expect(await find(marked)).toMatchObject({
      ...who,
      statementId: receipt!.statementId,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      tables: [{ namespace: ['analytics'], table: 'robots', snapshotId }],
      rowCount: 1,
      bytesRead: receipt!.tables[0]!.scan!.bytesRead,
      outcome: 'ok',
    })
    expect(await find(refused)).toMatchObject({ ...who, tables: [], outcome: 'NO_SUCH_TABLE' })
    expect(JSON.stringify(await lines())).not.toContain(principals.tokens.bob)
  })
})

describe('[SX1] tokens and people', () => {
  it('are in no log line, no metric and no answer', async () => {
    expect(await as.bob.outcome(SQL)).toBe('ok')
    const answers = [as.bob, as.nobody].map(async (client) => {
      const answer = await client.request('GET', '/session')
      return JSON.stringify([...answer.headers]) + (await answer.text())
    })
    const metrics = await (await fetch(`${stack.metricsUrl}/metrics`)).text()
    const log = stack.log.map((line) => JSON.stringify(line)).join('\n')
    expect(log).toContain('statement ended')
    for (const text of [log, metrics, ...(await Promise.all(answers))])
      for (const token of Object.values(principals.tokens)) expect(text).not.toContain(token)
    for (const text of [log, metrics]) expect(text).not.toMatch(/file:|\bbob\b|\bada\b/)
  })
})

describe('the command for tokens', () => {
  it('makes one that works, and shows it once', async () => {
    const run = promisify(execFile)
    const script = `${import.meta.dirname}/../../../scripts/token.ts`
    const before = await readFile(principals.path, 'utf8')
    const { stdout } = await run(process.execPath, [script, 'bob', '--file', principals.path, '--days', '1'])
    const token = stdout.trim()
    const after = await readFile(principals.path, 'utf8')
    expect(after).not.toContain(token)
    expect(JSON.parse(after)).not.toEqual(JSON.parse(before))
    const client = createTestClient(stack.url, bearer(token))
    await expect.poll(async () => (await client.request('GET', '/namespaces')).status).toBe(200)
    expect((await as.bob.request('GET', '/namespaces')).status).toBe(200)
    await expect(run(process.execPath, [script, 'bob', '--days', 'x'])).rejects.toMatchObject({ code: 1 })
  })
})
