// Installs what a fresh checkout lacks. Plain JavaScript without dependencies: it runs on the system's Node (20 or
// later) before the pinned one is there.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname ?? '.', '..')
const STAMP = join(ROOT, 'node_modules', '.lake-lock-hash')
const CHROMIUMS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/** The pinned Node, which runs TypeScript from source. */
export const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node')

/** Runs `npm ci` where the lock file differs from what was installed last. */
export function installDependencies() {
  const hash = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')
  if (existsSync(NODE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return
  process.stderr.write('Installing dependencies (npm ci)…\n')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'The dependencies could not be installed')
  writeFileSync(STAMP, hash)
}

/** Path of a Chromium, installed by the system's package manager where none is found. */
export function installChromium() {
  const found = findChromium()
  if (found) return found
  process.stderr.write('Installing a Chromium for the browser tests…\n')
  const isRoot = process.getuid?.() === 0
  const apt = (...args) =>
    run(isRoot ? 'apt-get' : 'sudo', isRoot ? args : ['-n', 'apt-get', ...args], 'apt-get failed')
  if (existsSync('/usr/bin/apt-get')) {
    apt('update', '-qq')
    apt('install', '-y', '-qq', '--no-install-recommends', 'chromium')
  }
  const installed = findChromium()
  if (installed) return installed
  throw new Error('No Chromium was found or could be installed: set CHROMIUM_PATH to one')
}

const PARENT_CHECKED_EVERY_MS = 500

/**
 * Runs a TypeScript program on the pinned Node and resolves to its exit code; signals are handed on. npm hands its own to the
 * shell between them, which dies of it and says nothing: so the program also ends when its parent is another one.
 */
export function runProgram(script, args, env = {}) {
  const child = spawn(NODE, [join(ROOT, script), ...args], {
    stdio: 'inherit',
    cwd: ROOT,
    env: { ...process.env, ...env },
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  const parent = process.ppid
  const check = () => process.ppid !== parent && child.kill('SIGTERM')
  setInterval(check, PARENT_CHECKED_EVERY_MS).unref()
  return new Promise((done) => child.once('exit', (code) => done(code ?? 1)))
}

function findChromium() {
  return [process.env.CHROMIUM_PATH, ...CHROMIUMS].find((path) => path && existsSync(path))
}

function run(command, args, failure) {
  // Standard output stays the caller's own: what is installed speaks on standard error.
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`${failure} (${command} ${args.join(' ')})`)
}
