// analytics.robots: the fleet, one small file, unpartitioned, with a nested column. Joins analytics.episodes by robot_id.
import { commitSnapshot } from '../iceberg/commit-snapshot.ts'
import { field, struct } from '../iceberg/schema-fields.ts'
import { demoTime } from './demo-table.ts'
import type { DemoContext, DemoTable } from './demo-table.ts'

/** Not scaled: episodes of every scale refer to all of them. */
const ROBOTS = 500

const FIELDS = [
  field(1, 'robot_id', 'string'),
  field(2, 'model', 'string'),
  field(3, 'firmware', 'string'),
  field(4, 'commissioned', 'date'),
  field(5, 'site', 'string'),
  field(
    6,
    'location',
    struct(field(7, 'latitude', 'double'), field(8, 'longitude', 'double'), field(9, 'floor', 'int')),
  ),
] as const

export const robotsTable: DemoTable = {
  ident: { namespace: ['analytics'], name: 'robots' },
  fields: FIELDS,
  comment: 'The robots of the fleet',
  createdMs: Date.parse('2026-08-01T09:00:00Z'),
  fill,
}

async function fill(context: DemoContext): Promise<void> {
  const file = await context.writer.write({
    sql: `
      SELECT 'R-' || lpad(i::VARCHAR, 4, '0') AS robot_id,
        ['Heron', 'Finch', 'Ibis', 'Crane'][(hash(i, 1) % 4)::INT + 1] AS model,
        '4.' || (hash(i, 2) % 8)::VARCHAR || '.' || (hash(i, 3) % 20)::VARCHAR AS firmware,
        DATE '2023-01-01' + (hash(i, 4) % 1200)::INT AS commissioned,
        CASE WHEN hash(i, 5) % 25 = 0 THEN NULL
          ELSE ['Graz', 'Lyon', 'Osaka', 'Tromsø', 'Austin'][(hash(i, 5) % 5)::INT + 1] END AS site,
        CASE WHEN hash(i, 6) % 20 = 0 THEN NULL ELSE {
          'latitude': round((hash(i, 7) % 1800000)::DOUBLE / 10000 - 90, 4),
          'longitude': round((hash(i, 8) % 3600000)::DOUBLE / 10000 - 180, 4),
          'floor': (hash(i, 9) % 6)::INT - 1 } END AS location
      FROM range(${ROBOTS}) r(i) ORDER BY i`,
    fields: FIELDS,
    location: `${context.location}/data/00000-0-robots.parquet`,
    partition: {},
    rowGroupRows: 2_048,
  })
  const timestampMs = demoTime(Date.parse('2026-08-01T09:05:00.250Z'))
  await commitSnapshot(context, context.table, { operation: 'append', added: [file], timestampMs })
}
