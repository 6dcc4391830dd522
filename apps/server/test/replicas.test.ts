// Two real servers with a common store: what is signed out, and what was read, at one of them counts at the other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REQUEST_HEADER, ROUTES } from '@lake/core/api/contract.ts'
import { bearer, createTestPrincipals, type TestPrincipals } from './support/principals.ts'
import { createTestClient, type TestClient } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let principals: TestPrincipals<'ada' | 'bob'>
let lake: TestLake
const stacks: TestStack[] = []

beforeAll(async () => {
  principals = await createTestPrincipals({ ada: ['*'], bob: ['*'] })
  lake = await startTestLake(['--demo-scale', '0.01'])
  for (let count = 0; count < 2; count += 1)
    stacks.push(
      await startTestStack(lake, {
        LAKE_PRINCIPALS: principals.path,
        LAKE_STATE_URL: `file://${lake.directory}/state`,
        LAKE_PRINCIPAL_BYTES_PER_DAY_MAX: '1',
      }),
    )
}, 120_000)

afterAll(async () => {
  for (const stack of stacks) await stack[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  await principals?.[Symbol.asyncDispose]()
})

const own = (stack: TestStack): Record<string, string> => ({
  origin: stack.url,
  [REQUEST_HEADER.name]: REQUEST_HEADER.value,
})
const clientsOf = (headers: Record<string, string>): TestClient[] =>
  stacks.map(({ url }) => createTestClient(url, headers))

describe('[RE1] two servers with a common store', () => {
  it('end a session together', async () => {
    const [here] = stacks
    const answer = await createTestClient(here!.url).request(
      'POST',
      ROUTES.signIn.path,
      { token: principals.tokens.ada },
      own(here!),
    )
    const [setCookie = ''] = answer.headers.getSetCookie()
    const cookie = setCookie.split(';', 1)[0] ?? ''
    const [atHere, atThere] = clientsOf({ cookie })
    const statusOf = async (client: TestClient | undefined): Promise<number | undefined> =>
      (await client?.request('GET', ROUTES.namespaces.path))?.status
    expect([await statusOf(atHere), await statusOf(atThere)]).toEqual([200, 200])
    await atHere!.request('DELETE', ROUTES.signOut.path, undefined, own(here!))
    expect(await statusOf(atHere)).toBe(401)
    await expect.poll(async () => await statusOf(atThere)).toBe(401)
  })

  it('count what a principal reads together', async () => {
    const [here, there] = clientsOf(bearer(principals.tokens.bob))
    const sql = 'SELECT max(model) FROM iceberg.analytics.robots'
    expect(await here!.outcome(sql)).toBe('ok')
    expect(await here!.outcome(sql)).toBe('QUOTA_EXCEEDED')
    await expect.poll(async () => await there!.outcome(sql)).toBe('QUOTA_EXCEEDED')
    const [other] = clientsOf(bearer(principals.tokens.ada))
    expect(await other!.outcome(sql)).toBe('ok')
  })
})
