// The rows of analytics.episodes as SQL: everything follows from the episode's id by hashing, so that the content is the
// same on every machine and at every start.

export interface EpisodeRange {
  /** Days from 1970. */
  readonly day: number
  /** When the first episode may start, in microseconds from 1970, and how long starts are spread over. */
  readonly startMicros: number
  readonly spanMicros: number
  readonly rows: number
  readonly firstId: number
  readonly hasOperator: boolean
}

const TASKS = [
  'pick',
  'place',
  'stack',
  'sort',
  'dock',
  'inspect',
  'charge',
  'patrol',
  'open drawer',
  'fold cloth',
]
const NOTES = [
  'gripper slipped',
  'délai réseau, retried',
  'said "ok", then stopped',
  'lighting too low; camera 2',
  'handed over to operator',
  '再試行で成功',
]
const OPERATORS = ['Ada', 'Björn', 'Chidi', 'Dolores', 'Emiko']

/** Rows in the order of their ids, which is also that of their start. */
export function episodesSql(range: EpisodeRange): string {
  const { day, startMicros, spanMicros, rows, firstId, hasOperator } = range
  const step = Math.max(1, Math.floor(spanMicros / rows))
  const operator = hasOperator
    ? `, CASE WHEN ${share('i', 11)} < 0.9 THEN ${pick('i', 12, OPERATORS)} END AS operator`
    : ''
  return `
    SELECT i AS episode_id,
      'R-' || lpad((hash(i, 1) % 500)::VARCHAR, 4, '0') AS robot_id,
      (DATE '1970-01-01' + ${day}) AS day,
      make_timestamptz(started) AS started_at,
      make_timestamptz(started + 10000000 + (hash(i, 3) % 590000000)::BIGINT) AS finished_at,
      ${pick('i', 4, TASKS)} AS task,
      CASE WHEN steps > 0 THEN round(${share('i', 6)} * 2 - 1 + is_success::INT * 0.75, 6) END AS reward,
      is_success AS success,
      steps,
      ((hash(i, 7) % 4000000)::BIGINT / 1000.0)::DECIMAL(12, 3) AS distance_m,
      CASE WHEN ${share('i', 8)} < 0.6 THEN NULL WHEN ${share('i', 8)} < 0.75 THEN ''
        ELSE ${pick('i', 9, NOTES)} END AS notes${operator}
    FROM (
      SELECT i, ${startMicros} + (i - ${firstId}) * ${step} + (hash(i, 2) % ${step})::BIGINT AS started,
        ${share('i', 5)} < 0.82 AS is_success,
        CASE WHEN ${share('i', 10)} < 0.01 THEN 0 ELSE 20 + (hash(i, 13) % 1480)::INT END AS steps
      FROM range(${firstId}, ${firstId + rows}) r(i)
    ) ORDER BY i`
}

/** A number from 0 to 1 that follows from a column and a salt. */
function share(column: string, salt: number): string {
  return `((hash(${column}, ${salt}) % 1000000)::DOUBLE / 1000000)`
}

function pick(column: string, salt: number, values: readonly string[]): string {
  const list = values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')
  return `[${list}][(hash(${column}, ${salt}) % ${values.length})::INT + 1]`
}
