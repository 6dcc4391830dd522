// What a name means, when the pointer rests on it: a column's type and doc, a table's columns and last commit. From
// metadata that completion has loaded too; nothing is read from data files.
import type { ColumnNode, TableResponse } from '@lake/core/api/contract.ts'
import { findReservedColumn } from '@lake/core/iceberg/reserved-columns.ts'
import { loadNamespaces, loadTable } from '../../api/query-client.ts'
import { namespaceText } from '../../api/table-name.ts'
import { nameAt, type NamedPlace } from '../../sql/name-at.ts'
import type { ScopeTable } from '../../sql/sql-scope.ts'
import { countedText, instantText } from '../../ui/format-quantity.ts'
import { monaco } from './monaco-setup.ts'
import { visibleText } from '../../ui/visible-text.ts'

/** Text of catalogs is not ours: it must not become markup. */
const plain = (text: string): string =>
  visibleText(text).replaceAll(/[\\`*_{}[\]()#+\-.!|<>&~]/g, String.raw`\$&`)

function columnsOf(table: TableResponse): readonly ColumnNode[] {
  return table.schemas.find(({ schemaId }) => schemaId === table.currentSchemaId)?.columns ?? []
}

function tableText(table: TableResponse): string {
  const current = table.snapshots.find(({ snapshotId }) => snapshotId === table.currentSnapshotId)
  const rows = current?.summary['total-records']
  const facts = [countedText(columnsOf(table).length, 'column')]
  if (rows !== undefined) facts.push(`${plain(rows)} rows, as the last commit says`)
  facts.push(
    current === undefined ? 'never committed' : `committed ${plain(instantText(current.committedAtMs))}`,
  )
  const { comment } = table.properties
  return `**${plain([...table.namespace, table.table].join('.'))}**\n\n${facts.join(' · ')}${
    comment === undefined ? '' : `\n\n${plain(comment)}`
  }`
}

function columnText(column: ColumnNode, table: ScopeTable): string {
  const need = column.isRequired ? ' · required' : ''
  const doc = column.doc === null ? '' : `\n\n${plain(column.doc)}`
  return `**${plain(column.name)}** ${plain(column.type)}${need}\n\n${plain(`${table.namespace}.${table.table}`)}, field id ${column.id}${doc}`
}

async function textOf(place: NamedPlace, scope: ScopeTable): Promise<string | null> {
  const namespaces = await loadNamespaces()
  const namespace = namespaces.find((levels) => namespaceText(levels) === scope.namespace) ?? [
    scope.namespace,
  ]
  const table = await loadTable({ namespace, table: scope.table })
  const name = place.name.toLowerCase()
  const column = columnsOf(table).find((known) => known.name.toLowerCase() === name)
  if (column !== undefined) return columnText(column, scope)
  const reserved = findReservedColumn(name)
  if (reserved) return `**${plain(reserved.name)}**\n\n${plain(reserved.doc)}`
  return name === scope.table.toLowerCase() || name === scope.name.toLowerCase() ? tableText(table) : null
}

/** Registers the provider; once for the page. */
export function registerSqlHover(): void {
  monaco.languages.registerHoverProvider('sql', {
    async provideHover(model, position) {
      const place = nameAt(model.getValue(), model.getOffsetAt(position))
      if (place === null) return null
      const texts = await Promise.allSettled(place.tables.map((table) => textOf(place, table)))
      const contents = texts.flatMap((text) =>
        text.status === 'fulfilled' && text.value !== null ? [{ value: text.value }] : [],
      )
      if (contents.length === 0) return null
      const range = monaco.Range.fromPositions(
        model.getPositionAt(place.startOffset),
        model.getPositionAt(place.endOffset),
      )
      return { contents, range }
    },
  })
}
