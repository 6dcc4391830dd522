// analytics.maintenance: visits of technicians to robots, on Mondays. Small, and with the past of a table that has lived: columns
// renamed, widened, dropped and added, partitions made finer twice, files sorted in two orders, a tag, a branch that main does
// not have, rows deleted by position, and sketches of distinct values of a snapshot that is not the newest any more.
import { applyTransform, parseTransform } from '@lake/core/iceberg/transform.ts'
import { asLong, asObject, parseJson } from '../catalog/json.ts'
import type { JsonObject } from '../catalog/json.ts'
import { commitSnapshot } from '../iceberg/commit-snapshot.ts'
import type { DataFile } from '../iceberg/manifest-files.ts'
import { encodeValue } from '../iceberg/single-value.ts'
import { commitStatistics } from '../iceberg/statistics-file.ts'
import { thetaSketch } from '../iceberg/theta-sketch.ts'
import { dayNumber, demoTime, schemaJson } from './demo-table.ts'
import type { DemoContext, DemoTable } from './demo-table.ts'
import {
  FIELDS_OF,
  IDENTIFIERS,
  lateVisitSql,
  SKETCHED,
  visitsSql,
  type Version,
} from './maintenance-rows.ts'
import { writePositionDeletes } from './position-deletes.ts'

const BUCKETS = 4
const BUCKET = `bucket[${BUCKETS}]`
const ROBOTS = 500
const DELETED_ROWS = 5
/** Of `opened_at`, and from 1970. */
const MONTHS = [
  {
    month: (2026 - 1970) * 12 + 6,
    name: '2026-07',
    days: ['2026-07-06', '2026-07-13', '2026-07-20', '2026-07-27'],
  },
  {
    month: (2026 - 1970) * 12 + 7,
    name: '2026-08',
    days: ['2026-08-03', '2026-08-10', '2026-08-17', '2026-08-24', '2026-08-31'],
  },
] as const
const AT = {
  months: ['2026-08-01T05:00:12.301Z', '2026-09-01T05:00:09.774Z'],
  firstChange: '2026-09-02T09:12:40.000Z',
  byDay: ['2026-09-08T05:00:11.090Z', '2026-09-15T05:00:10.431Z'],
  secondChange: '2026-09-16T13:47:05.000Z',
  byBucket: ['2026-09-22T05:00:13.662Z', '2026-09-29T05:00:10.018Z'],
  statistics: '2026-09-29T06:30:00.000Z',
  tag: '2026-09-30T22:00:00.000Z',
  deleted: '2026-10-01T08:20:31.554Z',
  branch: '2026-10-02T16:05:00.207Z',
} as const
const MONTH_FIELD = { 'source-id': 3, transform: 'month', name: 'opened_at_month' } as const
const DAY_FIELD = { 'source-id': 3, transform: 'day', name: 'opened_at_day', 'field-id': 1_001 } as const
const BUCKET_FIELD = {
  'source-id': 2,
  transform: BUCKET,
  name: 'robot_id_bucket',
  'field-id': 1_002,
} as const
const ASCENDING = { transform: 'identity', direction: 'asc', 'null-order': 'nulls-first' } as const
const NEWEST_FIRST = {
  transform: 'identity',
  'source-id': 3,
  direction: 'desc',
  'null-order': 'nulls-last',
} as const

export const maintenanceTable: DemoTable = {
  ident: { namespace: ['analytics'], name: 'maintenance' },
  fields: FIELDS_OF[0],
  identifierFieldIds: IDENTIFIERS,
  partitionBy: {
    sourceId: MONTH_FIELD['source-id'],
    name: MONTH_FIELD.name,
    transform: MONTH_FIELD.transform,
  },
  comment: 'Visits of technicians to robots; a table whose schema, partitions and order have changed',
  createdMs: Date.parse('2026-07-01T07:30:00Z'),
  fill,
}

async function fill(context: DemoContext): Promise<void> {
  for (const [index, { month, name, days }] of MONTHS.entries())
    await append(context, AT.months[index], [
      await context.writer.write(visits(context, 0, days, `month=${name}`, { opened_at_month: month })),
    ])
  await evolve(context, AT.firstChange, 1, [DAY_FIELD], [{ ...ASCENDING, 'source-id': 3 }])
  for (const [index, day] of ['2026-09-07', '2026-09-14'].entries())
    await append(context, AT.byDay[index], [
      await context.writer.write(visits(context, 1, [day], `day=${day}`, { opened_at_day: dayNumber(day) })),
    ])
  const order = [{ ...ASCENDING, 'source-id': 2 }, NEWEST_FIRST]
  await evolve(context, AT.secondChange, 2, [DAY_FIELD, BUCKET_FIELD], order)
  let files: DataFile[] = []
  for (const [index, day] of ['2026-09-21', '2026-09-28'].entries()) {
    const buckets = Array.from({ length: BUCKETS }, (_, bucket) => bucketFile(context, day, bucket))
    files = await context.writer.writeAll(buckets)
    await append(context, AT.byBucket[index], files)
  }
  await sketch(context)
  await tag(context)
  await deleteRows(context, files[0])
  const bucket = bucketOf('R-0007')
  const late = { ...bucketFile(context, '2026-09-28', bucket, 'late'), sql: lateVisitSql('R-0007') }
  await append(context, AT.branch, [await context.writer.write(late)], 'late-entries')
}

