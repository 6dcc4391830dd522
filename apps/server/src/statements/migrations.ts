// The tables of the store of statements, as numbered steps. Forward only: a step that was released never changes, and a
// new one is added at the end. The SQL means the same in SQLite and in PostgreSQL.
import { AppError } from '@lake/core/errors.ts'
import type { SqlConnection } from './sql-connection.ts'

const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE statements (
      statement_id text PRIMARY KEY,
      owner text NOT NULL,
      idempotency_key text,
      request_digest text NOT NULL,
      result_digest text,
      sealed_job text NOT NULL,
      state text NOT NULL,
      revision bigint NOT NULL,
      fencing_token bigint NOT NULL,
      attempt_count bigint NOT NULL,
      worker_id text,
      lease_expires_at_ms bigint,
      available_at_ms bigint NOT NULL,
      submitted_at_ms bigint NOT NULL,
      started_at_ms bigint,
      ended_at_ms bigint,
      expires_at_ms bigint,
      bytes_read bigint NOT NULL,
      bytes_planned bigint NOT NULL,
      row_count bigint NOT NULL,
      sealed_failure text,
      manifest text
    )`,
    `CREATE UNIQUE INDEX statements_by_idempotency_key ON statements (owner, idempotency_key)`,
    `CREATE INDEX statements_by_state ON statements (state, available_at_ms)`,
    `CREATE INDEX statements_by_owner ON statements (owner, submitted_at_ms)`,
    `CREATE INDEX statements_by_result ON statements (owner, result_digest)`,
    `CREATE INDEX statements_by_expiry ON statements (expires_at_ms)`,
  ],
]

/** As `applyMigrations`, of the statements' tables. */
export async function migrate(connection: SqlConnection, nowMs: number): Promise<void> {
  await applyMigrations(connection, { table: 'statement_migrations', steps: MIGRATIONS }, nowMs)
}

/**
 * Brings tables to the newest step. Servers that start together do it one after the other.
 * @param migrations `table` keeps the number of the last step
 * @throws AppError STATEMENTS_UNAVAILABLE, also when a newer version of the server has been here
 */
export async function applyMigrations(
  connection: SqlConnection,
  { table, steps: versions }: { readonly table: string; readonly steps: readonly (readonly string[])[] },
  nowMs: number,
): Promise<void> {
  await connection.exclusively(async (run) => {
    await run(
      `CREATE TABLE IF NOT EXISTS ${table} (version bigint PRIMARY KEY, applied_at_ms bigint NOT NULL)`,
      {},
    )
    const rows = await run(`SELECT max(version) AS version FROM ${table}`, {})
    const version = Number(rows[0]?.['version'] ?? 0)
    if (version > versions.length) {
      throw new AppError(
        'STATEMENTS_UNAVAILABLE',
        `The store of statements is of version ${version}, newer than this server's ${versions.length}`,
      )
    }
    for (const [index, steps] of versions.entries()) {
      if (index < version) continue
      for (const step of steps) await run(step, {})
      await run(`INSERT INTO ${table} (version, applied_at_ms) VALUES (:version, :nowMs)`, {
        version: index + 1,
        nowMs,
      })
    }
  })
}
