// Statements in a SQLite file: the default, for one server. Calls are short and made in this thread. Several processes
// may open the file, since SQLite orders their writes; they wait for each other for a bounded time.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import type { RunSql, SqlConnection } from './sql-connection.ts'

/** @param path `:memory:` keeps nothing */
export function openSqlite(path: string): SqlConnection {
  const database = guarded(() => {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const opened = new DatabaseSync(path, { timeout: LIMITS.stateCallTimeoutMs })
    // FULL: what was answered is on disk, also when the machine goes down.
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;')
    return opened
  })
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const run: RunSql = async (sql, parameters) =>
    await Promise.resolve(
      guarded(() => {
        const statement = prepared.get(sql) ?? database.prepare(sql)
        prepared.set(sql, statement)
        return statement.all(parameters)
      }),
    )
  return {
    run,
    skipLocked: '',
    async exclusively(work) {
      guarded(() => {
        database.exec('BEGIN IMMEDIATE')
      })
      try {
        await work(run)
        database.exec('COMMIT')
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      if (database.isOpen) database.close()
      await Promise.resolve()
    },
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('STATEMENTS_UNAVAILABLE', 'The store of statements could not be read or written', {
      cause,
    })
  }
}
