// What is measured: statements as analysts write them, the same text for the workbench and for DuckDB over local copies.
// `columns` are those that a statement must read, by table, from which the bytes it needs are computed.

export interface Statement {
  readonly name: string
  readonly sql: string
  readonly columns: Readonly<Record<string, readonly string[]>>
}

export const TABLES = ['episodes', 'telemetry', 'robots'] as const

const EPISODES = 'iceberg.analytics.episodes'
const TELEMETRY = 'iceberg.analytics.telemetry'
const ROBOTS = 'iceberg.analytics.robots'
const DAY = `day = DATE '2026-09-20'`

export const EVERY_COLUMN = '*'

export const STATEMENTS: readonly Statement[] = [
  {
    name: 'narrow, one day',
    sql: `SELECT reward FROM ${EPISODES} WHERE ${DAY}`,
    columns: { episodes: ['reward', 'day'] },
  },
  {
    name: 'narrow of 120, one day',
    sql: `SELECT arm_036_count FROM ${TELEMETRY} WHERE ${DAY}`,
    columns: { telemetry: ['arm_036_count', 'day'] },
  },
  {
    name: 'count(*)',
    sql: `SELECT count(*) FROM ${EPISODES}`,
    columns: {},
  },
  {
    name: 'point lookup',
    sql: `SELECT * FROM ${EPISODES} WHERE episode_id = 1234567`,
    columns: { episodes: [EVERY_COLUMN] },
  },
  {
    name: '* LIMIT 100',
    sql: `SELECT * FROM ${EPISODES} LIMIT 100`,
    columns: { episodes: [EVERY_COLUMN] },
  },
  {
    name: 'one column, all rows',
    sql: `SELECT sum(reward) FROM ${EPISODES}`,
    columns: { episodes: ['reward'] },
  },
  {
    name: 'aggregate, all rows',
    sql: `SELECT robot_id, count(*), avg(reward) FROM ${EPISODES} GROUP BY ALL ORDER BY ALL`,
    columns: { episodes: ['robot_id', 'reward'] },
  },
  {
    name: 'join',
    sql: `SELECT site, avg(reward) FROM ${EPISODES} JOIN ${ROBOTS} USING (robot_id) WHERE day >= DATE '2026-09-20' GROUP BY ALL ORDER BY ALL`,
    columns: { episodes: ['robot_id', 'reward', 'day'], robots: ['robot_id', 'site'] },
  },
  {
    name: '* of all rows',
    sql: `SELECT * FROM ${EPISODES}`,
    columns: { episodes: [EVERY_COLUMN] },
  },
]
