// A token that is rotated while statements run, over the real local lake behind a gate that takes only the newest one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startCatalogProxy } from './support/catalog-proxy.ts'
import { startTestLake, startTestStack } from './support/test-stack.ts'

it('[CF9] [CC1] a rotated token costs no failure and no cached chunk', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rotation-'))
  const tokenFile = join(folder, 'token')
  let newest = ''
  const rotate = async (text: string): Promise<void> => {
    newest = text
    await writeFile(tokenFile, text)
  }
  await rotate('first')
  await using lake = await startTestLake(['--demo-scale', '0.01'])
  await using gate = await startCatalogProxy(lake.ready.restEndpoint, async ({ headers }, pass) =>
    headers.authorization === `Bearer ${newest}`
      ? await pass({ authorization: `Bearer ${lake.ready.token}` })
      : { status: 401, body: { error: { message: 'no', type: 'NotAuthorizedException', code: 401 } } },
  )
  try {
    await using stack = await startTestStack(lake, {
      LAKE_ICEBERG_REST_ENDPOINT: gate.url.href,
      LAKE_ICEBERG_REST_TOKEN: JSON.stringify({ secret_ref: `file:${tokenFile}` }),
      LAKE_CACHE_DIR: join(folder, 'cache'),
    })
    const read = async (): Promise<[number, number | undefined]> => {
      const { rowCount, receipt } = await stack.client.query('SELECT * FROM iceberg.analytics.robots')
      return [rowCount, receipt?.tables[0]?.scan?.bytesRead]
    }
    const [rowCount, coldBytes] = await read()
    expect(coldBytes).toBeGreaterThan(0)
    const [, warmBytes] = await read()
    await rotate('second')
    gate.tableCalls.length = 0
    expect(await read()).toEqual([rowCount, warmBytes])
    expect(gate.tableCalls[0]).toMatch(/^401/)
    expect(gate.tableCalls.filter((call) => call.startsWith('401'))).toHaveLength(1)
    expect(warmBytes).toBeLessThan(coldBytes ?? 0)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
