// `npm run verify -- ns.table`: checks access to a table's files with the configuration in the environment, the way that
// queries take. Prints a line a step; exits 1 when one fails.
import { AppError } from '@lake/core/errors.ts'
import { createSecretResolver } from '../apps/server/src/catalog/secrets.ts'
import { processEnvironment, readConfig } from '../apps/server/src/config.ts'
import { verifyTable } from '../apps/server/src/server.ts'

const name = (process.argv[2] ?? '').replace(/^iceberg\./, '')
const dot = name.lastIndexOf('.')

try {
  if (dot < 1) throw new AppError('INVALID_REQUEST', 'Usage: npm run verify -- namespace.table')
  const environment = processEnvironment()
  const config = readConfig(environment)
  const namespace = config.iceberg?.namespaces.find((levels) => levels.join('.') === name.slice(0, dot))
  if (!namespace)
    throw new AppError('NO_SUCH_NAMESPACE', `${name.slice(0, dot)} is not in LAKE_ICEBERG_NAMESPACES`)
  const options = { config, resolver: createSecretResolver(environment) }
  const { isAccessible, checks } = await verifyTable(
    { namespace, table: name.slice(dot + 1) },
    options,
    AbortSignal.timeout(60_000),
  )
  for (const { step, code, message, path, elapsedMs } of checks) {
    process.stdout.write(
      `${(code ?? 'ok').padEnd(32)}${step.padEnd(16)}${Math.round(elapsedMs)} ms  ${message ?? path ?? ''}\n`,
    )
  }
  process.exitCode = isAccessible ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof AppError ? `${error.code}: ${error.message}` : String(error)}\n`)
  process.exitCode = 1
}
