// The audit log: who asked for what, one JSON line for each statement and each sign-in, into a sink of its own.
//
// It never holds up a query: lines wait in a bounded queue and are written one batch after the other. What does not fit,
// and what the sink refuses, is lost, and counted; the count is the alarm. A file is opened for each batch, so that it may
// be moved away at any time.
import { createHash } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'

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
  readonly onLost: (lineCount: number) => void
}): AuditLog {
  const { sink, sqlMode, clock, onLost } = options
  let waiting: string[] = []
  let waitingChars = 0
  let writing: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      waitingChars = 0
      await sink(batch.join('')).catch(() => {
        onLost(batch.length)
      })
    }
    writing = undefined
  }
  const add = (entry: object): void => {
    const line = `${JSON.stringify({ time: new Date(clock.nowMs()).toISOString(), ...entry })}\n`
    if (waitingChars + line.length > LIMITS.auditWaitingCharsMax) {
      onLost(1)
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
      await writing
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

/** @throws AppError INVALID_REQUEST where the file cannot be written, so that a server without its audit does not start */
export async function openAuditFile(path: string): Promise<AuditSink> {
  const append: AuditSink = async (lines) => {
    await appendFile(path, lines, { mode: 0o600 })
  }
  try {
    await append('')
  } catch (cause) {
    throw new AppError('INVALID_REQUEST', `The audit log ${path} cannot be written`, { cause })
  }
  return append
}

/** Waits for the stream where it is slow; what waits meanwhile is bounded. */
export function createStreamSink(stream: NodeJS.WritableStream): AuditSink {
  return async (lines) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    stream.write(lines, (error) => {
      if (error) reject(error)
      else resolve()
    })
    await promise
  }
}
