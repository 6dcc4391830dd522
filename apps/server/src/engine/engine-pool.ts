// The pool of engine processes: `enginesMax` warm ones that statements hold one at a time, and one for analysis.
//
// A process is idle (waiting in the pool), held (by one session), or resetting (what a statement left is taken away before
// the next). One that dies in any state is replaced; the permit to hold one returns only with a process that
// works, so whoever acquires next never sees another statement's failure.
import { mkdir } from 'node:fs/promises'
import { assertDefined } from '@lake/core/assert.ts'
import { AppError, isAppError } from '@lake/core/errors.ts'
import { raceAbort, startDeadline } from '../concurrency/deadline.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { LIMITS } from '../limits.ts'
import { createAnalyst, type AnalysisProcess } from './analyst.ts'
import type { Engine } from './engine.ts'
import { startEngineClient, type EngineClient } from './engine-client.ts'
import { planEngineLaunch, type EngineLaunch } from './engine-launch.ts'
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
  /** Statements that one database serves at most. */
  readonly renewalsMax?: number
  /** How processes are started; as confined as the platform allows where absent. */
  readonly launch?: EngineLaunch
}

const never = new AbortController().signal

/**
 * All but one: people who wait find one soon, however long background statements run. So none run where there is only
 * one, which config.ts refuses.
 */
export function backgroundEnginesMax(enginesMax: number): number {
  return enginesMax - 1
}

