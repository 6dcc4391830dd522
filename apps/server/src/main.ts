// The server's process: configuration from the environment, one line when it listens, a clean end on SIGTERM.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '@lake/core/errors.ts'
import packageJson from '../package.json' with { type: 'json' }
import { createSecretResolver } from './catalog/secrets.ts'
import { processEnvironment, readConfig } from './config.ts'
import { createLogDestination, createLogger } from './observability/logger.ts'
import { startServer } from './server.ts'

const WEB_DIRECTORY = resolve(import.meta.dirname, '../../web/dist')

async function main(): Promise<void> {
  const environment = processEnvironment()
  const config = readConfig(environment)
  const server = await startServer({
    config,
    resolver: createSecretResolver(environment),
    logger: createLogger(config.logLevel, createLogDestination(process.stderr)),
    version: packageJson.version,
    webDirectory: existsSync(WEB_DIRECTORY) ? WEB_DIRECTORY : undefined,
  })
  process.stdout.write(`${JSON.stringify({ url: server.url, metricsUrl: server.metricsUrl })}\n`)
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    void server[Symbol.asyncDispose]().then(() => process.exit(0))
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

try {
  await main()
} catch (error) {
  process.stderr.write(
    `${error instanceof AppError ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  )
  process.exit(1)
}
