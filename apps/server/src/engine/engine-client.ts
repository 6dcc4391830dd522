// One engine process as the server holds it: started with an empty environment and a folder of its own, asked over IPC,
// stopped by interrupt and then by SIGKILL. Knows nothing of statements; session.ts and analyst.ts do.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '@lake/core/errors.ts'
import { abortError, throwIfAborted } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'
import { engineError } from './engine-errors.ts'
import { SPILL_FOLDER, type EngineLaunch } from './engine-launch.ts'
import { createFrameReader, type ReadFrame } from './frame-reader.ts'
import type { EngineRequest, EngineSettings, FromEngine, StartAnswer, ToEngine } from './protocol.ts'

export interface EngineClient {
  /** The process's own folder. */
  readonly directory: string
  readonly version: string
  readonly isAlive: boolean
  /** Settles when the process is gone. */
  readonly exited: Promise<void>
  /** Aborts with ENGINE_FAILED as soon as the process is gone, before its folder is removed. */
  readonly lost: AbortSignal
  readonly readFrame: ReadFrame
  /**
   * Asks and waits for the answer. When `signal` aborts, the process is interrupted and, after
   * LIMITS.engineInterruptGraceMs without an answer, killed; either way the wait ends with the signal's error.
   *
   * @param sql the text that positions of errors count in
   */
  request(request: EngineRequest, signal: AbortSignal, sql?: string): Promise<unknown>
  interrupt(): void
  kill(): void
  /** Whether its database has something on the disk. */
  hasSpilled(): Promise<boolean>
  /** Empties the folder, and that for spilling in it. */
  clear(): Promise<void>
}

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
}

const STDERR_LENGTH_MAX = 2_000

function spawnProcess(command: readonly string[], directory: string): ChildProcess {
  const [file = '', ...args] = command
  return spawn(file, args, {
    cwd: directory,
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc'],
  })
}

function processFailed(stderr: string, how: string): AppError {
  return new AppError('ENGINE_FAILED', 'The engine process that ran the statement ended', {
    cause: new Error(`${how}: ${stderr}`),
  })
}

/** Starts a process with an open, locked database. @throws AppError ENGINE_FAILED, CANCELLED */
export async function startEngineClient(
  options: Omit<EngineSettings, 'directory'> & {
    readonly scratchDirectory: string
    readonly launch: EngineLaunch
  },
  signal: AbortSignal,
): Promise<EngineClient> {
  const { scratchDirectory, launch, ...rest } = options
  const directory = join(scratchDirectory, `engine-${randomUUID()}`)
  await launch.prepare(directory)
  const child = spawnProcess(launch.command(rest), directory)
  const client = createClient(child, directory, launch)
  try {
    if (child.pid !== undefined) await launch.settle(child.pid)
    const request = { kind: 'start', settings: { ...rest, directory } } as const
    const started = (await client.request(request, signal)) as StartAnswer
    return Object.assign(client, { version: started.version })
  } catch (error) {
    client.kill()
    throw error
  }
}

/** Questions to a process that wait for their answers; all fail when the process is gone. */
function createCalls(child: ChildProcess) {
  const pending = new Map<number, Pending>()
  let nextId = 1
  child.on('message', (message: FromEngine) => {
    const waiting = pending.get(message.id)
    pending.delete(message.id)
    if (message.ok) waiting?.resolve(message.value)
    else waiting?.reject(Object.assign(new Error(message.error.message), { raw: message.error }))
  })
  return {
    send(message: ToEngine) {
      if (child.connected) child.send(message, () => undefined)
    },
    ask(request: EngineRequest): Promise<unknown> {
      const id = nextId
      nextId += 1
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject })
        this.send({ id, request })
      })
    },
    fail(error: Error) {
      for (const waiting of pending.values()) waiting.reject(error)
      pending.clear()
    },
  }
}

function createClient(child: ChildProcess, directory: string, launch: EngineLaunch): EngineClient {
  const calls = createCalls(child)
  const lost = new AbortController()
  let isAlive = true
  let stderr = ''
  child.stderr?.on('data', (data: Buffer) => {
    stderr = (stderr + data.toString()).slice(-STDERR_LENGTH_MAX)
  })
  const exited = new Promise<void>((resolve) => {
    const onGone = (how: string): void => {
      if (!isAlive) return
      isAlive = false
      const failed = processFailed(stderr, how)
      lost.abort(failed)
      calls.fail(failed)
      void rm(directory, { recursive: true, force: true })
        .catch(() => undefined)
        .then(resolve)
    }
    child.once('exit', (code, signalName) => {
      onGone(`exit ${String(code ?? signalName)}`)
    })
    child.once('error', (error) => {
      onGone(error.message)
    })
  })
  const kill = (): void => {
    child.kill('SIGKILL')
  }

  return {
    directory,
    version: '',
    get isAlive() {
      return isAlive
    },
    exited,
    lost: lost.signal,
    readFrame: createFrameReader(child.stdio[3] as Readable),
    async request(request, signal, sql) {
      throwIfAborted(signal)
      if (!isAlive) throw processFailed(stderr, 'not running')
      let grace: NodeJS.Timeout | undefined
      const onAbort = (): void => {
        calls.send({ interrupt: true })
        grace = setTimeout(kill, LIMITS.engineInterruptGraceMs)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        return await calls.ask(request)
      } catch (error) {
        if (signal.aborted) throw abortError(signal)
        throw translated(error, sql)
      } finally {
        clearTimeout(grace)
        signal.removeEventListener('abort', onAbort)
      }
    },
    interrupt() {
      calls.send({ interrupt: true })
    },
    kill,
    ...createFolder(directory, launch),
  }
}

/** The folder of a process. */
function createFolder(directory: string, launch: EngineLaunch): Pick<EngineClient, 'hasSpilled' | 'clear'> {
  const spilledNames = async (): Promise<string[]> =>
    await readdir(join(directory, SPILL_FOLDER)).catch(() => [])
  return {
    async hasSpilled() {
      return (await spilledNames()).length > 0
    },
    async clear() {
      const spilled = (await spilledNames()).map((name) => join(SPILL_FOLDER, name))
      const others = (await readdir(directory)).filter((name) => name !== SPILL_FOLDER)
      for (const name of [...spilled, ...others])
        await rm(join(directory, name), { recursive: true, force: true })
      await launch.prepare(directory)
    },
  }
}

function translated(error: unknown, sql: string | undefined): Error {
  if (error instanceof Error && 'raw' in error) {
    return engineError(error.raw as Parameters<typeof engineError>[0], sql)
  }
  return error as Error
}
