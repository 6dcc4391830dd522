// Which rows the catalog tree shows, as a plain list: a row knows its depth, parent and whether it can open. Keyboard
// moves are functions of that list. No React, no requests: what is loaded comes in as values.
import type { ColumnNode } from '@lake/core/api/contract.ts'
import { namespaceText, type TableName } from '../../api/table-name.ts'
import { TREE_TABLES_STEP } from '../../limits.ts'
import { countedText } from '../../ui/format-quantity.ts'

export type Loaded<T> =
  { kind: 'closed' } | { kind: 'loading' } | { kind: 'failed'; error: unknown } | { kind: 'loaded'; value: T }

export type TreeRow = { id: string; depth: number; parentId: string | null } & (
  | {
      kind: 'namespace'
      label: string
      levels: readonly string[]
      isOpen: boolean
      tableCount: number | null
    }
  | { kind: 'table'; label: string; name: TableName; isOpen: boolean }
  | { kind: 'column'; label: string; type: string; doc: string | null; isRequired: boolean }
  | { kind: 'note'; label: string }
  /** Stands for the tables that are not drawn yet; `nextId` is the first of them. */
  | { kind: 'rest'; label: string; nextId: string }
  | { kind: 'failure'; error: unknown; retryId: string }
)

export interface TreeInput {
  namespaces: readonly (readonly string[])[]
  openIds: ReadonlySet<string>
  /** Tables of a namespace, by namespace id. */
  tables: ReadonlyMap<string, Loaded<{ tables: readonly string[]; isTruncated: boolean }>>
  /** Columns of a table, by table id. */
  columns: ReadonlyMap<string, Loaded<readonly ColumnNode[]>>
  /** Lower case; tables whose name lacks it are left out. */
  filter: string
  /** Tables of one namespace that are drawn at most, by namespace id; TREE_TABLES_STEP where it has none. */
  shownMax: ReadonlyMap<string, number>
  canList: boolean
}

export const namespaceId = (levels: readonly string[]): string => JSON.stringify(levels)
export const tableId = ({ namespace, table }: TableName): string => JSON.stringify([namespace, table])

function columnRows(input: TreeInput, id: string, depth: number): TreeRow[] {
  const columns = input.columns.get(id) ?? { kind: 'loading' }
  const place = { depth, parentId: id }
  switch (columns.kind) {
    case 'closed':
    case 'loading':
      return [{ ...place, id: `${id}/note`, kind: 'note', label: 'loading columns…' }]
    case 'failed':
      return [{ ...place, id: `${id}/failure`, kind: 'failure', error: columns.error, retryId: id }]
    case 'loaded':
      return columns.value.map((column) => ({
        ...place,
        id: `${id}/${column.id}`,
        kind: 'column',
        label: column.name,
        type: column.type,
        doc: column.doc,
        isRequired: column.isRequired,
      }))
  }
}

function tableRows(input: TreeInput, levels: readonly string[], parentId: string): TreeRow[] {
  const list = input.tables.get(parentId) ?? { kind: 'loading' }
  const place = { depth: 2, parentId }
  if (list.kind === 'failed')
    return [{ ...place, id: `${parentId}/failure`, kind: 'failure', error: list.error, retryId: parentId }]
  if (list.kind !== 'loaded')
    return [{ ...place, id: `${parentId}/note`, kind: 'note', label: 'loading tables…' }]
  const rows: TreeRow[] = []
  const found = list.value.tables.filter((table) => table.toLowerCase().includes(input.filter))
  const shownCount = input.shownMax.get(parentId) ?? TREE_TABLES_STEP
  for (const table of found.slice(0, shownCount)) {
    const name = { namespace: levels, table }
    const id = tableId(name)
    const isOpen = input.openIds.has(id)
    rows.push({ ...place, id, kind: 'table', label: table, name, isOpen })
    if (isOpen) rows.push(...columnRows(input, id, 3))
  }
  const next = found[shownCount]
  if (next !== undefined) {
    const label = `${countedText(found.length - shownCount, 'more table')}: show some, or filter`
    const nextId = tableId({ namespace: levels, table: next })
    rows.push({ ...place, id: `${parentId}/rest`, kind: 'rest', label, nextId })
  }
  if (list.value.isTruncated)
    rows.push({ ...place, id: `${parentId}/more`, kind: 'note', label: 'more tables than are listed' })
  if (rows.length === 0) {
    const emptyLabel = input.canList ? 'no tables' : 'open a table by its full name'
    const label = input.filter === '' ? emptyLabel : 'no table matches'
    rows.push({ ...place, id: `${parentId}/note`, kind: 'note', label })
  }
  return rows
}

export function treeRows(input: TreeInput): TreeRow[] {
  return input.namespaces.flatMap((levels): TreeRow[] => {
    const id = namespaceId(levels)
    const isOpen = input.openIds.has(id)
    const list = input.tables.get(id)
    const tableCount = list?.kind === 'loaded' && input.canList ? list.value.tables.length : null
    const label = namespaceText(levels)
    const row: TreeRow = {
      id,
      depth: 1,
      parentId: null,
      kind: 'namespace',
      label,
      levels,
      isOpen,
      tableCount,
    }
    return isOpen ? [row, ...tableRows(input, levels, id)] : [row]
  })
}

export type TreeMove = { kind: 'focus'; id: string } | { kind: 'toggle'; id: string } | null

const canOpen = (row: TreeRow): row is TreeRow & { isOpen: boolean } =>
  row.kind === 'namespace' || row.kind === 'table'

/** What a key does in a tree, by the ARIA pattern; null where it does nothing. */
export function moveInTree(rows: readonly TreeRow[], focusedId: string, key: string): TreeMove {
  const at = rows.findIndex((row) => row.id === focusedId)
  const row = rows[at]
  const focus = (target: TreeRow | undefined): TreeMove =>
    target === undefined ? null : { kind: 'focus', id: target.id }
  if (row === undefined) return focus(rows[0])
  switch (key) {
    case 'ArrowDown':
      return focus(rows[at + 1])
    case 'ArrowUp':
      return focus(rows[at - 1])
    case 'Home':
      return focus(rows[0])
    case 'End':
      return focus(rows.at(-1))
    case 'ArrowRight':
      if (!canOpen(row)) return null
      return row.isOpen ? focus(rows[at + 1]) : { kind: 'toggle', id: row.id }
    case 'ArrowLeft':
      if (canOpen(row) && row.isOpen) return { kind: 'toggle', id: row.id }
      return focus(rows.find((other) => other.id === row.parentId))
    default:
      return null
  }
}

/** The row that typed letters lead to. One letter, also repeated, goes on to the next row that begins with it. */
export function typedInTree(rows: readonly TreeRow[], focusedId: string, typed: string): string | null {
  const at = rows.findIndex((row) => row.id === focusedId)
  const isOneLetter = typed === typed.charAt(0).repeat(typed.length)
  const start = isOneLetter ? at + 1 : Math.max(0, at)
  const prefix = (isOneLetter ? typed.slice(0, 1) : typed).toLowerCase()
  const order = [...rows.slice(start), ...rows.slice(0, start)]
  return (
    order.find(
      (row) =>
        'label' in row &&
        row.kind !== 'note' &&
        row.kind !== 'rest' &&
        row.label.toLowerCase().startsWith(prefix),
    )?.id ?? null
  )
}