async function append(
  context: DemoContext,
  at: string | undefined,
  added: readonly DataFile[],
  branch = 'main',
): Promise<void> {
  await commitSnapshot(context, context.table, {
    operation: 'append',
    added,
    timestampMs: timeOf(at ?? ''),
    branch,
  })
}

function visits(
  { location }: DemoContext,
  version: Version,
  days: readonly string[],
  folder: string,
  partition: Record<string, number>,
) {
  return {
    sql: visitsSql(version, days),
    fields: FIELDS_OF[version],
    location: `${location}/data/opened_at_${folder}/00000-0-visits.parquet`,
    partition,
    sortOrderId: version,
    rowGroupRows: 2_048,
  }
}

function bucketFile(context: DemoContext, day: string, bucket: number, name = 'visits') {
  const robots = Array.from({ length: ROBOTS }, (_, n) => `R-${String(n).padStart(4, '0')}`)
  const partition = { opened_at_day: dayNumber(day), robot_id_bucket: bucket }
  return {
    ...visits(context, 2, [day], `day=${day}`, partition),
    sql: visitsSql(
      2,
      [day],
      robots.filter((robot) => bucketOf(robot) === bucket),
    ),
    location: `${context.location}/data/opened_at_day=${day}/robot_id_bucket=${bucket}/00000-0-${name}.parquet`,
  }
}

const bucketOf = (robotId: string): number =>
  Number(applyTransform(parseTransform(BUCKET), { kind: 'string' }, robotId))

/** From now on: another schema, partition spec and sort order. */
async function evolve(
  { catalog, table }: DemoContext,
  at: string,
  version: Version,
  specFields: readonly JsonObject[],
  orderFields: readonly JsonObject[],
): Promise<void> {
  const updates: JsonObject[] = [
    { action: 'add-schema', schema: schemaJson(FIELDS_OF[version], IDENTIFIERS) },
    { action: 'set-current-schema', 'schema-id': -1 },
    { action: 'add-spec', spec: { fields: [...specFields] } },
    { action: 'set-default-spec', 'spec-id': -1 },
    { action: 'add-sort-order', 'sort-order': { fields: [...orderFields] } },
    { action: 'set-default-sort-order', 'sort-order-id': -1 },
  ]
  const requirements = [{ type: 'assert-current-schema-id', 'current-schema-id': version - 1 }]
  await catalog.commitTable(table.namespace, table.name, { requirements, updates }, timeOf(at))
}

async function sketch(context: DemoContext): Promise<void> {
  const sketches = new Map<number, ReturnType<typeof thetaSketch>>()
  for (const { id, type, sql } of SKETCHED) {
    const rows = await context.writer.rows(sql)
    sketches.set(id, thetaSketch(rows.map(({ value }) => encodeValue(type, String(value)))))
  }
  await commitStatistics(context, context.table, sketches, timeOf(AT.statistics))
}

/** What was there when the quarter was closed. */
async function tag({ catalog, table }: DemoContext): Promise<void> {
  const loaded = await catalog.loadTable(table.namespace, table.name)
  const metadata = asObject(parseJson(loaded.metadataText), 'metadata')
  const snapshotId = asLong(metadata['current-snapshot-id'], 'current-snapshot-id')
  const updates = [
    { action: 'set-snapshot-ref', 'ref-name': 'q3-close', type: 'tag', 'snapshot-id': snapshotId },
  ]
  await catalog.commitTable(table.namespace, table.name, { requirements: [], updates }, timeOf(AT.tag))
}

async function deleteRows(context: DemoContext, file: DataFile | undefined): Promise<void> {
  if (file === undefined) throw new Error('There is no file to delete rows of')
  const location = file.file_path.replace('-visits.', '-deletes.')
  const deletes = await writePositionDeletes(context.writer, location, [
    { file, count: DELETED_ROWS, stride: 7 },
  ])
  await commitSnapshot(context, context.table, {
    operation: 'delete',
    added: [deletes],
    timestampMs: timeOf(AT.deleted),
  })
}

const timeOf = (text: string): number => demoTime(Date.parse(text))
