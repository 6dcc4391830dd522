// Runs the programs that the interop commands need, and says what became of each step.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where downloads are kept between runs, outside of the repository. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'lake-workbench', 'interop')

/** For writers: Ceph answers 400 or 411 to the checksum trailers that newer S3 SDKs send by default. */
export const PLAIN_CHECKSUMS = {
  AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_REQUIRED',
  AWS_RESPONSE_CHECKSUM_VALIDATION: 'WHEN_REQUIRED',
}

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** The folder of that name in the cache. */
export function cacheFolder(name: string): string {
  const path = join(CACHE, name)
  mkdirSync(path, { recursive: true })
  return path
}

export function hasCommand(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0
}

/** Runs a program to its end and gives what it printed. Throws where it fails, with the end of what it said. */
export async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === 0) return output
  throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${(errors || output).slice(-2_000)}`)
}

/** Runs a program with its output shown; true where it succeeds. */
export async function show(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Asks again and again until the answer is yes; throws when the time is over. */
export async function until(what: string, ask: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const endMs = Date.now() + withinMs
  while (Date.now() < endMs) {
    if (await ask().catch(() => false)) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`${what}: not within ${withinMs / 1_000} s`)
}

/** A file with the class path of a Maven project; its dependencies are in Maven's own cache then. */
export async function mavenClasspath(pom: string, name: string): Promise<string> {
  const file = join(cacheFolder(name), 'classpath')
  await run('mvn', ['-q', '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${file}`])
  return file
}

/** A Python of its own with these packages, kept in the cache. */
export async function pythonWith(packages: readonly string[]): Promise<string> {
  const folder = cacheFolder('venv')
  const python = join(folder, 'bin/python')
  if (!existsSync(python)) await run('python3', ['-m', 'venv', folder])
  await run(python, ['-m', 'pip', 'install', '-q', ...packages])
  return python
}
