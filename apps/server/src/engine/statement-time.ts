// The time that a statement sees. now() and its kin are macros over one fixed time, so that planning, every wave of a
// run, and a durable run an hour later agree about them.
//
// While a statement is planned without a time given, they are opaque instead: the engine must not fold the planning
// time into filters, since files would be skipped by a time that is not the one the rows are judged by.

function literals(statementAtMs: number): { instant: string; date: string; time: string; local: string } {
  const iso = new Date(statementAtMs).toISOString()
  const date = iso.slice(0, 10)
  const time = iso.slice(11, 23)
  return {
    instant: `TIMESTAMPTZ '${date} ${time}+00'`,
    date: `DATE '${date}'`,
    time: `TIME '${time}'`,
    local: `TIMESTAMP '${date} ${time}'`,
  }
}

/** A value that the optimizer cannot know, although it changes nothing: a random number is never NULL. */
const opaque = (value: string): string => `CASE WHEN random() IS NULL THEN NULL ELSE ${value} END`

/** In the name of every macro below, and of the engine's own functions that are made of them. */
const TIME_NAMES = /now|current_|_timestamp|local_?time|today|ago|age|pg_/iu

/**
 * Whether a statement may ask for the time: an identifier has no spelling in which its letters do not stand, so where no
 * such name is in the text, no macro is needed. A doubt counts as yes.
 */
export function mayAskForTime(sql: string): boolean {
  return TIME_NAMES.test(sql)
}

/**
 * Macros for the statement's time in UTC, or opaque ones where it is not known yet; none where it asks for no time, since
 * to make them costs as much as to bind the statement. Temporary, so that they go with the connection.
 *
 * @param statementAtMs milliseconds since 1970, or undefined
 */
export function statementTimeMacros(sql: string, statementAtMs: number | undefined): string[] {
  if (!mayAskForTime(sql)) return []
  const known = literals(statementAtMs ?? 0)
  const value = (text: string): string => (statementAtMs === undefined ? opaque(text) : text)
  const instant = value(known.instant)
  const time = value(known.time)
  const local = value(known.local)
  const date = value(known.date)
  const macros: readonly (readonly [names: readonly string[], value: string])[] = [
    [['now', 'transaction_timestamp', 'get_current_timestamp'], instant],
    [['current_date', 'today'], date],
    [['get_current_time', 'current_time'], `CAST(${time} AS TIMETZ)`],
    [['current_localtime'], time],
    [['current_localtimestamp'], local],
  ]
  return [
    ...macros.flatMap(([names, body]) =>
      names.map((name) => `CREATE OR REPLACE TEMP MACRO ${name}() AS ${body}`),
    ),
    `CREATE OR REPLACE TEMP MACRO age(a) AS system.main.age(CAST(${date} AS TIMESTAMP), a), (a, b) AS system.main.age(a, b)`,
  ]
}
