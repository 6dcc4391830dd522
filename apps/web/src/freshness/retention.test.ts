import { describe, expect, it } from 'vitest'
import type { TableResponse } from '@lake/core/api/contract.ts'
import { removableFromMs, tagStatement } from './retention.ts'

const DAY_MS = 86_400_000
const snapshots = ['4', '3', '2', '1'].map((snapshotId, place, ids) => ({
  snapshotId,
  parentSnapshotId: ids[place + 1] ?? null,
  committedAtMs: Number(snapshotId) * DAY_MS,
})) as TableResponse['snapshots']
const tableOf = (properties: Record<string, string>, tagged: string[] = []) => ({
  properties,
  snapshots,
  currentSnapshotId: '4',
  refs: ['4', ...tagged].map((snapshotId) => ({ name: snapshotId, kind: 'tag' as const, snapshotId })),
})
const AGE = { 'history.expire.max-snapshot-age-ms': String(5 * DAY_MS) }

describe('[FR3] retention', () => {
  it('is what the table says: age, the newest that are kept, and what branches and tags point to', () => {
    expect(removableFromMs(tableOf(AGE), '1')).toBe(6 * DAY_MS)
    expect(removableFromMs(tableOf(AGE), '4')).toBeNull()
    expect(removableFromMs(tableOf(AGE, ['2']), '2')).toBeNull()
    const three = { ...AGE, 'history.expire.min-snapshots-to-keep': '3' }
    expect(['3', '2', '1'].map((id) => removableFromMs(tableOf(three), id))).toEqual([null, null, 6 * DAY_MS])
  })

  it('is foretold of nothing that is not known', () => {
    for (const properties of [{}, { 'history.expire.max-snapshot-age-ms': 'soon' }])
      expect(removableFromMs(tableOf(properties), '1')).toBeNull()
    expect(removableFromMs(tableOf(AGE), '77')).toBeNull()
  })

  it('names the statement that keeps the snapshot', () => {
    const name = { namespace: ['sales'], table: 'order lines' }
    expect(tagStatement(name, '9007199254740993')).toBe(
      'ALTER TABLE sales.`order lines` CREATE TAG `keep_9007199254740993` AS OF VERSION 9007199254740993',
    )
  })
})