function createStarter(options: EnginePoolOptions, launch: EngineLaunch): Start {
  const shared = {
    launch,
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

/** Puts processes into the state in which they began. */
type Reset = (client: EngineClient) => Promise<boolean>

/**
 * A process made as new: fresh connection and catalogs, empty folder. Opening a database costs more than most statements
 * do, so it is replaced only where something may have been left in it: a statement failed, was stopped or spilled, or
 * `renewalsMax` have gone well. The outcome is false when the process had to be given up.
 */
function createReset(renewalsMax: number = LIMITS.engineRenewalsMax): Reset {
  const servedCounts = new WeakMap<EngineClient, number>()
  return async (client) => {
    if (!client.isAlive) return false
    try {
      using deadline = startDeadline(never, LIMITS.engineResetMs, 'Resetting an engine process')
      const count = (servedCounts.get(client) ?? 0) + 1
      const isWhole = count >= renewalsMax || (await client.hasSpilled())
      servedCounts.set(client, isWhole ? 0 : count)
      await client.request({ kind: 'reset', isWhole }, deadline.signal)
      await client.clear()
      return client.isAlive
    } catch {
      client.kill()
      return false
    }
  }
}

type Start = (role: 'session' | 'analysis') => Promise<EngineClient>

/** Every process that was started and has not ended, so that all can be ended. */
function createRoster(start: Start) {
  const running = new Set<Promise<EngineClient>>()
  let isEnded = false
  const refuse = async (): Promise<EngineClient> =>
    await Promise.reject(new AppError('BUSY', 'The server is stopping'))
  return {
    /** After the end of all it starts none: one that was being made as new when it was killed is not replaced. */
    start(role: 'session' | 'analysis'): Promise<EngineClient> {
      const started = isEnded ? refuse() : start(role)
      const forget = (): void => {
        running.delete(started)
      }
      running.add(started)
      void started.then((client) => client.exited.then(forget), forget)
      return started
    },
    async endAll(): Promise<void> {
      isEnded = true
      const outcomes = await Promise.allSettled(running)
      const clients = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      for (const client of clients) client.kill()
      await Promise.all(clients.map((client) => client.exited))
    },
  }
}

/** The processes that no session holds. */
function createIdle(start: Start, reset: Reset, count: number) {
  const idle = Array.from({ length: count }, () => start('session'))
  return {
    async take(signal: AbortSignal): Promise<EngineClient> {
      // A process may have died while it waited or started; a fresh one is tried once for each such failure in the pool.
      for (let attempt = 0; ; attempt += 1) {
        const started = idle.shift() ?? start('session')
        try {
          const client = await raceAbort(started, signal)
          if (client.isAlive) return client
          idle.push(start('session'))
        } catch (error) {
          // An aborted wait leaves the process for the next.
          idle.push(signal.aborted ? started : start('session'))
          if (signal.aborted || attempt > count) throw error
        }
      }
    },
    /** Puts the process back as new, or another in its place. */
    async giveBack(client: EngineClient): Promise<void> {
      const isReusable = await reset(client)
      idle.push(isReusable ? Promise.resolve(client) : start('session'))
    },
  }
}

/** Processes for analysis: the first runs from the start, others from when they are first needed. */
function createAnalysis(start: Start, processesMax: number): { take(): AnalysisProcess } {
  const createProcess = (first: Promise<EngineClient> | undefined): AnalysisProcess => {
    let current = first
    return {
      async client(signal) {
        current ??= start('analysis')
        const client = await raceAbort(current, signal).catch((error: unknown) => {
          if (signal.aborted) throw error
          return undefined
        })
        if (client?.isAlive === true) return client
        current = start('analysis')
        return await raceAbort(current, signal)
      },
      giveBack() {
        free.unshift(this)
      },
    }
  }
  // The one used last is taken first, so that the others stay unstarted while one is enough.
  const free = Array.from({ length: processesMax }, (_, index) =>
    createProcess(index === 0 ? start('analysis') : undefined),
  )
  return { take: () => assertDefined(free.shift(), 'there are as many processes as permits') }
}

/** Starts the processes and waits for the one for analysis. Dispose it to end them all. */
export async function createEnginePool(options: EnginePoolOptions): Promise<Engine> {
  await mkdir(options.scratchDirectory, { recursive: true })
  const roster = createRoster(createStarter(options, options.launch ?? (await planEngineLaunch(undefined))))
  const start: Start = (role) => roster.start(role)
  const idle = createIdle(start, createReset(options.renewalsMax), options.enginesMax)
  const analysis = createAnalysis(start, LIMITS.analysisProcessesMax)
  const sessions = createSemaphore({
    permitsMax: options.enginesMax,
    backgroundMax: backgroundEnginesMax(options.enginesMax),
    waitingMax: LIMITS.engineQueueMax,
    name: 'an engine process',
  })
  let isClosed = false

  const acquire: Engine['acquire'] = async (signal, { isBackground = false } = {}) => {
    if (isClosed) throw new AppError('BUSY', 'The server is stopping')
    const permit = await waitForPermit(sessions, isBackground, signal)
    try {
      const client = await idle.take(signal)
      return createSession(client, {
        async release() {
          if (isClosed) client.kill()
          else await idle.giveBack(client)
          permit()
        },
      })
    } catch (error) {
      permit()
      throw error
    }
  }

  const first = analysis.take()
  const { version } = await first.client(never)
  first.giveBack()
  const semaphore = createSemaphore({
    permitsMax: LIMITS.analysisProcessesMax,
    waitingMax: LIMITS.analysisQueueMax,
    name: 'the analysis of statements',
  })
  return {
    name: `DuckDB ${version}`,
    analyst: createAnalyst({ semaphore, take: () => analysis.take() }),
    get usage() {
      const { heldCount, waitingCount } = sessions
      return { heldCount, waitingCount }
    },
    acquire,
    async [Symbol.asyncDispose]() {
      isClosed = true
      await roster.endAll()
    },
  }
}

async function waitForPermit(
  sessions: ReturnType<typeof createSemaphore>,
  isBackground: boolean,
  signal: AbortSignal,
): Promise<() => void> {
  using deadline = startDeadline(signal, LIMITS.engineQueueWaitMs, 'Waiting for an engine process')
  try {
    return await sessions.acquire(deadline.signal, { isBackground })
  } catch (error) {
    if (signal.aborted || !isAppError(error, 'DEADLINE_EXCEEDED')) throw error
    throw new AppError('BUSY', 'All engine processes are taken', {
      cause: error,
      details: { retryAfterMs: 1_000 },
    })
  }
}
