// What can be done with a row of the catalog tree, and the text that stands for it in SQL.
import { formatNamespace, quoteIdentifier } from '@lake/core/iceberg/identifiers.ts'
import { sqlTableName, type TableName } from '../../api/table-name.ts'
import { copyText } from '../../ui/copy-text.ts'
import type { MenuItem } from '../../ui/MenuButton.tsx'
import { say } from '../../ui/notice.ts'
import type { TablePart } from './table-view.ts'
import type { TreeRow } from './tree-rows.ts'

export interface TreeActions {
  /** @param part of its page; without it: what is shown first */
  onOpenTable: (name: TableName, part?: TablePart) => void
  onQueryTable: (name: TableName) => void
  /** Puts a text into the statement, where the cursor is. */
  onInsert: (sql: string) => void
}

/** Quoted only where it has to be; null for rows that are no name of a table or a column. */
export function sqlOfRow(row: TreeRow): string | null {
  if (row.kind === 'table') return sqlTableName(row.name)
  return row.kind === 'column' ? quoteIdentifier(row.label) : null
}

async function copyName(name: string): Promise<void> {
  if (await copyText(name)) say(`${name} copied`)
}

export function treeMenuItems(row: TreeRow, actions: TreeActions): MenuItem[] {
  const { onOpenTable, onQueryTable, onInsert } = actions
  if (row.kind === 'namespace')
    return [{ label: 'Copy name', onSelect: () => void copyName(`iceberg.${formatNamespace(row.levels)}`) }]
  const sql = sqlOfRow(row)
  if (sql === null) return []
  const ofName: MenuItem[] = [
    { label: 'Insert name', detail: 'Enter, a double click, or drag it', onSelect: () => onInsert(sql) },
    { label: 'Copy name', onSelect: () => void copyName(sql) },
  ]
  if (row.kind !== 'table') return ofName
  return [
    {
      label: 'Preview',
      detail: 'rows of one row group',
      onSelect: () => onOpenTable(row.name, 'preview'),
    },
    { label: 'Query', detail: 'in a new tab', onSelect: () => onQueryTable(row.name) },
    ...ofName,
    { label: 'Open details', detail: 'Space', onSelect: () => onOpenTable(row.name) },
  ]
}
