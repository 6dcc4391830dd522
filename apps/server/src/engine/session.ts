// One engine process held for one statement: its views, its runs, and the rows that come back.
//
// A run is open from `execute` until its last frame was read. Closing it early means interrupting the engine and reading
// what it had sent already; an engine that does not end within the grace is killed, and the pool replaces it.
import { AppError } from '@lake/core/errors.ts'
import { systemClock } from '../concurrency/clock.ts'
import { abortError, throwIfAborted } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'
import type { EncodedBatch, EngineResult, EngineSession } from './engine.ts'
import type { EngineClient } from './engine-client.ts'
import { engineError } from './engine-errors.ts'
import type { Frame } from './frame-reader.ts'
import { FRAME_KIND, type EngineRequest, type ExecuteAnswer, type RawEngineError } from './protocol.ts'
import { scanViewStatements } from './scan-view.ts'
import { mayAskForTime, statementTimeMacros } from './statement-time.ts'

/** Reads and drops what is left of a run. @returns false when the engine had to be killed */
async function drain(client: EngineClient): Promise<boolean> {
  client.interrupt()
  const killer = setTimeout(() => {
    client.kill()
  }, LIMITS.engineInterruptGraceMs)
  try {
    for (;;) {
      const frame = await client.readFrame()
      if (!frame) return false
      if (frame.kind !== FRAME_KIND.batch) return true
    }
  } finally {
    clearTimeout(killer)
  }
}

/** The next frame, or the signal's error: then the engine is interrupted, or killed after the grace. */
async function nextFrame(client: EngineClient, signal: AbortSignal): Promise<Frame> {
  throwIfAborted(signal)
  let killer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    client.interrupt()
    killer = setTimeout(() => {
      client.kill()
    }, LIMITS.engineInterruptGraceMs)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const frame = await client.readFrame()
    if (frame) return frame
    if (signal.aborted) throw abortError(signal)
    client.kill()
    throw new AppError('ENGINE_FAILED', 'The engine process that ran the statement ended')
  } finally {
    clearTimeout(killer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** Interrupts a run that has not been answered, or kills its process after the grace; it is settled afterwards. */
async function endStarting(client: EngineClient, starting: Promise<unknown>): Promise<void> {
  client.interrupt()
  const killer = setTimeout(() => {
    client.kill()
  }, LIMITS.engineInterruptGraceMs)
  try {
    await starting
  } catch {
    // Whoever asked for the run has the error.
  } finally {
    clearTimeout(killer)
  }
}

export interface SessionOptions {
  /** Gives the process back, to be reset, or replaced where it is dead. Called once. */
  release(): Promise<void>
}

/** The runs of a session, one at a time. */
function createRuns(client: EngineClient) {
  let isOpen = false
  /** A run that was asked for and not answered yet. */
  let starting: Promise<unknown> | undefined

  const close = async (): Promise<void> => {
    if (starting) await endStarting(client, starting)
    if (!isOpen) return
    isOpen = false
    if (client.isAlive) await drain(client)
  }
  return {
    /** Ends what is left of the last run, whether it was answered or not. */
    close,
    async start(request: EngineRequest & { kind: 'execute' }, signal: AbortSignal): Promise<ExecuteAnswer> {
      const asked = client.request(request, signal, request.sql).then((value) => {
        isOpen = true
        return value
      })
      starting = asked
      try {
        return (await asked) as ExecuteAnswer
      } finally {
        starting = undefined
      }
    },
    async *readBatches(sql: string, signal: AbortSignal): AsyncGenerator<EncodedBatch> {
      try {
        for (;;) {
          const frame = await nextFrame(client, signal)
          if (frame.kind === FRAME_KIND.batch) {
            yield { rowCount: frame.rowCount, bytes: frame.payload }
            continue
          }
          isOpen = false
          if (signal.aborted) throw abortError(signal)
          if (frame.kind === FRAME_KIND.end) return
          throw engineError(JSON.parse(frame.payload.toString()) as RawEngineError, sql)
        }
      } finally {
        await close()
      }
    },
  }
}

export function createSession(client: EngineClient, options: SessionOptions): EngineSession {
  const runs = createRuns(client)
  let isDisposed = false
  let hasTime = false
  /** Statements of ours that were sent and not answered yet. */
  let defining: Promise<unknown> | undefined

  const define = async (statements: readonly string[], signal: AbortSignal): Promise<void> => {
    defining = client.request({ kind: 'define', statements }, signal)
    try {
      await defining
    } finally {
      defining = undefined
    }
  }
  /** The process may be another session's already: whatever was given up must not reach it any more. */
  const refuseDisposed = (): void => {
    if (isDisposed) throw new AppError('CANCELLED', 'The statement was given up')
  }

  return {
    directory: client.directory,
    lost: client.lost,
    async defineScans(scans, signal, sql) {
      await runs.close()
      refuseDisposed()
      await define(scanViewStatements(scans, sql), signal)
    },
    async execute(sql, { rowsMax, statementAtMs, instants = [] }, signal): Promise<EngineResult> {
      await runs.close()
      // The first run that asks for the time fixes it for those that follow, where the caller did not.
      if (!hasTime && mayAskForTime(sql)) {
        const statements = statementTimeMacros(sql, statementAtMs ?? systemClock.nowMs())
        refuseDisposed()
        await define(statements, signal)
        hasTime = true
      }
      refuseDisposed()
      // Infinity has no JSON.
      const rows = Math.min(rowsMax, Number.MAX_SAFE_INTEGER)
      const request = { kind: 'execute', sql, rowsMax: rows, instants } as const
      const { columns, schemaMessageBase64 } = await runs.start(request, signal)
      const schemaMessage = Buffer.from(schemaMessageBase64, 'base64')
      return { columns, schemaMessage, batches: runs.readBatches(sql, signal) }
    },
    async [Symbol.asyncDispose]() {
      if (isDisposed) return
      isDisposed = true
      try {
        if (defining) await endStarting(client, defining)
        await runs.close()
      } finally {
        await options.release()
      }
    },
  }
}
