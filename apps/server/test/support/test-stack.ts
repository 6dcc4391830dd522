// The real stack for tests: the local lake as a process of its own, the server in this process, and a client.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PruningSwitches } from '@lake/core/scan/table-scan.ts'
import { lakeEnvironment, startProgram, type LakeReady } from '../../../../scripts/programs.ts'
import { readConfig } from '../../src/config.ts'
import { createSecretResolver } from '../../src/catalog/secrets.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { startServer } from '../../src/server.ts'
import { copyDemoTables } from './demo-lake.ts'
import { createTestClient, type TestClient } from './test-client.ts'

export interface TestStack extends AsyncDisposable {
  readonly lake: LakeReady
  readonly url: string
  readonly metricsUrl: string | undefined
  readonly client: TestClient
  /** The server's log, one parsed line each. */
  readonly log: Record<string, unknown>[]
}

export interface TestLake extends AsyncDisposable {
  readonly ready: LakeReady
  readonly directory: string
}

/** @param args the local lake's, besides `--data` */
export async function startTestLake(args: readonly string[]): Promise<TestLake> {
  const directory = await mkdtemp(join(tmpdir(), 'lake-test-'))
  await copyDemoTables(args, directory)
  const lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', ['--data', directory, ...args], {
    env: {},
  })
  return {
    ready: lake.ready,
    directory,
    async [Symbol.asyncDispose]() {
      await lake[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A server on `lake` with `env` over the lake's own variables. */
export async function startTestStack(
  lake: Pick<TestLake, 'ready'>,
  env: Readonly<Record<string, string>> = {},
  pruning?: PruningSwitches,
): Promise<TestStack> {
  const log: Record<string, unknown>[] = []
  const environment = {
    LAKE_HTTP_ADDR: '127.0.0.1:0',
    LAKE_ENGINES_MAX: env['LAKE_STATE_URL'] === undefined ? '1' : '2',
    ...lakeEnvironment(lake.ready),
    ...env,
  }
  const server = await startServer({
    config: readConfig(environment),
    resolver: createSecretResolver({}),
    logger: createLogger('debug', { write: (line) => log.push(JSON.parse(line) as Record<string, unknown>) }),
    version: 'test',
    webDirectory: undefined,
    ...(pruning ? { pruning } : {}),
  })
  return {
    lake: lake.ready,
    url: server.url,
    metricsUrl: server.metricsUrl,
    client: createTestClient(server.url),
    log,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
    },
  }
}
