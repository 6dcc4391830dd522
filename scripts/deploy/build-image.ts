// Builds deploy/Containerfile with buildah, without a container engine and without a registry of images: the base image that it
// names is stood in for by one made here, of Debian's packages, the pinned Node and npm. Storage is a folder of its own.
import { existsSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, hasCommand, run, say } from '../interop/commands.ts'
import { ROOT } from '../programs.ts'

const BASE_IMAGE = 'docker.io/library/node:24-bookworm-slim'
const NODE_USER = '1000'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const NPM_VERSION = '11.21.2'

export interface ImageConfig {
  readonly User: string
  readonly WorkingDir: string
  readonly Env: readonly string[]
  readonly Cmd: readonly string[]
  readonly Healthcheck: { readonly Test: readonly string[] }
}

export interface BuiltImage extends AsyncDisposable {
  /** Its root file system, mounted. */
  readonly rootFolder: string
  readonly config: ImageConfig
}

export function whyNoBuild(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root'
  const missing = ['buildah', 'debootstrap', 'unshare', 'ip', 'npm'].filter((name) => !hasCommand(name))
  return missing.length === 0 ? undefined : `there is no ${missing.join(', no ')}`
}

/** @param folder for buildah's storage; removed by the caller */
export async function buildImage(folder: string): Promise<BuiltImage> {
  const storage = [
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'overlay',
  ]
  const buildah = async (...args: string[]): Promise<string> =>
    (await run('buildah', [...storage, ...args])).trim()
  const base = await makeBase()
  const scratch = await buildah('from', 'scratch')
  await buildah('add', '--quiet', scratch, base, '/')
  await buildah(
    'config',
    '--env',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    scratch,
  )
  await buildah('commit', '--quiet', '--rm', scratch, BASE_IMAGE)
  say(`a base image was made in place of ${BASE_IMAGE}`)
  const context = await exportSources(join(folder, 'context'))
  const file = join(context, 'deploy/Containerfile')
  const how = ['--isolation', 'chroot', '--pull-never', '--format', 'docker', '--quiet']
  await buildah('build', ...how, '-f', file, '-t', 'lake-workbench', context)
  const inspected = JSON.parse(await buildah('inspect', '--type', 'image', 'lake-workbench')) as {
    Docker: { config: ImageConfig }
  }
  const container = await buildah('from', '--pull-never', 'lake-workbench')
  return {
    rootFolder: await buildah('mount', container),
    config: inspected.Docker.config,
    [Symbol.asyncDispose]: async () => {
      await buildah('umount', container)
    },
  }
}

/** The root file system of the base, kept between runs. */
async function makeBase(): Promise<string> {
  const folder = join(cacheFolder('deploy'), 'base')
  if (existsSync(join(folder, 'complete'))) return folder
  await rm(folder, { recursive: true, force: true })
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', folder])
  const local = join(folder, 'usr/local')
  await copyFile(process.execPath, join(local, 'bin/node'))
  await chmod(join(local, 'bin/node'), 0o755)
  await run('npm', [
    'install',
    '--prefix',
    join(local, 'lib'),
    '--no-audit',
    '--no-fund',
    `npm@${NPM_VERSION}`,
  ])
  await run('ln', ['-sf', '../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm')])
  // Where packages come from on this machine, and whom it trusts, for the build alone.
  await cp(CERTIFICATES, join(folder, CERTIFICATES))
  const npmrc = await readFile(join(homedir(), '.npmrc'), 'utf8').catch(() => '')
  await writeFile(join(folder, 'root/.npmrc'), `${npmrc}\ncafile=${CERTIFICATES}\n`)
  await run('chroot', [folder, 'useradd', '--uid', NODE_USER, '--create-home', 'node'])
  await mkdir(join(folder, 'complete'))
  return folder
}

/** The committed files, as a fresh clone has them. */
async function exportSources(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const files = (await run('git', ['-C', ROOT, 'ls-files', '-z'])).split('\0').filter((name) => name !== '')
  for (const name of files) if (existsSync(join(ROOT, name))) await cp(join(ROOT, name), join(folder, name))
  return folder
}
