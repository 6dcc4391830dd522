import { expect, it } from 'vitest'
import type { ColumnNode, SnapshotInfo } from '@lake/core/api/contract.ts'
import { columnHistory, schemaHistory } from './schema-history.ts'

const column = (id: number, name: string, type = 'long', children: ColumnNode[] = []): ColumnNode => ({
  id,
  name,
  type,
  isRequired: false,
  doc: null,
  initialDefault: null,
  writeDefault: null,
  children,
})
const schema = (schemaId: number, ...columns: ColumnNode[]) => ({ schemaId, columns, identifierFieldIds: [] })
const snapshot = (snapshotId: string, schemaId: number | null, day: number) =>
  ({ snapshotId, schemaId, committedAtMs: Date.UTC(2026, 8, day) }) as SnapshotInfo

const table = {
  currentSchemaId: 2,
  // In no order: metadata need not have one.
  schemas: [
    schema(2, column(1, 'id'), column(2, 'who', 'string'), column(4, 'at', 'struct', [column(5, 'x')])),
    schema(0, column(1, 'id', 'int'), column(2, 'name', 'string'), column(3, 'old')),
    schema(1, column(1, 'id', 'int'), column(2, 'who', 'string'), column(3, 'old')),
  ],
  snapshots: [snapshot('40', null, 4), snapshot('30', 1, 3), snapshot('20', 1, 2), snapshot('10', 0, 1)],
}

it('[TP8] each schema is told with what it changed and the first commit with it', () => {
  const history = schemaHistory(table)
  expect(
    history.map(({ schemaId, columnCount, isCurrent, firstSnapshot }) => [
      schemaId,
      columnCount,
      isCurrent,
      firstSnapshot?.snapshotId ?? null,
    ]),
  ).toEqual([
    [0, 3, false, '10'],
    [1, 3, false, '20'],
    [2, 4, true, null],
  ])
  expect(history[0]?.changes).toBeNull()
  expect(history[1]?.changes).toEqual([{ kind: 'renamed', fieldId: 2, path: 'who', detail: 'name' }])
})

it('[TP8] a column has its own past, by field id', () => {
  const history = schemaHistory(table)
  expect(columnHistory(history, 1)).toEqual(['schema 2: widened, int → long, no snapshot of it'])
  expect(columnHistory(history, 2)).toEqual([
    'schema 1: renamed, was name, since the commit of 2026-09-02 00:00:00 UTC',
  ])
  expect(columnHistory(history, 5)).toEqual(['schema 2: added, long, no snapshot of it'])
  expect(columnHistory(history, 9)).toEqual([])
})
