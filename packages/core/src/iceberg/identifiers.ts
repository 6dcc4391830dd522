// Names of namespaces and tables: text for SQL and for people, and keys for comparing.
// A level or a name may hold any character, dots and quotes too, so text is never split again to get them back.

export const CATALOG_NAME = 'iceberg'

const BARE_IDENTIFIER = /^[a-z_][a-z0-9_]*$/
/** Words that DuckDB does not take as a name without quotes. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create ' +
    'default deferrable desc describe distinct do else end except false fetch for foreign from group having in ' +
    'initially intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer ' +
    'pivot_wider placing primary qualify references returning select show some summarize symmetric table then to ' +
    'trailing true union unique unpivot using variadic when where window with ' +
    'anti at asof authorization binary by collation columns concurrently cross freeze full generated glob ilike inner is isnull join ' +
    'left like map natural notnull outer overlaps positional right semi similar struct tablesample try_cast unpack verbose'
  ).split(' '),
)

/** Quotes a SQL identifier where it would not stand for itself bare. */
export function quoteIdentifier(name: string): string {
  return BARE_IDENTIFIER.test(name) && !RESERVED_WORDS.has(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** A namespace as one SQL identifier: its levels joined by dots. */
export function formatNamespace(namespace: readonly string[]): string {
  return quoteIdentifier(namespace.join('.'))
}

/** The full name for SQL: `iceberg.analytics.episodes`, `iceberg."a.b"."x y"`. */
export function formatTableName(namespace: readonly string[], table: string): string {
  return `${CATALOG_NAME}.${formatNamespace(namespace)}.${quoteIdentifier(table)}`
}

/** A key that is equal for the same table only: namespace `['a.b']` differs from `['a', 'b']`. */
export function tableKey(namespace: readonly string[], table: string): string {
  return JSON.stringify([...namespace, table])
}
