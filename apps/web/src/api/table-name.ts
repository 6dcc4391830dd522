// Full table names as people write them in SQL: iceberg.<namespace>.<table>. Names are quoted only where needed;
// the levels of a namespace count as one name, joined by dots.

export interface TableName {
  namespace: readonly string[]
  table: string
}

const PLAIN = /^[a-z_][a-z0-9_]*$/
// Words that the engine does not take as a bare name in a table reference.
const RESERVED = new Set(
  (
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create ' +
    'default deferrable desc describe distinct do else end except false fetch for foreign from group having in ' +
    'initially intersect into lambda lateral leading limit not null offset on only or order pivot placing primary ' +
    'qualify references returning select show some summarize symmetric table then to trailing true union unique ' +
    'unpivot using variadic when where window with'
  ).split(' '),
)

export function quoteName(name: string): string {
  return PLAIN.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`
}

export const namespaceText = (levels: readonly string[]): string => levels.join('.')

export function sqlTableName({ namespace, table }: TableName): string {
  return `iceberg.${quoteName(namespaceText(namespace))}.${quoteName(table)}`
}

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
