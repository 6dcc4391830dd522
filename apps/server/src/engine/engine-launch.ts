// How an engine process is started, so that it can do no more than it must, as far as the platform lets it:
//
// - without any network but an empty one of its own (`unshare`, of util-linux);
// - without capabilities, and without any way to gain privileges (`setpriv`, of util-linux);
// - as another user, where one is configured and the server may change users;
// - within bounds of its own: memory that it maps, open files, the size of a file, no core dumps (`prlimit`, of util-linux);
// - gone when the server is gone, and the first to go where the machine runs out of memory.
//
// JavaScript in it reads the program's files and writes none, by Node's permission model; native code has the engine's own
// lockdown (`database.ts`). What the platform lacks is said at start. Time is bounded by deadlines and a kill, not by a limit
// of CPU seconds: a process serves many statements.
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import type { EngineSettings } from './protocol.ts'

/** A user and a group of the system, by number. */
export interface EngineUser {
  readonly uid: number
  readonly gid: number
}

export interface EngineLaunch {
  /** What the platform does not allow, in words; empty where an engine process is confined as described. */
  readonly missing: readonly string[]
  /** The program and its arguments. */
  command(settings: Pick<EngineSettings, 'memoryBytesMax' | 'spillBytesMax' | 'threads'>): readonly string[]
  /** Makes the folder of a process, or makes it as new: nobody else has access to it. */
  prepare(directory: string): Promise<void>
  /** What only the outside can do for a process that runs. */
  settle(pid: number): Promise<void>
}

const PROCESS_FILE = fileURLToPath(new URL('./engine-process.ts', import.meta.url))
const PROGRAM_FOLDER = join(dirname(PROCESS_FILE), '../../../..')
/** No capability at all, and no program that gives any. */
const WITHOUT_PRIVILEGES = ['--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all']
/** As who may make networks, or in a namespace of users in which everybody may; that gives nothing outside of it. */
const WITHOUT_NETWORK = [
  ['unshare', '--net', '--'],
  ['unshare', '--user', '--map-current-user', '--net', '--'],
]
/** May be more than the server has. */
const WITHOUT_BOUNDING = ['--bounding-set=-all']
const OOM_SCORE = 500
/** In the folder of a process. */
export const SPILL_FOLDER = 'spill'

/** @throws AppError INVALID_REQUEST where the server may not start processes as `user` */
export async function planEngineLaunch(user: EngineUser | undefined): Promise<EngineLaunch> {
  const limits = await readHardLimits()
  const setpriv = await findSetpriv(user)
  const unshare = await findFirst(WITHOUT_NETWORK)
  const missing: string[] = []
  if (setpriv === undefined && user !== undefined)
    throw new AppError(
      'INVALID_REQUEST',
      'LAKE_ENGINE_USER needs setpriv (util-linux), and root or CAP_SETUID, CAP_SETGID, CAP_KILL and the group',
    )
  // Excerpts are written by the server and read by the other user; the folders around them are closed.
  if (user !== undefined && (process.umask() & 0o004) !== 0)
    throw new AppError(
      'INVALID_REQUEST',
      'LAKE_ENGINE_USER needs a umask that lets others read, such as 0022',
    )
  if (setpriv === undefined) missing.push('engine processes keep the privileges of the server (no setpriv)')
  if (unshare === undefined) missing.push('engine processes keep the network of the server (no namespaces)')
  if (limits === undefined) missing.push('engine processes have no limits of their own (no prlimit)')
  return {
    missing,
    command: (settings) => [
      ...(limits === undefined ? [] : prlimit(settings, limits)),
      ...(unshare ?? []),
      ...(setpriv ?? []),
      process.execPath,
      ...nodeArguments(),
    ],
    async prepare(directory) {
      await mkdir(directory, { recursive: true })
      await chmod(directory, user === undefined ? 0o700 : 0o770)
      if (user === undefined) return
      await chmod(dirname(directory), 0o711)
      await chown(directory, process.geteuid?.() ?? 0, user.gid)
      // Its own files are in a folder of the server's, which therefore can remove them.
      const spill = join(directory, SPILL_FOLDER)
      await mkdir(spill, { recursive: true })
      await chmod(spill, 0o770)
      await chown(spill, process.geteuid?.() ?? 0, user.gid)
    },
    async settle(pid) {
      await writeFile(`/proc/${pid}/oom_score_adj`, String(OOM_SCORE)).catch(() => undefined)
    },
  }
}

function nodeArguments(): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    '--permission',
    '--allow-addons',
    ...programFolders().map((folder) => `--allow-fs-read=${folder}/*`),
    `--max-old-space-size=${LIMITS.engineHeapMib}`,
    PROCESS_FILE,
  ]
}

/** Of the sources, and of the packages where they are somewhere else. */
function programFolders(): string[] {
  const bindings = fileURLToPath(import.meta.resolve('@duckdb/node-bindings'))
  const packages = bindings.slice(0, bindings.lastIndexOf('/node_modules/'))
  return [...new Set([PROGRAM_FOLDER, packages])]
}

interface HardLimits {
  readonly dataBytes: number
  readonly fileBytes: number
  readonly openFiles: number
}

/** What the server itself has: a process cannot be given more. undefined where there are no such limits to set. */
async function readHardLimits(): Promise<HardLimits | undefined> {
  try {
    await promisify(execFile)('prlimit', ['--core=0:0', '--', 'true'], { env: {} })
    const text = await readFile('/proc/self/limits', 'utf8')
    const hard = (name: string): number => {
      const value = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(text)?.[1] ?? 'unlimited'
      return value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value)
    }
    return {
      dataBytes: hard('Max data size'),
      fileBytes: hard('Max file size'),
      openFiles: hard('Max open files'),
    }
  } catch {
    return undefined
  }
}

function prlimit(
  settings: Pick<EngineSettings, 'memoryBytesMax' | 'spillBytesMax' | 'threads'>,
  hard: HardLimits,
): string[] {
  const dataBytes =
    settings.memoryBytesMax * LIMITS.engineDataShareMax +
    LIMITS.engineDataBytes +
    settings.threads * LIMITS.engineThreadDataBytes
  const set = (name: string, value: number): string => `--${name}=${value}:${value}`
  return [
    'prlimit',
    set('core', 0),
    set('data', Math.min(dataBytes, hard.dataBytes)),
    set('fsize', Math.min(Math.max(settings.spillBytesMax, LIMITS.engineFileBytesMin), hard.fileBytes)),
    set('nofile', Math.min(LIMITS.engineOpenFilesMax, hard.openFiles)),
    '--',
  ]
}

/** As much of it as is allowed here; undefined where it is not there. */
async function findSetpriv(user: EngineUser | undefined): Promise<readonly string[] | undefined> {
  const asUser = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  const always = ['setpriv', ...asUser, ...WITHOUT_PRIVILEGES, '--pdeathsig=KILL']
  return await findFirst([
    [...always, ...WITHOUT_BOUNDING, '--'],
    [...always, '--'],
  ])
}

/** The first of these that starts another program here; undefined where none does. */
async function findFirst(ways: readonly (readonly string[])[]): Promise<readonly string[] | undefined> {
  for (const [file, ...args] of ways) {
    if (file === undefined) continue
    try {
      await promisify(execFile)(file, [...args, 'true'], { env: {} })
      return [file, ...args]
    } catch {
      // The next asks for less.
    }
  }
  return undefined
}
