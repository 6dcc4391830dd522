// The store of statements over a SQL database: rows to records and back. The rules are in the SQL and in core/claim.
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import {
  statementState,
  type ManifestPointer,
  type StatementRecord,
  type StatementState,
} from '@lake/core/statements/statement.ts'
import type { SqlConnection, SqlRow } from './sql-connection.ts'
import * as sql from './statement-sql.ts'
import type { StatementStore } from './statement-store.ts'

/** 64-bit integers come as text from PostgreSQL; ours are times and counts, below 2^53. */
const integer = z.coerce.number().int()
const nullableInteger = z.union([z.null(), integer])
const text = z.string()

const recordRow = z.object({
  statement_id: text,
  owner: text,
  idempotency_key: text.nullable(),
  request_digest: text,
  result_digest: text.nullable(),
  sealed_job: text,
  state: statementState,
  revision: integer,
  fencing_token: integer,
  attempt_count: integer,
  worker_id: text.nullable(),
  lease_expires_at_ms: nullableInteger,
  available_at_ms: integer,
  submitted_at_ms: integer,
  started_at_ms: nullableInteger,
  ended_at_ms: nullableInteger,
  expires_at_ms: nullableInteger,
  bytes_read: integer,
  bytes_planned: integer,
  row_count: integer,
  sealed_failure: text.nullable(),
  manifest: text.nullable(),
})

const stateRow = z.object({ state: statementState })
const idRow = z.object({ statement_id: text })
const keptRow = z.object({ kept_count: integer, first_expires_at_ms: nullableInteger })
const resultRow = z.object({ manifest: text })

/** The tables must be there: see `migrate`. Owns the connection. */
export function createSqlStatementStore(connection: SqlConnection): StatementStore {
  const { run } = connection
  const claimText = sql.claimSql(connection.skipLocked)
  const first = (rows: readonly SqlRow[]): StatementRecord | undefined =>
    rows[0] ? toRecord(rows[0]) : undefined
  const idsOf = (rows: readonly SqlRow[]): string[] => rows.map((row) => parseRow(idRow, row).statement_id)
  const stateOf = (rows: readonly SqlRow[]): StatementState | undefined =>
    rows[0] ? parseRow(stateRow, rows[0]).state : undefined

  return {
    insert: async (statement, bounds) => (await run(sql.INSERT, { ...statement, ...bounds })).length > 0,
    async makeRoom(owner, { openOfOwnerMax, keptOfOwnerMax, openMax }) {
      const parameters = { owner, openOfOwnerMax, keptOfOwnerMax, openMax }
      return (await run(sql.MAKE_ROOM, parameters)).length > 0
    },
    async findKept(owner) {
      const [row = {}] = await run(sql.FIND_KEPT, { owner })
      const { kept_count: count, first_expires_at_ms: firstExpiresAtMs } = parseRow(keptRow, row)
      return { count, firstExpiresAtMs }
    },
    find: async (statementId) => first(await run(sql.FIND, { statementId })),
    findByIdempotencyKey: async (owner, idempotencyKey) =>
      first(await run(sql.FIND_BY_IDEMPOTENCY_KEY, { owner, idempotencyKey })),
    findFinished: async (owner, resultDigest, untilMs) =>
      first(await run(sql.FIND_FINISHED, { owner, resultDigest, untilMs })),
    list: async (owner, bounds) => (await run(sql.LIST, { owner, ...bounds })).map(toRecord),
    async keptBytes(owner) {
      const rows = await run(sql.FIND_RESULTS, { owner })
      return rows.reduce((sum, row) => sum + pointerOf(parseRow(resultRow, row).manifest).byteCount, 0)
    },
    async findAll(statementIds) {
      if (statementIds.length === 0) return []
      const parameters = Object.fromEntries(statementIds.map((id, index) => [parameterName(index), id]))
      return (await run(sql.findAllSql(Object.keys(parameters)), parameters)).map(toRecord)
    },
    claim: async (claim) => first(await run(claimText, { ...claim })),
    renew: async ({ statementId, fencingToken }, { leaseExpiresAtMs, progress }) =>
      stateOf(await run(sql.RENEW, { statementId, fencingToken, leaseExpiresAtMs, ...progress })),
    async handBack({ statementId, fencingToken }, { availableAtMs, isAttemptCounted, sealedFailure }) {
      const uncounted = isAttemptCounted ? 0 : 1
      const parameters = { statementId, fencingToken, availableAtMs, uncounted, sealedFailure }
      return (await run(sql.HAND_BACK, parameters)).length > 0
    },
    async end({ statementId, fencingToken }, how, times) {
      const manifest = how.state === 'finished' ? how.manifest : null
      const rows = await run(sql.END, {
        statementId,
        fencingToken,
        ...times,
        state: how.state,
        sealedFailure: how.state === 'failed' ? how.sealedFailure : null,
        manifest: manifest && JSON.stringify(manifest),
        rowCount: manifest && manifest.rowCount,
      })
      return rows.length > 0
    },
    requestCancel: async (statementId, times) =>
      stateOf(await run(sql.REQUEST_CANCEL, { statementId, ...times })),
    endAbandoned: async (sealedFailure, times) =>
      (await run(sql.END_ABANDONED, { sealedFailure, ...times })).length,
    removeExpired: async (nowMs, countMax) => idsOf(await run(sql.REMOVE_EXPIRED, { nowMs, countMax })),
    async check() {
      await run(sql.CHECK, {})
    },
    [Symbol.asyncDispose]: async () => {
      await connection[Symbol.asyncDispose]()
    },
  }
}

/** `ida`, `idb`, …: parameters are named in letters. */
function parameterName(index: number): string {
  return `id${index.toString(26).replaceAll(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))}`
}

function toRecord(row: SqlRow): StatementRecord {
  const parsed = parseRow(recordRow, row)
  return {
    statementId: parsed.statement_id,
    owner: parsed.owner,
    idempotencyKey: parsed.idempotency_key,
    requestDigest: parsed.request_digest,
    resultDigest: parsed.result_digest,
    sealedJob: parsed.sealed_job,
    state: parsed.state,
    revision: parsed.revision,
    fencingToken: parsed.fencing_token,
    attemptCount: parsed.attempt_count,
    workerId: parsed.worker_id,
    leaseExpiresAtMs: parsed.lease_expires_at_ms,
    availableAtMs: parsed.available_at_ms,
    submittedAtMs: parsed.submitted_at_ms,
    startedAtMs: parsed.started_at_ms,
    endedAtMs: parsed.ended_at_ms,
    expiresAtMs: parsed.expires_at_ms,
    progress: {
      bytesRead: parsed.bytes_read,
      bytesPlanned: parsed.bytes_planned,
      rowCount: parsed.row_count,
    },
    sealedFailure: parsed.sealed_failure,
    manifest: parsed.manifest === null ? null : pointerOf(parsed.manifest),
  }
}

function pointerOf(manifest: string): ManifestPointer {
  try {
    return JSON.parse(manifest) as ManifestPointer
  } catch {
    throw notOurs()
  }
}

function parseRow<T>(schema: z.ZodType<T>, row: SqlRow): T {
  const { success, data } = schema.safeParse(row)
  if (success) return data
  throw notOurs()
}

const notOurs = (): AppError =>
  new AppError('STATEMENTS_UNAVAILABLE', 'The store of statements holds a row that is not one of ours')
