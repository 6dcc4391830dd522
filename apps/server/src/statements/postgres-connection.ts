// Statements in PostgreSQL, for several servers that share them. The connection string is a secret: no failure shows it.
import { Pool, type PoolClient } from 'pg'
import { AppError, isAppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import type { Secret } from '../observability/redaction.ts'
import type { RunSql, SqlConnection, SqlRow, SqlValue } from './sql-connection.ts'

/** Any number; servers that migrate the same database hold it one after the other. */
const MIGRATION_LOCK = 7_305_014

/**
 * @param url `postgres://user:password@host:port/database`; config.ts has checked it
 * @param isEncrypted over TLS with a verified certificate
 */
export function openPostgres(url: Secret, isEncrypted: boolean): SqlConnection {
  const pool = new Pool({
    connectionString: url.reveal(),
    ssl: isEncrypted ? { rejectUnauthorized: true } : false,
    max: LIMITS.stateConnectionsMax,
    connectionTimeoutMillis: LIMITS.stateCallTimeoutMs,
    query_timeout: LIMITS.stateCallTimeoutMs,
    statement_timeout: LIMITS.stateCallTimeoutMs,
    idleTimeoutMillis: 30_000,
    application_name: 'lake-workbench',
  })
  // A connection that breaks while idle is replaced by the next call; without a listener it would end the process.
  pool.on('error', () => undefined)
  return {
    run: (sql, parameters) => guarded(() => query(pool, sql, parameters)),
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    async exclusively(work) {
      const client = await guarded(() => pool.connect())
      const run: RunSql = (sql, parameters) => guarded(() => query(client, sql, parameters))
      let failure: Error | undefined
      try {
        await run('BEGIN', {})
        await run(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, {})
        await work(run)
        await run('COMMIT', {})
      } catch (error) {
        failure = error instanceof Error ? error : new Error('migration failed')
        throw error
      } finally {
        // A client whose transaction failed is closed, which rolls it back.
        client.release(failure)
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.end()
    },
  }
}

async function query(
  client: Pick<Pool, 'query'> | PoolClient,
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
): Promise<SqlRow[]> {
  const values: SqlValue[] = []
  const places = new Map<string, number>()
  // `::` is a cast and no parameter.
  const text = sql.replaceAll(/(?<!:):([a-zA-Z]+)/g, (_match, name: string) => {
    const place = places.get(name) ?? values.push(parameters[name] ?? null)
    places.set(name, place)
    return `$${place}`
  })
  const { rows } = await client.query<SqlRow>(text, values)
  return rows
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isAppError(error)) throw error
    // The error itself is left out: it may carry parts of the connection string.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
    throw new AppError('STATEMENTS_UNAVAILABLE', `The store of statements did not answer (${code})`)
  }
}
