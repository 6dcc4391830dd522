// What replicas tell each other through the database of background statements: which sessions were signed out, and how many
// bytes each read for whom. One SQL statement a function, the same in SQLite and PostgreSQL. Everything may be told twice.
// Rows say when they were written by their writer's clock; who reads asks for somewhat older ones too.
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import { applyMigrations } from '../statements/migrations.ts'
import type { SqlConnection, SqlRow } from '../statements/sql-connection.ts'

export interface EndedSession {
  readonly sessionId: string
  /** When it would have ended by itself. */
  readonly endsAtMs: number
}

/** Bytes that one replica read for one principal in one hour since the epoch: a total, not a difference. */
export interface BytesRead {
  readonly replicaId: string
  readonly principalDigest: string
  readonly hour: number
  readonly byteCount: number
}

/** Everything throws AppError STATEMENTS_UNAVAILABLE. */
export interface ReplicaStore extends AsyncDisposable {
  endSession(session: EndedSession, nowMs: number): Promise<void>
  /** Written since, and not over by themselves; the newest where there are more than `countMax`. */
  findEnded(since: {
    readonly sinceMs: number
    readonly nowMs: number
    readonly countMax: number
  }): Promise<EndedSession[]>
  recordBytes(read: BytesRead, nowMs: number): Promise<void>
  /** Of other replicas, written since, from `hour` on. */
  findBytes(since: {
    readonly sinceMs: number
    readonly hour: number
    readonly otherThan: string
    readonly countMax: number
  }): Promise<BytesRead[]>
  /** Sessions that are over by themselves, and bytes of hours before `hour`. */
  removeOld(old: { readonly nowMs: number; readonly hour: number }): Promise<void>
}

const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE ended_sessions (
      session_id text PRIMARY KEY,
      ends_at_ms bigint NOT NULL,
      written_at_ms bigint NOT NULL
    )`,
    `CREATE INDEX ended_sessions_by_writing ON ended_sessions (written_at_ms)`,
    `CREATE TABLE bytes_read (
      replica_id text NOT NULL,
      principal_digest text NOT NULL,
      hour bigint NOT NULL,
      byte_count bigint NOT NULL,
      written_at_ms bigint NOT NULL,
      PRIMARY KEY (principal_digest, hour, replica_id)
    )`,
    `CREATE INDEX bytes_read_by_writing ON bytes_read (written_at_ms)`,
  ],
]

const END_SESSION = `
  INSERT INTO ended_sessions (session_id, ends_at_ms, written_at_ms)
  VALUES (:sessionId, CAST(:endsAtMs AS bigint), CAST(:nowMs AS bigint))
  ON CONFLICT (session_id) DO NOTHING`

const FIND_ENDED = `
  SELECT session_id, ends_at_ms FROM ended_sessions
  WHERE written_at_ms >= CAST(:sinceMs AS bigint) AND ends_at_ms > CAST(:nowMs AS bigint)
  ORDER BY written_at_ms DESC LIMIT CAST(:countMax AS bigint)`

const RECORD_BYTES = `
  INSERT INTO bytes_read (replica_id, principal_digest, hour, byte_count, written_at_ms)
  VALUES (:replicaId, :principalDigest, CAST(:hour AS bigint), CAST(:byteCount AS bigint), CAST(:nowMs AS bigint))
  ON CONFLICT (principal_digest, hour, replica_id)
  DO UPDATE SET byte_count = excluded.byte_count, written_at_ms = excluded.written_at_ms`

const FIND_BYTES = `
  SELECT replica_id, principal_digest, hour, byte_count FROM bytes_read
  WHERE written_at_ms >= CAST(:sinceMs AS bigint) AND hour >= CAST(:hour AS bigint) AND replica_id <> :otherThan
  ORDER BY written_at_ms DESC LIMIT CAST(:countMax AS bigint)`

const REMOVE_ENDED = `DELETE FROM ended_sessions WHERE ends_at_ms <= CAST(:nowMs AS bigint)`
const REMOVE_BYTES = `DELETE FROM bytes_read WHERE hour < CAST(:hour AS bigint)`

/** 64-bit integers come as text from PostgreSQL; ours are times and counts, below 2^53. */
const integer = z.coerce.number().int()
const endedRow = z.object({ session_id: z.string(), ends_at_ms: integer })
const bytesRow = z.object({
  replica_id: z.string(),
  principal_digest: z.string(),
  hour: integer,
  byte_count: integer,
})

/** Makes or updates its tables. Owns the connection. @throws AppError STATEMENTS_UNAVAILABLE */
export async function openReplicaStore(connection: SqlConnection, nowMs: number): Promise<ReplicaStore> {
  const { run } = connection
  try {
    await applyMigrations(connection, { table: 'replica_migrations', steps: MIGRATIONS }, nowMs)
  } catch (error) {
    await connection[Symbol.asyncDispose]()
    throw error
  }
  return {
    async endSession(session, writtenMs) {
      await run(END_SESSION, { ...session, nowMs: writtenMs })
    },
    findEnded: async (since) =>
      (await run(FIND_ENDED, { ...since })).map((row) => {
        const { session_id: sessionId, ends_at_ms: endsAtMs } = parseRow(endedRow, row)
        return { sessionId, endsAtMs }
      }),
    async recordBytes(read, writtenMs) {
      await run(RECORD_BYTES, { ...read, nowMs: writtenMs })
    },
    findBytes: async (since) =>
      (await run(FIND_BYTES, { ...since })).map((row) => {
        const parsed = parseRow(bytesRow, row)
        return {
          replicaId: parsed.replica_id,
          principalDigest: parsed.principal_digest,
          hour: parsed.hour,
          byteCount: parsed.byte_count,
        }
      }),
    async removeOld({ nowMs: endedMs, hour }) {
      await run(REMOVE_ENDED, { nowMs: endedMs })
      await run(REMOVE_BYTES, { hour })
    },
    [Symbol.asyncDispose]: async () => {
      await connection[Symbol.asyncDispose]()
    },
  }
}

function parseRow<T>(schema: z.ZodType<T>, row: SqlRow): T {
  const { success, data } = schema.safeParse(row)
  if (success) return data
  throw new AppError('STATEMENTS_UNAVAILABLE', 'The store of replicas holds a row that is not one of ours')
}
