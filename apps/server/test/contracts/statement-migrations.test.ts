// The steps that make the tables of the store of statements, and what is said of a store that does not answer.
import { expect, it } from 'vitest'
import { isAppError } from '@lake/core/errors.ts'
import { Secret } from '../../src/observability/redaction.ts'
import { migrate } from '../../src/statements/migrations.ts'
import { openPostgres } from '../../src/statements/postgres-connection.ts'
import { openSqlite } from '../../src/statements/sqlite-connection.ts'

it('migrations run once, and refuse a store that a newer server has changed', async () => {
  const connection = openSqlite(':memory:')
  await migrate(connection, 1)
  await migrate(connection, 2)
  const rows = await connection.run('SELECT version, applied_at_ms FROM statement_migrations', {})
  expect(rows.map((row) => ({ ...row }))).toEqual([{ version: 1, applied_at_ms: 1 }])
  await connection.run('INSERT INTO statement_migrations VALUES (99, 3)', {})
  const failure = await migrate(connection, 4).catch((error: unknown) => error)
  expect(isAppError(failure, 'STATEMENTS_UNAVAILABLE')).toBe(true)
  await connection[Symbol.asyncDispose]()
})

it('connections say that a store does not answer, and not with what', async () => {
  const connection = openPostgres(new Secret('postgres://lake:hunter2@127.0.0.1:1/none'), false)
  const failure: unknown = await connection.run('SELECT 1', {}).catch((error: unknown) => error)
  expect(isAppError(failure, 'STATEMENTS_UNAVAILABLE')).toBe(true)
  expect(String((failure as Error).stack)).not.toContain('hunter2')
  await connection[Symbol.asyncDispose]()
})
