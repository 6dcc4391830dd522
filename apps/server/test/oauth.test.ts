// Client credentials against a real authorization server, with the real local lake behind a gate that checks its tokens.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CLIENTS,
  RESOURCE,
  startAuthorizationServer,
  TOKEN_LIFETIME_S,
  type AuthorizationServer,
} from './support/authorization-server.ts'
import { startCatalogProxy, type CatalogProxy } from './support/catalog-proxy.ts'
import { clientCredentials, load, startStubCatalog, tableBody } from './support/stub-catalog.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'
import { Secret } from '../src/observability/redaction.ts'

let authorization: AuthorizationServer
let lake: TestLake
let gate: CatalogProxy
/** Claims of the tokens that passed the gate. */
const claims: Readonly<Record<string, unknown>>[] = []

beforeAll(async () => {
  authorization = await startAuthorizationServer()
  lake = await startTestLake(['--demo-scale', '0.01'])
  gate = await startCatalogProxy(lake.ready.restEndpoint, async ({ headers }, pass) => {
    const found = authorization.check(headers.authorization?.replace('Bearer ', '') ?? '')
    if (!found) return { status: 401, body: '' }
    claims.push(found)
    return await pass({ authorization: `Bearer ${lake.ready.token}` })
  })
}, 120_000)
afterAll(async () => {
  await gate?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  await authorization?.[Symbol.asyncDispose]()
})

const start = async (env: Record<string, string>): Promise<TestStack> =>
  await startTestStack(lake, {
    LAKE_ICEBERG_REST_ENDPOINT: gate.url.href,
    LAKE_ICEBERG_REST_TOKEN: '',
    LAKE_ICEBERG_REST_OAUTH2_SERVER_URI: authorization.tokenUri.href,
    LAKE_ICEBERG_REST_OAUTH_RESOURCE: RESOURCE,
    ...env,
  })
const pairOf = ({ id, secret }: { id: string; secret: string }): string => `${id}:${secret}`

describe('[RC15] client credentials', () => {
  it.each(['body', 'basic'] as const)(
    'in the %s are exchanged once for a token that queries run with',
    async (style) => {
      claims.length = 0
      authorization.exchanges.length = 0
      await using stack = await start({
        LAKE_ICEBERG_REST_CREDENTIAL: pairOf(CLIENTS[style]),
        LAKE_ICEBERG_REST_OAUTH_CLIENT_AUTH: style,
      })
      const { receipt } = await stack.client.query('SELECT count(*) FROM iceberg.analytics.robots')
      expect(receipt).toBeDefined()
      expect(authorization.exchanges).toEqual([200])
      expect(claims.length).toBeGreaterThan(2)
      expect(claims[0]).toMatchObject({ client_id: CLIENTS[style].id, aud: RESOURCE, scope: 'catalog' })
    },
  )

  it.each([
    ['a wrong secret', { LAKE_ICEBERG_REST_CREDENTIAL: 'lake-body:canary-wrong' }],
    ['an unknown client', { LAKE_ICEBERG_REST_CREDENTIAL: 'nobody:canary-secret' }],
    [
      'a resource that is none',
      { LAKE_ICEBERG_REST_CREDENTIAL: pairOf(CLIENTS.body), LAKE_ICEBERG_REST_OAUTH_RESOURCE: 'no uri' },
    ],
  ])('with %s end the start, and no message has the secret', async (_what, env) => {
    const failure = await start(env).then(
      async (stack) => {
        await stack[Symbol.asyncDispose]()
        return undefined
      },
      (error: Error) => error,
    )
    expect(failure).toMatchObject({ code: 'CATALOG_UNAUTHORIZED' })
    expect(`${failure?.message}${JSON.stringify(failure)}`).not.toContain('canary')
  })
})

describe('[RC16] a token', () => {
  it('serves until it ends by the server’s word, and is then exchanged once for all that wait', async () => {
    authorization.exchanges.length = 0
    const seen: string[] = []
    await using started = await startStubCatalog(
      ({ headers }) => {
        seen.push(headers.authorization ?? '')
        const isKnown = authorization.check(headers.authorization?.replace('Bearer ', '') ?? '') !== undefined
        return isKnown ? { body: tableBody() } : { status: 401 }
      },
      {
        auth: clientCredentials({
          credential: { kind: 'inline', secret: new Secret(pairOf(CLIENTS.body)) },
          serverUri: authorization.tokenUri,
          resource: RESOURCE,
        }),
      },
    )
    await load(started.catalog)
    started.clock.advance(TOKEN_LIFETIME_S * 1_000 - 1)
    await load(started.catalog)
    expect(authorization.exchanges).toEqual([200])
    started.clock.advance(1)
    await Promise.all(Array.from({ length: 50 }, async () => await load(started.catalog)))
    expect(authorization.exchanges).toEqual([200, 200])
    expect(new Set(seen).size).toBe(2)
  })
})
