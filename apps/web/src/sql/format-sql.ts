// Lays out SQL in DuckDB's dialect. A chunk of its own, loaded when it is first used.
import { duckdb, formatDialect } from 'sql-formatter'

/** Null for text that the formatter does not understand: it is then left as it is. */
export function formatSql(sql: string): string | null {
  try {
    return formatDialect(sql, { dialect: duckdb, keywordCase: 'upper', tabWidth: 2, expressionWidth: 80 })
  } catch {
    // The formatter refuses what it cannot lex; the server says what is wrong when it runs.
    return null
  }
}
