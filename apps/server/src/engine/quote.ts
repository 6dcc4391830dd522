// Quoting for the SQL that the engine folder writes itself. Text of users is never pasted, only run as it is.

/** `a"b` becomes `"a""b"`. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `it's` becomes `'it''s'`; the engine knows no other escapes in such a literal. */
export function quoteString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
