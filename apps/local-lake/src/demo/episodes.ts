// analytics.episodes: one row for each episode that a robot ran, partitioned by day, two files a day. Its history is the
// point: appends, a column added on the way, position deletes, the overwrite that makes them good, a late append. The
// current snapshot has no delete files; the history has.
import { commitSnapshot } from '../iceberg/commit-snapshot.ts'
import type { DataFile } from '../iceberg/manifest-files.ts'
import { literal } from '../iceberg/parquet-writer.ts'
import type { ParquetFile } from '../iceberg/parquet-writer.ts'
import { field } from '../iceberg/schema-fields.ts'
import type { FieldJson } from '../iceberg/schema-fields.ts'
import { dayNumber, dayText, demoTime, scaled, schemaJson, unevenParts } from './demo-table.ts'
import type { DemoContext, DemoTable } from './demo-table.ts'
import { episodesSql } from './episodes-sql.ts'
import { writePositionDeletes } from './position-deletes.ts'

export const EPISODES = { namespace: ['analytics'], name: 'episodes' } as const

const FIRST_FIELDS: readonly FieldJson[] = [
  field(1, 'episode_id', 'long', 'Unique, ascending with time'),
  field(2, 'robot_id', 'string', 'See analytics.robots'),
  field(3, 'day', 'date', 'Day on which the episode started, in UTC'),
  field(4, 'started_at', 'timestamptz'),
  field(5, 'finished_at', 'timestamptz'),
  field(6, 'task', 'string'),
  field(7, 'reward', 'double', 'NULL where the episode was aborted'),
  field(8, 'success', 'boolean'),
  field(9, 'steps', 'int'),
  field(10, 'distance_m', 'decimal(12, 3)', 'Distance driven, in metres'),
  field(11, 'notes', 'string', 'NULL: nobody looked; empty: nothing to say'),
]
const OPERATOR = field(12, 'operator', 'string', 'Who supervised; since the middle of September')
export const EPISODE_FIELDS: readonly FieldJson[] = [...FIRST_FIELDS, OPERATOR]

const LAST_DAY = dayNumber('2026-09-30')
const DAYS = 60
const FILES_PER_DAY = 2
const ROWS = 2_000_000
/** Days whose files get position deletes, by index; each loses the same number of rows per file. */
const REPAIRED_DAYS = [9, 24, 39]
const DELETED_ROWS_PER_FILE = 250
const ROW_GROUP_ROWS = 8_192

/** Indexes of days, first inclusive and last exclusive, and the time of the commit that appends them. */
const APPENDS = [
  { first: 0, last: 20, at: '2026-08-22T02:15:07.412Z' },
  { first: 20, last: 35, at: '2026-09-06T02:14:51.038Z' },
  { first: 35, last: 48, at: '2026-09-19T02:15:22.907Z' },
  { first: 48, last: 60, at: '2026-10-01T02:15:03.551Z' },
] as const
const SCHEMA_CHANGED_AT = '2026-09-20T08:30:00.000Z'
const DELETED_AT = '2026-10-02T09:41:18.226Z'
const REPAIRED_AT = '2026-10-03T03:00:44.703Z'
const LATE_APPEND_AT = '2026-10-04T02:15:09.120Z'

export const episodesTable: DemoTable = {
  ident: EPISODES,
  fields: FIRST_FIELDS,
  partitionBy: { sourceId: 3, name: 'day' },
  comment: 'Episodes run by the robots of the fleet, one row each',
  createdMs: Date.parse('2026-08-01T10:00:00Z'),
  fill,
}

async function fill(context: DemoContext): Promise<void> {
  const { table, scale } = context
  const sizes = unevenParts(scaled(ROWS, scale), DAYS * FILES_PER_DAY)
  const repaired = new Map<number, DataFile[]>()
  let [fileIndex, episodeId] = [0, 0]
  for (const { first, last, at } of APPENDS) {
    const isExtended = first === 48
    if (isExtended) await addOperator(context)
    const planned: EpisodesFile[] = []
    for (let dayIndex = first; dayIndex < last; dayIndex += 1)
      for (let part = 0; part < FILES_PER_DAY; part += 1) {
        const rows = sizes[fileIndex] ?? 0
        planned.push({ dayIndex, part, rows, episodeId, isExtended, fileIndex })
        fileIndex += 1
        episodeId += rows
      }
    const files = await context.writer.writeAll(planned.map((file) => episodesFile(context, file)))
    for (const dayIndex of REPAIRED_DAYS)
      if (dayIndex >= first && dayIndex < last)
        repaired.set(
          dayIndex,
          files.filter((_file, n) => planned[n]?.dayIndex === dayIndex),
        )
    await commitSnapshot(context, table, { operation: 'append', added: files, timestampMs: commitTime(at) })
  }
  await repair(context, repaired)
  const rows = REPAIRED_DAYS.length * FILES_PER_DAY * deletedRows(scale)
  const late = { dayIndex: DAYS - 1, part: 1, rows, episodeId, isExtended: true, fileIndex }
  const added = [await context.writer.write(episodesFile(context, late))]
  await commitSnapshot(context, table, {
    operation: 'append',
    added,
    timestampMs: commitTime(LATE_APPEND_AT),
  })
}

