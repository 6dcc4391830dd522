// The audit log: who asked for what, one JSON line for each statement and each sign-in, into a sink of its own.
//
// It never holds up a query, nor the end of the server: lines wait in a bounded queue and are written one batch after the
// other. What does not fit, and what the sink refuses, is lost, and counted; the count is the alarm. A file is opened for each
// batch, so that it may be moved away or cut to nothing at any time.
import { createHash } from 'node:crypto'
import { constants, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from './logger.ts'

export interface StatementAudit {
  readonly requestId: string
  /** null where the statement was refused before it had one. */
  readonly statementId: string | null
  readonly principal: Principal
  readonly sql: string
  /** Those that it was pinned to; none where it was refused before that. */
  readonly tables: readonly {
    readonly namespace: readonly string[]
    readonly table: string
    readonly snapshotId: string | null
    readonly metadataTable?: string | undefined
  }[]
  readonly rowCount: number
  readonly bytesRead: number
  /** null where it was refused before it ran. */
  readonly elapsedMs: number | null
  /** `ok` or an error code. */
  readonly outcome: string
}

export interface SignInAudit {
  readonly event: 'sign-in' | 'sign-out'
  readonly requestId: string
  readonly method: 'token' | 'oidc' | null
  /** null where nobody was signed in. */
  readonly principal: Principal | null
  /** Of the client, as far as trusted proxies tell. */
  readonly address: string
  readonly outcome: string
}

/** Disposing it waits for what is still to be written, `auditEndMs` at most. */
export interface AuditLog extends AsyncDisposable {
  statement(entry: StatementAudit): void
  signIn(entry: SignInAudit): void
}

/** Takes some whole lines. Rejects when they are lost. */
export type AuditSink = (lines: string) => Promise<void>

export const NO_AUDIT: AuditLog = {
  statement: () => undefined,
  signIn: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

export function createAuditLog(options: {
  readonly sink: AuditSink
  readonly sqlMode: 'full' | 'hash' | 'none'
  readonly clock: Clock
  readonly logger: Logger
  readonly onLost: (lineCount: number) => void
}): AuditLog {
  const { sink, sqlMode, clock, logger } = options
  let waiting: string[] = []
  let waitingChars = 0
  let batch: string[] = []
  let writing: Promise<void> | undefined

  let isLosing = false

  /** Counts each line, and says in the log when they begin to be lost. */
  const lose = (lineCount: number, reason: string): void => {
    options.onLost(lineCount)
    if (!isLosing) logger.error({ reason }, 'the audit log cannot be written: its lines are lost')
    isLosing = true
  }
  const write = async (lines: string): Promise<void> => {
    try {
      await sink(lines)
      if (isLosing) logger.warn('the audit log is written again')
      isLosing = false
    } catch (error) {
      lose(batch.length, error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
    }
  }
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      batch = waiting
      waiting = []
      waitingChars = 0
      await write(batch.join(''))
      batch = []
    }
    writing = undefined
  }
  const add = (entry: object): void => {
    const line = `${JSON.stringify({ time: new Date(clock.nowMs()).toISOString(), ...entry })}\n`
    if (waitingChars + line.length > LIMITS.auditWaitingCharsMax) {
      lose(1, 'the sink is too slow')
      return
    }
    waiting.push(line)
    waitingChars += line.length
    writing ??= drain()
  }

  return {
    statement({ principal, sql, tables, ...facts }) {
      const named = tables.map(({ namespace, table, snapshotId, metadataTable }) => ({
        namespace,
        table,
        snapshotId,
        ...(metadataTable === undefined ? {} : { metadataTable }),
      }))
      add({ event: 'statement', ...identityOf(principal), ...facts, tables: named, ...sqlAs(sqlMode, sql) })
    },
    signIn({ principal, ...facts }) {
      add({ ...facts, ...identityOf(principal) })
    },
    async [Symbol.asyncDispose]() {
      const written = new AbortController()
      const late = sleep(LIMITS.auditEndMs, true, { signal: written.signal }).catch(() => false)
      const isLate = await Promise.race([writing?.then(() => false) ?? false, late])
      written.abort()
      if (isLate) lose(batch.length + waiting.length, 'the server ended')
    },
  }
}

function identityOf(principal: Principal | null): { principalId: string | null; principal: string | null } {
  return { principalId: principal?.id ?? null, principal: principal?.name ?? null }
}

function sqlAs(mode: 'full' | 'hash' | 'none', sql: string): object {
  if (mode === 'none') return {}
  return mode === 'full' ? { sql } : { sqlSha256: createHash('sha256').update(sql).digest('hex') }
}

/** A pipe without a reader must not hold up its opening. */
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK
const NEWLINE = 0x0a

/** @throws AppError INVALID_REQUEST where the file cannot be written, so that a server without its audit does not start */
export async function openAuditFile(path: string): Promise<AuditSink> {
  // Of a full disk, or of a server that was killed, half a line may be left.
  let mayBeCut = true
  const append: AuditSink = async (lines) => {
    await using file = await open(path, APPEND, 0o600)
    const whole = mayBeCut && (await endsWithinLine(path)) ? `\n${lines}` : lines
    mayBeCut = true
    await file.writeFile(whole)
    mayBeCut = false
  }
  try {
    await using file = await open(path, APPEND, 0o600)
    if (!(await file.stat()).isFile()) throw new Error('It is no file')
  } catch (cause) {
    throw new AppError('INVALID_REQUEST', `The audit log ${path} cannot be written`, { cause })
  }
  return append
}

/** False where it may not be read. */
async function endsWithinLine(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
    return bytesRead === 1 && buffer[0] !== NEWLINE
  } catch {
    return false
  }
}

/** Waits for the stream where it is slow; what waits meanwhile is bounded. */
export function createStreamSink(stream: NodeJS.WritableStream): AuditSink {
  // Whoever read it has gone: what is written then is lost and nothing else happens.
  stream.on('error', () => undefined)
  return async (lines) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    stream.write(lines, (error) => {
      if (error) reject(error)
      else resolve()
    })
    await promise
  }
}
