// What became of a table's columns between two schemas. Columns are followed by field id, so that a renamed one is not a
// dropped and an added one; nested fields count like columns, by their dotted path.
import type { ColumnNode } from '@lake/core/api/contract.ts'

export interface SchemaChange {
  kind: 'added' | 'dropped' | 'renamed' | 'widened' | 'type' | 'required' | 'optional'
  fieldId: number
  /** As it is called now; as it was, for a dropped one. */
  path: string
  /** The earlier name or type; the type of one that was added or dropped. */
  detail: string
}

interface FoundColumn {
  column: ColumnNode
  path: string
}

function byId(columns: readonly ColumnNode[], parent = ''): Map<number, FoundColumn> {
  return new Map(
    columns.flatMap((column) => {
      const path = parent === '' ? column.name : `${parent}.${column.name}`
      return [[column.id, { column, path }] as const, ...byId(column.children, path)]
    }),
  )
}

/** Without its parts, which are compared by themselves. */
const ownType = ({ type, children }: ColumnNode): string =>
  children.length === 0 ? type : type.replace(/<.*$/s, '')

const WIDER: Readonly<Record<string, readonly string[]>> = {
  int: ['long'],
  float: ['double'],
  date: ['timestamp', 'timestamp_ns'],
}

/** Whether all values of before are values of the type after. Source: table spec, "Schema Evolution". */
function isWidened(before: string, after: string): boolean {
  const decimals = [before, after].map((type) => /^decimal\((\d+), (\d+)\)$/.exec(type))
  const [was, is] = decimals
  if (was && is) return was[2] === is[2] && Number(was[1]) < Number(is[1])
  return WIDER[before]?.includes(after) ?? false
}

/** In the order of the newer schema, dropped columns last. */
export function schemaChanges(
  older: readonly ColumnNode[],
  newer: readonly ColumnNode[],
): readonly SchemaChange[] {
  const [before, after] = [byId(older), byId(newer)]
  const kept = [...after].flatMap(([fieldId, { column, path }]): SchemaChange[] => {
    const was = before.get(fieldId)
    if (was === undefined) return [{ kind: 'added', fieldId, path, detail: column.type }]
    const changes: SchemaChange[] = []
    if (was.column.name !== column.name)
      changes.push({ kind: 'renamed', fieldId, path, detail: was.column.name })
    const [typeBefore, type] = [ownType(was.column), ownType(column)]
    if (typeBefore !== type)
      changes.push({
        kind: isWidened(typeBefore, type) ? 'widened' : 'type',
        fieldId,
        path,
        detail: `${typeBefore} → ${type}`,
      })
    if (was.column.isRequired !== column.isRequired)
      changes.push({ kind: column.isRequired ? 'required' : 'optional', fieldId, path, detail: '' })
    return changes
  })
  const dropped = [...before].flatMap(([fieldId, { column, path }]): SchemaChange[] =>
    after.has(fieldId) ? [] : [{ kind: 'dropped', fieldId, path, detail: column.type }],
  )
  return [...kept, ...dropped]
}

const WORDS: Readonly<Record<SchemaChange['kind'], (detail: string) => string>> = {
  added: (detail) => `added, ${detail}`,
  dropped: (detail) => `dropped, was ${detail}`,
  renamed: (detail) => `renamed, was ${detail}`,
  widened: (detail) => `widened, ${detail}`,
  type: (detail) => `type ${detail}`,
  required: () => 'required now',
  optional: () => 'optional now',
}

export const changeText = ({ kind, detail }: SchemaChange): string => WORDS[kind](detail)