interface EpisodesFile {
  readonly dayIndex: number
  readonly part: number
  readonly rows: number
  readonly episodeId: number
  readonly isExtended: boolean
  readonly fileIndex: number
}

function episodesFile(context: DemoContext, file: EpisodesFile): ParquetFile {
  const day = LAST_DAY - DAYS + 1 + file.dayIndex
  const { rows, episodeId: firstId, isExtended: hasOperator } = file
  const spanMicros = 86_400_000_000 / FILES_PER_DAY
  const startMicros = day * 86_400_000_000 + file.part * spanMicros
  return {
    sql: episodesSql({ day, startMicros, spanMicros, rows, firstId, hasOperator }),
    fields: file.isExtended ? EPISODE_FIELDS : FIRST_FIELDS,
    location: dataLocation(context, day, `${String(file.fileIndex).padStart(5, '0')}-0-episodes`),
    partition: { day },
    rowGroupRows: ROW_GROUP_ROWS,
  }
}

async function addOperator({ catalog, table }: DemoContext): Promise<void> {
  const updates = [
    { action: 'add-schema', schema: schemaJson(EPISODE_FIELDS), 'last-column-id': OPERATOR.id },
    { action: 'set-current-schema', 'schema-id': -1 },
  ]
  const requirements = [{ type: 'assert-last-assigned-field-id', 'last-assigned-field-id': OPERATOR.id - 1 }]
  await catalog.commitTable(
    table.namespace,
    table.name,
    { requirements, updates },
    commitTime(SCHEMA_CHANGED_AT),
  )
}

/** Deletes rows by position, then replaces the files they were deleted from, and the delete files with them. */
async function repair(context: DemoContext, days: ReadonlyMap<number, readonly DataFile[]>): Promise<void> {
  const deletes: DataFile[] = []
  const replacements: DataFile[] = []
  for (const files of days.values()) {
    const count = deletedRows(context.scale)
    const deleted = files.map((file) => ({ file, count, stride: stride(file, count) }))
    const location = dataLocation(context, files[0]?.partition['day'] ?? 0, '00000-0-deletes')
    deletes.push(await writePositionDeletes(context.writer, location, deleted))
    for (const file of files) replacements.push(await rewriteWithoutDeleted(context, file))
  }
  await commitSnapshot(context, context.table, {
    operation: 'delete',
    added: deletes,
    timestampMs: commitTime(DELETED_AT),
  })
  const replaced = [...deletes, ...[...days.values()].flat()]
  await commitSnapshot(context, context.table, {
    operation: 'overwrite',
    added: replacements,
    removedPaths: new Set(replaced.map((file) => file.file_path)),
    timestampMs: commitTime(REPAIRED_AT),
  })
}

async function rewriteWithoutDeleted(context: DemoContext, file: DataFile): Promise<DataFile> {
  const count = deletedRows(context.scale)
  const step = stride(file, count)
  const path = context.writer.pathOf(file.file_path)
  const names = FIRST_FIELDS.map(({ name }) => name).join(', ')
  const day = file.partition['day'] ?? 0
  return context.writer.write({
    sql: `SELECT ${names}, NULL::VARCHAR AS operator FROM read_parquet(${literal(path)}, file_row_number = true)
      WHERE file_row_number % ${step} <> 0 OR file_row_number >= ${step * count} ORDER BY file_row_number`,
    fields: EPISODE_FIELDS,
    location: file.file_path.replace(/-episodes\.parquet$/, '-episodes-repaired.parquet'),
    partition: { day },
    rowGroupRows: ROW_GROUP_ROWS,
  })
}

/** Every how many rows one is deleted. */
function stride(file: DataFile, count: number): number {
  return Math.max(1, Math.floor(Number(file.record_count) / count))
}

function deletedRows(scale: number): number {
  return scaled(DELETED_ROWS_PER_FILE, scale)
}

function dataLocation({ location }: Pick<DemoContext, 'location'>, day: number, name: string): string {
  return `${location}/data/day=${dayText(day)}/${name}.parquet`
}

function commitTime(text: string): number {
  return demoTime(Date.parse(text))
}
