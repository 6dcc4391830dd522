// Full table names as people write them in SQL: iceberg.<namespace>.<table>. Names are quoted only where needed;
// the levels of a namespace count as one name, joined by dots.

import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { formatTableName } from '@lake/core/iceberg/identifiers.ts'
import { visibleName } from '../ui/visible-text.ts'

export interface TableName {
  namespace: readonly string[]
  table: string
}

export const namespaceText = (levels: readonly string[]): string => levels.join('.')

/** For eyes. */
export const namespaceLabel = (levels: readonly string[]): string => visibleName(namespaceText(levels))

export function sqlTableName({ namespace, table }: TableName): string {
  return formatTableName(namespace, table)
}

/** What is asked of a table first. */
export const firstRowsSql = (name: TableName): string => `SELECT *\nFROM ${sqlTableName(name)}\nLIMIT 100\n`

/** Dotted parts with quotes taken off; null for text that is no dotted name. */
function partsOf(text: string): string[] | null {
  const parts: string[] = []
  const part = /\s*(?:"((?:[^"]|"")+)"|([^\s."]+))\s*(\.|$)/y
  for (let at = 0; at < text.length; at = part.lastIndex) {
    part.lastIndex = at
    const match = part.exec(text)
    if (match === null) return null
    parts.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === '' && part.lastIndex < text.length) return null
    if (match[3] === '.' && part.lastIndex === text.length) return null
  }
  return parts
}

/**
 * Reads a full name; `iceberg.` may be left out where the rest is plain. A namespace that is configured with the same
 * dotted text is taken with its own levels. Null where the text names no table.
 */
export function parseTableName(text: string, namespaces: readonly (readonly string[])[]): TableName | null {
  const parts = partsOf(text.trim().replace(/;$/, ''))
  if (parts === null || parts.length < 2) return null
  const isConfigured = (levels: readonly string[]) =>
    namespaces.find((known) => namespaceText(known) === namespaceText(levels))
  const table = parts.at(-1) ?? ''
  const whole = parts.slice(0, -1)
  const unprefixed = whole[0] === 'iceberg' && whole.length > 1 ? whole.slice(1) : whole
  return { namespace: isConfigured(unprefixed) ?? isConfigured(whole) ?? unprefixed, table }
}

/** For eyes: a table by its dotted name, a metadata table by its own. */
export function tableLabel({
  namespace,
  table,
  metadataTable,
}: TableName & Pick<TableReceipt, 'metadataTable'>): string {
  return namespaceLabel([...namespace, metadataTable === undefined ? table : `${table}$${metadataTable}`])
}
