// A store of statements over a SQL connection, as the contract of such stores takes it.
import { migrate } from '../../src/statements/migrations.ts'
import type { SqlConnection } from '../../src/statements/sql-connection.ts'
import { createSqlStatementStore } from '../../src/statements/sql-statement-store.ts'
import type { StatementStore } from '../../src/statements/statement-store.ts'

/** A store that is held to the contract. */
export interface Subject {
  readonly store: StatementStore
  clear(): Promise<void>
  close(): Promise<void>
}

export async function overSql(connection: SqlConnection, nowMs: number): Promise<Subject> {
  await migrate(connection, nowMs)
  return {
    store: createSqlStatementStore(connection),
    clear: async () => void (await connection.run('DELETE FROM statements', {})),
    close: async () => {
      await connection[Symbol.asyncDispose]()
    },
  }
}
