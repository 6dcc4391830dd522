// Apache Iceberg's own REST catalog (catalog/RestCatalogProgram.java) as a child of this process, over an S3 server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { S3Keys } from '../../apps/server/test/contracts/s3-contract.ts'
import { cacheFolder, hasCommand, mavenClasspath, PLAIN_CHECKSUMS, run } from './commands.ts'
import { stop } from '../programs.ts'

export interface JavaCatalog extends AsyncDisposable {
  /** Of the catalog that vends credentials and does not say where the store is, and of the one that does. */
  readonly bare: string
  readonly addressed: string
}

/** Why the catalog cannot be started here; undefined where it can. */
export function whyNoJavaCatalog(): string | undefined {
  const missing = ['java', 'javac', 'mvn'].filter((name) => !hasCommand(name))
  return missing.length === 0 ? undefined : `${missing.join(', ')} not found`
}

export async function startJavaCatalog(store: {
  readonly endpoint: string
  readonly warehouse: string
  readonly keys: S3Keys
}): Promise<JavaCatalog> {
  const folder = join(import.meta.dirname, 'catalog')
  const classpath = readFileSync(await mavenClasspath(join(folder, 'pom.xml'), 'catalog'), 'utf8')
  const classes = cacheFolder('catalog/classes')
  await run('javac', ['-d', classes, '-cp', classpath, join(folder, 'RestCatalogProgram.java')])
  const { accessKeyId, secretAccessKey, sessionToken } = store.keys
  const program = 'org.apache.iceberg.rest.RestCatalogProgram'
  const child = spawn('java', ['-Xmx512m', '-cp', `${classes}:${classpath}`, program], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ...PLAIN_CHECKSUMS,
      S3_ENDPOINT: store.endpoint,
      S3_WAREHOUSE: store.warehouse,
      S3_KEY: accessKeyId,
      S3_SECRET: secretAccessKey,
      ...(sessionToken === undefined ? {} : { S3_TOKEN: sessionToken }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit').then(() => undefined)
  const first = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exit])
  if (!first) throw new Error('the REST catalog ended before it was ready')
  const { bare, addressed } = JSON.parse(String(first[0])) as { bare: string; addressed: string }
  return { bare, addressed, [Symbol.asyncDispose]: async () => await stop(child) }
}
