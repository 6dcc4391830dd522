// analytics.telemetry: wide, 120 columns of mixed types, one file a day with several row groups, so that reading few
// columns or few row groups shows.
import { commitSnapshot } from '../iceberg/commit-snapshot.ts'
import { field } from '../iceberg/schema-fields.ts'
import type { FieldJson } from '../iceberg/schema-fields.ts'
import { dayNumber, dayText, demoTime, scaled } from './demo-table.ts'
import type { DemoContext, DemoTable } from './demo-table.ts'

const DAYS = 20
const LAST_DAY = dayNumber('2026-09-30')
const ROWS_PER_DAY = 10_000
const SENSORS = 117
const KINDS = ['double', 'int', 'double', 'string', 'double'] as const
const PARTS = ['arm', 'base', 'battery', 'camera', 'drive', 'gripper', 'imu', 'lidar', 'wrist']
const DAY_MICROS = 86_400_000_000

interface Sensor {
  readonly name: string
  readonly type: 'double' | 'int' | 'string'
}

const sensors: readonly Sensor[] = Array.from({ length: SENSORS }, (_, n) => {
  const type = KINDS[n % KINDS.length] ?? 'double'
  const unit = type === 'double' ? 'value' : type === 'int' ? 'count' : 'state'
  return { name: `${PARTS[n % PARTS.length]}_${String(n).padStart(3, '0')}_${unit}`, type }
})

const FIELDS: readonly FieldJson[] = [
  field(1, 'ts', 'timestamptz'),
  field(2, 'robot_id', 'string'),
  field(3, 'day', 'date'),
  ...sensors.map(({ name, type }, n) => field(4 + n, name, type)),
]

export const telemetryTable: DemoTable = {
  ident: { namespace: ['analytics'], name: 'telemetry' },
  fields: FIELDS,
  partitionBy: { sourceId: 3, name: 'day' },
  comment: 'Sensor readings, one wide row each',
  createdMs: Date.parse('2026-09-10T12:00:00Z'),
  fill,
}

async function fill(context: DemoContext): Promise<void> {
  const rows = scaled(ROWS_PER_DAY, context.scale)
  const planned = Array.from({ length: DAYS }, (_, n) => {
    const day = LAST_DAY - DAYS + 1 + n
    return {
      sql: telemetrySql(day, n * rows, rows),
      fields: FIELDS,
      location: `${context.location}/data/day=${dayText(day)}/${String(n).padStart(5, '0')}-0-telemetry.parquet`,
      partition: { day },
      rowGroupRows: 2_048,
    }
  })
  const files = await context.writer.writeAll(planned)
  const half = DAYS / 2
  for (const [added, at] of [
    [files.slice(0, half), '2026-09-21T00:20:12.118Z'],
    [files.slice(half), '2026-10-01T00:20:15.902Z'],
  ] as const) {
    const timestampMs = demoTime(Date.parse(at))
    await commitSnapshot(context, context.table, { operation: 'append', added, timestampMs })
  }
}

function telemetrySql(day: number, firstId: number, rows: number): string {
  const step = Math.floor(DAY_MICROS / rows)
  const columns = sensors.map(({ name, type }, n) => `${sensorSql(type, n)} AS ${name}`)
  return `
    SELECT make_timestamptz(${day * DAY_MICROS} + (i - ${firstId}) * ${step}) AS ts,
      'R-' || lpad((h % 500)::VARCHAR, 4, '0') AS robot_id,
      DATE '1970-01-01' + ${day} AS day,
      ${columns.join(',\n      ')}
    FROM (SELECT i, hash(i, 77) AS h FROM range(${firstId}, ${firstId + rows}) r(i)) ORDER BY i`
}

/** Each sensor is a different part of one hash of the row; a twentieth of the readings is missing. */
function sensorSql(type: Sensor['type'], n: number): string {
  const mixed = `hash(h + ${n})`
  const present = `${mixed} % 20 <> 0`
  if (type === 'int') return `CASE WHEN ${present} THEN (${mixed} % ${100 + n * 13})::INT END`
  if (type === 'string')
    return `CASE WHEN ${present} THEN ['ok', 'warn', 'fault', 'off'][(${mixed} % 4)::INT + 1] END`
  return `CASE WHEN ${present} THEN round((${mixed} % 100000)::DOUBLE / ${10 + n}, 3) END`
}
