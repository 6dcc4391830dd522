// The local lake as a program: flags in, one JSON line on stdout when it can be used, logs on stderr, a clean end on
// SIGTERM and SIGINT. The end of stdin means nothing.
import { parseArgs } from 'node:util'
import { startLocalLake } from './local-lake.ts'
import type { LocalLakeOptions } from './local-lake.ts'

const log = (message: string): void => {
  process.stderr.write(`${message}\n`)
}

async function main(): Promise<void> {
  const lake = await startLocalLake({ ...readFlags(process.argv.slice(2)), log })
  const { restEndpoint, s3Endpoint, warehouse, namespaces, token } = lake
  process.stdout.write(`${JSON.stringify({ restEndpoint, s3Endpoint, warehouse, namespaces, token })}\n`)
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      lake.close().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      )
    })
}

function readFlags(args: string[]): LocalLakeOptions {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      'rest-port': { type: 'string' },
      's3-port': { type: 'string' },
      corpus: { type: 'string' },
      'commit-every': { type: 'string' },
      'no-demo': { type: 'boolean' },
      'no-vended-credentials': { type: 'boolean' },
      'no-storage-address': { type: 'boolean' },
      anonymous: { type: 'boolean' },
      'demo-scale': { type: 'string' },
      's3-access-key': { type: 'string' },
      's3-secret-key': { type: 'string' },
    },
  })
  if (values.data === undefined) throw new Error('--data DIR is required')
  const accessKeyId = values['s3-access-key']
  const secretAccessKey = values['s3-secret-key']
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new Error('--s3-access-key and --s3-secret-key go together')
  const every = values['commit-every']
  if (every !== undefined && readNumber('commit-every', every) === 0)
    throw new Error('--commit-every must be above 0')
  return {
    dataFolder: values.data,
    restPort: readNumber('rest-port', values['rest-port'] ?? '0'),
    s3Port: readNumber('s3-port', values['s3-port'] ?? '0'),
    corpusFolder: values.corpus,
    commitEverySeconds: every === undefined ? undefined : readNumber('commit-every', every),
    demoScale: values['no-demo'] === true ? 0 : readNumber('demo-scale', values['demo-scale'] ?? '1'),
    isVendingCredentials: values['no-vended-credentials'] !== true,
    isStorageAddressServed: values['no-storage-address'] !== true,
    isAnonymousAllowed: values.anonymous === true,
    rootCredentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey },
  }
}

function readNumber(flag: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new Error(`--${flag} must be a number, not ${JSON.stringify(text)}`)
  return value
}

function fail(error: unknown): void {
  log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exit(1)
}

main().catch(fail)
