// Opens the configured store of statements and brings its tables up to date.
import { join } from 'node:path'
import { AppError } from '@lake/core/errors.ts'
import { resolveSecret, type SecretResolver } from '../catalog/secrets.ts'
import type { Clock } from '../concurrency/clock.ts'
import { parsePostgresUrl, type StateConfig } from '../config/state.ts'
import { LIMITS } from '../limits.ts'
import { migrate } from './migrations.ts'
import { openPostgres } from './postgres-connection.ts'
import { createSqlStatementStore } from './sql-statement-store.ts'
import type { SqlConnection } from './sql-connection.ts'
import { openSqlite } from './sqlite-connection.ts'
import type { StatementStore } from './statement-store.ts'

const SQLITE_FILE = 'statements.db'

/** @throws AppError STATEMENTS_UNAVAILABLE */
export async function openStatementStore(
  state: StateConfig,
  { clock, resolver }: { readonly clock: Clock; readonly resolver: SecretResolver },
): Promise<StatementStore> {
  const connection = await connectToState(state, SQLITE_FILE, resolver)
  try {
    await migrate(connection, clock.nowMs())
  } catch (error) {
    await connection[Symbol.asyncDispose]()
    throw error
  }
  return createSqlStatementStore(connection)
}

/**
 * @param sqliteFile name of the file where the state is a folder; a database server has all tables in one database
 * @throws AppError STATEMENTS_UNAVAILABLE, INVALID_REQUEST
 */
export async function connectToState(
  state: StateConfig,
  sqliteFile: string,
  resolver: SecretResolver,
): Promise<SqlConnection> {
  if (state.kind === 'sqlite') return openSqlite(join(state.directory, sqliteFile))
  const secret = await resolveSecret(state.url, resolver, AbortSignal.timeout(LIMITS.secretResolveTimeoutMs))
  const parsed = parsePostgresUrl(secret)
  if (parsed === undefined)
    throw new AppError('INVALID_REQUEST', 'LAKE_STATE_URL resolves to something that is no postgres:// URL')
  return openPostgres(parsed.url, parsed.isEncrypted)
}
