// The rows of analytics.maintenance in each version of its schema, as SQL. Like all of the demo, they follow from hashes.
import { field, listOf } from '../iceberg/schema-fields.ts'
import type { FieldJson } from '../iceberg/schema-fields.ts'
import { dayNumber } from './demo-table.ts'

/** Of schema, partition spec and sort order alike: they have changed together. */
export type Version = 0 | 1 | 2

/** Not scaled: it is a small table, and its sketches are worth something with a few thousand values only. */
const VISITS_PER_DAY = 400
const FIRST_DAY = dayNumber('2026-07-06')
const SHIFT_MICROS = 36_000_000_000n
const SHIFT_STARTS_MICROS = 21_600_000_000n
const DAY_MICROS = 86_400_000_000n

export const IDENTIFIERS: readonly number[] = [1]
const visitId = (type: 'int' | 'long'): FieldJson => {
  return { ...field(1, 'visit_id', type, 'Ascending with time'), required: true }
}
const ROBOT_ID = field(2, 'robot_id', 'string', 'See analytics.robots')
const OPENED_AT = field(3, 'opened_at', 'timestamptz')
const MINUTES = field(5, 'minutes', 'int', 'NULL while the visit lasts')
const WEAR = 'Wear of the gripper, 0 to 1; NaN where the sensor had failed'
const COST = 'In euro; NULL under warranty'

export const FIELDS_OF: Readonly<Record<Version, readonly FieldJson[]>> = [
  [
    visitId('int'),
    ROBOT_ID,
    OPENED_AT,
    field(4, 'technician', 'string'),
    MINUTES,
    field(6, 'wear', 'float', WEAR),
    field(7, 'cost', 'decimal(8, 2)', COST),
    field(8, 'part', 'string', 'The one part that was replaced'),
  ],
  // Widened: visit_id, wear. Renamed: technician.
  [
    visitId('long'),
    ROBOT_ID,
    OPENED_AT,
    field(4, 'done_by', 'string'),
    MINUTES,
    field(6, 'wear', 'double', WEAR),
    field(7, 'cost', 'decimal(8, 2)', COST),
    field(8, 'part', 'string', 'The one part that was replaced'),
  ],
  // Widened: cost. Dropped: part. Added: severity, parts.
  [
    visitId('long'),
    ROBOT_ID,
    OPENED_AT,
    field(4, 'done_by', 'string'),
    field(9, 'severity', 'string'),
    MINUTES,
    field(6, 'wear', 'double', WEAR),
    field(7, 'cost', 'decimal(12, 2)', COST),
    field(10, 'parts', listOf(11, 'string'), 'All parts that were replaced'),
  ],
]
const ORDERS: Readonly<Record<Version, string>> = ['visit_id', 'opened_at', 'robot_id, opened_at DESC']

const PART = `CASE WHEN hash(i, 26) % 3 > 0 THEN
  ['gripper pad', 'wheel', 'battery', 'lidar cover', 'belt', 'fan'][(hash(i, 27) % 6)::INT + 1] END`
const DONE_BY = `['Ada', 'Björn', 'Chidi', 'Dora', 'Emre', 'Fumiko', 'Grace', 'Håkon'][(hash(i, 23) % 8)::INT + 1]`
const ROBOT = `'R-' || lpad((hash(i, 21) % 500)::VARCHAR, 4, '0')`
const SEVERITY = `['routine', 'minor', 'major'][least((hash(i, 28) % 6)::INT, 2) + 1]`

const COLUMNS: Readonly<Record<string, (version: Version) => string>> = {
  visit_id: (version) => (version === 0 ? 'i::INT' : 'i::BIGINT'),
  robot_id: () => ROBOT,
  opened_at: () =>
    `make_timestamptz(day * ${DAY_MICROS} + ${SHIFT_STARTS_MICROS} + (hash(i, 22) % ${SHIFT_MICROS})::BIGINT)`,
  technician: () => DONE_BY,
  done_by: () => DONE_BY,
  severity: () => SEVERITY,
  minutes: () => 'CASE WHEN hash(i, 24) % 60 > 0 THEN 10 + (hash(i, 24) % 170)::INT END',
  wear: (version) =>
    `CASE WHEN hash(i, 25) % 40 = 0 THEN 'nan'::DOUBLE ELSE (hash(i, 25) % 1000) / 1000 END::${version === 0 ? 'FLOAT' : 'DOUBLE'}`,
  cost: (version) =>
    `CASE WHEN hash(i, 29) % 4 > 0 THEN ((hash(i, 29) % 90000) / 100)::DECIMAL(${version === 2 ? 12 : 8}, 2) END`,
  part: () => PART,
  parts: () =>
    `list_filter([${PART}, CASE WHEN hash(i, 30) % 9 = 0 THEN 'bolt' END], lambda p: p IS NOT NULL)`,
}

/** @param robots only visits to these; undefined: to all */
export function visitsSql(version: Version, days: readonly string[], robots?: readonly string[]): string {
  const columns = FIELDS_OF[version].map(({ name }) => `${COLUMNS[name]?.(version)} AS ${name}`)
  const where =
    robots === undefined ? '' : `WHERE ${ROBOT} IN (${robots.map((robot) => `'${robot}'`).join(', ')})`
  return `SELECT ${columns.join(',\n  ')}\nFROM (${idsSql(days)}) ${where} ORDER BY ${ORDERS[version]}`
}

/** A visit that was written down later, and waits in a branch. */
export function lateVisitSql(robot: string): string {
  return `SELECT * REPLACE ('${robot}' AS robot_id) FROM (${visitsSql(2, ['2026-09-28'])}) ORDER BY visit_id DESC LIMIT 1`
}

/** `i` and `day`; ids go on from Monday to Monday. */
function idsSql(days: readonly string[]): string {
  const each = days.map((text) => {
    const day = dayNumber(text)
    const first = ((day - FIRST_DAY) / 7) * VISITS_PER_DAY + 1
    return `SELECT i, ${day} AS day FROM range(${first}, ${first + VISITS_PER_DAY}) r(i)`
  })
  return each.join(' UNION ALL ')
}

const WEEKS = 13
const ALL_IDS = `range(1, ${WEEKS * VISITS_PER_DAY + 1}) r(i)`

/** Columns that have sketches, and their values from the first commit to the newest before the deletes. */
export const SKETCHED: readonly { id: number; type: string; sql: string }[] = [
  { id: 1, type: 'long', sql: `SELECT i AS value FROM ${ALL_IDS}` },
  { id: 2, type: 'string', sql: `SELECT DISTINCT ${ROBOT} AS value FROM ${ALL_IDS}` },
  { id: 4, type: 'string', sql: `SELECT DISTINCT ${DONE_BY} AS value FROM ${ALL_IDS}` },
  {
    id: 9,
    type: 'string',
    sql: `SELECT DISTINCT ${SEVERITY} AS value FROM ${ALL_IDS} WHERE i > ${(WEEKS - 2) * VISITS_PER_DAY}`,
  },
]
