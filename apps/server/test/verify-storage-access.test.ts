// The check of access to a table's files, over the real local lake: right, refused, missing and not vended.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyStorageAccessResponse, type VerifyStorageAccessResponse } from '@lake/core/api/contract.ts'
import { lakeEnvironment, ROOT } from '../../../scripts/programs.ts'
import { startFaultProxy, type FaultProxy } from './support/fault-proxy.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let storage: FaultProxy
let stack: TestStack
const overrides = (): Record<string, string> => ({
  LAKE_ICEBERG_S3_ENDPOINT: storage.url,
  LAKE_ICEBERG_S3_REGION: 'us-east-1',
})

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  storage = await startFaultProxy(lake.ready.s3Endpoint)
  stack = await startTestStack(lake, overrides())
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await storage?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

async function verify(of: TestStack, namespace: string, table: string): Promise<VerifyStorageAccessResponse> {
  const response = await of.client.request(
    'POST',
    `/namespaces/${namespace}/tables/${table}/verify-storage-access`,
  )
  expect(response.status).toBe(200)
  return verifyStorageAccessResponse.parse(await response.json())
}
const codes = ({ checks }: VerifyStorageAccessResponse) => checks.map(({ step, code }) => [step, code])

describe('verify-storage-access', () => {
  it('walks from the catalog to a data file', async () => {
    const verified = await verify(stack, 'analytics', 'episodes')
    expect(verified.isAccessible).toBe(true)
    expect(codes(verified)).toEqual([
      ['catalog', null],
      ['manifest-list', null],
      ['manifest', null],
      ['data-file', null],
    ])
    expect(verified.checks[3]?.path).toMatch(/^s3:\/\/.*\.parquet$/)
  })

  it.each([
    [0, 'manifest-list'],
    [1, 'manifest'],
    [2, 'data-file'],
  ])(
    'stops at the step that storage refuses (call %i: %s), naming bucket, key and region',
    async (callIndex, step) => {
      storage.reset(callIndex, '403')
      const verified = await verify(stack, 'analytics', 'episodes')
      storage.reset()
      expect(verified.isAccessible).toBe(false)
      expect(verified.checks.at(-1)).toMatchObject({
        step,
        code: 'STORAGE_ACCESS_DENIED',
        details: { region: 'us-east-1' },
      })
    },
  )

  it('says that a file is missing', async () => {
    storage.reset(2, '404')
    expect((await verify(stack, 'analytics', 'robots')).checks.at(-1)).toMatchObject({
      step: 'data-file',
      code: 'OBJECT_MISSING',
    })
    storage.reset()
  })

  it('gives a table that is not there, or not allowed, one answer', async () => {
    expect(codes(await verify(stack, 'analytics', 'nothing'))).toEqual([['catalog', 'NO_SUCH_TABLE']])
    const outside = await stack.client.request('POST', '/namespaces/secret/tables/t/verify-storage-access')
    expect(outside.status).toBe(404)
  })

  it('fails closed where nothing was vended', async () => {
    await using bare = await startTestLake(['--demo-scale', '0.01', '--no-vended-credentials'])
    await using server = await startTestStack(bare)
    expect(codes(await verify(server, 'analytics', 'robots')).at(-1)).toEqual([
      'manifest-list',
      'CATALOG_CREDENTIALS_NOT_VENDED',
    ])
    expect(await server.client.outcome('SELECT * FROM iceberg.analytics.robots')).toBe(
      'CATALOG_CREDENTIALS_NOT_VENDED',
    )
  })

  it('runs from a shell with the same configuration', async () => {
    // The proxy in front of storage runs in this process, so the shell must not hold it up.
    const run = async (name: string): Promise<{ status: number | null; output: string }> => {
      const child = spawn(process.execPath, [join(ROOT, 'scripts/verify.ts'), name], {
        env: { ...lakeEnvironment(lake.ready), ...overrides() },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      let output = ''
      child.stdout.on('data', (part: Buffer) => (output += part.toString()))
      const [status] = (await once(child, 'close')) as [number | null]
      return { status, output }
    }
    const right = await run('analytics.robots')
    expect([right.status, right.output.match(/^ok /gm)?.length]).toEqual([0, 4])
    const missing = await run('analytics.nothing')
    expect([missing.status, missing.output.includes('NO_SUCH_TABLE')]).toEqual([1, true])
    expect((await run('nonsense')).status).toBe(1)
  })
})
