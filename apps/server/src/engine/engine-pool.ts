// The pool of engine processes: `enginesMax` warm ones that statements hold one at a time, and one for analysis.
//
// A process is idle (waiting in the pool), held (by one session), or resetting (its database and folder are made anew
// between statements). One that dies in any state is replaced; the permit to hold one returns only with a process that
// works, so whoever acquires next never sees another statement's failure.
import { mkdir } from 'node:fs/promises'
import { AppError, isAppError } from '@lake/core/errors.ts'
import { raceAbort, startDeadline } from '../concurrency/deadline.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { LIMITS } from '../limits.ts'
import { createAnalyst } from './analyst.ts'
import type { Engine, EngineSession } from './engine.ts'
import { startEngineClient, type EngineClient } from './engine-client.ts'
import { createSession } from './session.ts'

export interface EnginePoolOptions {
  /** Absolute path; created where missing. Each process gets a folder in it. */
  readonly scratchDirectory: string
  readonly enginesMax: number
  /** Of each engine process that runs statements. */
  readonly memoryBytesMax: number
  /** Scratch space of each process for sorts and joins that outgrow memory. */
  readonly spillBytesMax?: number
  readonly threads?: number
}

const never = new AbortController().signal

function createStarter(options: EnginePoolOptions) {
  const shared = {
    scratchDirectory: options.scratchDirectory,
    batchRowsMax: LIMITS.batchRowsMax,
    batchBytesMax: LIMITS.batchBytesMax,
  }
  const start = (role: 'session' | 'analysis'): Promise<EngineClient> => {
    const settings =
      role === 'session'
        ? {
            memoryBytesMax: options.memoryBytesMax,
            spillBytesMax: options.spillBytesMax ?? LIMITS.engineSpillBytesMax,
            threads: options.threads ?? LIMITS.engineThreadsMax,
          }
        : { memoryBytesMax: LIMITS.analysisMemoryBytesMax, spillBytesMax: 0, threads: 1 }
    const started = (async () => {
      using deadline = startDeadline(never, LIMITS.engineStartMs, 'Starting an engine process')
      return await startEngineClient({ ...shared, role, ...settings }, deadline.signal)
    })()
    // Whoever takes the process sees the failure; until then it must not count as unhandled.
    started.catch(() => undefined)
    return started
  }
  return start
}

/** A process made as new: fresh database, empty folder. @returns false when it had to be given up */
async function reset(client: EngineClient): Promise<boolean> {
  if (!client.isAlive) return false
  try {
    using deadline = startDeadline(never, LIMITS.engineResetMs, 'Resetting an engine process')
    await client.request({ kind: 'reset' }, deadline.signal)
    await client.clear()
    return client.isAlive
  } catch {
    client.kill()
    return false
  }
}

/** Starts the processes and waits for the first of each kind. Dispose it to end them all. */
export async function createEnginePool(options: EnginePoolOptions): Promise<Engine> {
  await mkdir(options.scratchDirectory, { recursive: true })
  const start = createStarter(options)
  const known = new Set<Promise<EngineClient>>()
  let isClosed = false

  const track = (started: Promise<EngineClient>): Promise<EngineClient> => {
    known.add(started)
    void started.then(
      (client) => client.exited.then(() => known.delete(started)),
      () => known.delete(started),
    )
    return started
  }

  const idle: Promise<EngineClient>[] = []
  const addIdle = (started: Promise<EngineClient>): void => {
    idle.push(started)
  }
  for (let index = 0; index < options.enginesMax; index += 1) addIdle(track(start('session')))
  let analysis = track(start('analysis'))

  const sessions = createSemaphore({
    permitsMax: options.enginesMax,
    waitingMax: LIMITS.engineQueueMax,
    name: 'an engine process',
  })

  const takeIdle = async (signal: AbortSignal): Promise<EngineClient> => {
    const started = idle.shift() ?? track(start('session'))
    let client: EngineClient
    try {
      client = await raceAbort(started, signal)
    } catch (error) {
      // An aborted wait leaves the process for the next; a failed start leaves its place to a new one.
      addIdle(signal.aborted ? started : track(start('session')))
      throw error
    }
    if (client.isAlive) return client
    return await track(start('session'))
  }

  const acquire = async (signal: AbortSignal): Promise<EngineSession> => {
    if (isClosed) throw new AppError('BUSY', 'The server is stopping')
    const permit = await waitForPermit(sessions, signal)
    let client: EngineClient
    try {
      client = await takeIdle(signal)
    } catch (error) {
      permit()
      throw error
    }
    return createSession(client, {
      async release() {
        const isReusable = !isClosed && (await reset(client))
        if (!isReusable) client.kill()
        if (!isClosed) addIdle(isReusable ? Promise.resolve(client) : track(start('session')))
        permit()
      },
    })
  }

  const analyst = createAnalyst({
    semaphore: createSemaphore({
      permitsMax: 1,
      waitingMax: LIMITS.engineQueueMax,
      name: 'the analysis of statements',
    }),
    async client(signal) {
      const client = await raceAbort(analysis, signal).catch((error: unknown) => {
        if (!signal.aborted) analysis = track(start('analysis'))
        throw error
      })
      if (client.isAlive) return client
      analysis = track(start('analysis'))
      return await raceAbort(analysis, signal)
    },
  })

  const { version } = await analysis
  return {
    name: `DuckDB ${version}`,
    analyst,
    acquire,
    async [Symbol.asyncDispose]() {
      isClosed = true
      const started = await Promise.allSettled(known)
      await Promise.all(
        started.map(async (outcome) => {
          if (outcome.status === 'rejected') return
          outcome.value.kill()
          await outcome.value.exited
        }),
      )
    },
  }
}

async function waitForPermit(
  sessions: ReturnType<typeof createSemaphore>,
  signal: AbortSignal,
): Promise<() => void> {
  using deadline = startDeadline(signal, LIMITS.engineQueueWaitMs, 'Waiting for an engine process')
  try {
    return await sessions.acquire(deadline.signal)
  } catch (error) {
    if (signal.aborted || !isAppError(error, 'DEADLINE_EXCEEDED')) throw error
    throw new AppError('BUSY', 'All engine processes are taken', {
      cause: error,
      details: { retryAfterMs: 1_000 },
    })
  }
}
