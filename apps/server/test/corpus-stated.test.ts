// Answers stated by the engines that wrote the tables, for what needs nothing beyond reading.
import { describe, expect, it } from 'vitest'
import { CORPUS_MISSING } from './support/corpus.ts'
import { withCorpusStack } from './support/corpus-stack.ts'
import { readStatedAnswers, type StatedAnswer } from './support/stated-answers.ts'

const { answers, leftOut } = CORPUS_MISSING === undefined ? readStatedAnswers() : { answers: [], leftOut: [] }
const tally = { right: 0, refused: 0 }

const corpus = withCorpusStack(() => {
  const reasons = Map.groupBy(leftOut, ({ reason }) => reason)
  const words = [...reasons].map(([reason, entries]) => `${entries.length} ${reason}`).join(', ')
  return `stated answers: ${tally.right} right, ${tally.refused} refused as they should be, ${leftOut.length} left out (${words})`
})

/** Cells as the engine writes them, so that the two can be compared as texts. */
async function ask({
  sql,
}: StatedAnswer): Promise<{ code: string; message: string; rows: (string | null)[][] }> {
  const result = await corpus.stack.client.run(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`)
  if ('status' in result) return { code: result.code, message: result.message, rows: [] }
  if (result.failure) return { code: result.failure.code, message: result.failure.message, rows: [] }
  const rows = result.batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_, row) =>
      batch.schema.fields.map((_field, column) => batch.getChildAt(column)?.get(row) as string | null),
    ),
  )
  return { code: 'ok', message: '', rows }
}

/** Engines write numbers and times with more or fewer zeros and float digits; what they mean must be the same. */
function isSameCell(ours: string | null, stated: string | null): boolean {
  // Impala's tests write a NULL string and the text NULL the same way.
  if (ours === stated || (ours === null && stated === 'NULL')) return true
  if (ours === null || stated === null) return false
  // Impala has no JSON for times with zone and uuids; variant.test.ts states them.
  if (stated === '"<unsupported-type>"') return ours.startsWith('"')
  const moment = /^"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{6})(\d{3})"$/.exec(stated)
  if (moment) {
    const [, date, micros, nanos] = moment
    return ours === `"${date}T${micros}${nanos === '000' ? '' : nanos}"`
  }
  const isNumber = (text: string): boolean => /^-?[\d.]+(e[+-]?\d+)?$/i.test(text)
  if (isNumber(ours) && isNumber(stated)) {
    if (/^-?\d+$/.test(ours) && /^-?\d+$/.test(stated)) return BigInt(ours) === BigInt(stated)
    return Math.abs(Number(ours) - Number(stated)) <= 1e-6 * Math.abs(Number(stated))
  }
  // Impala writes maps and lists as JSON.
  if (/^[{[]\d[\d:,]*[}\]]$/.test(stated)) return ours.replaceAll(', ', ',').replaceAll('=', ':') === stated
  return normalize(ours) === normalize(stated)
}

const MOMENT = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d)\b/g

/** Moments in UTC, without trailing zeros of a second; booleans as numbers, which some tests ask for. */
function normalize(text: string): string {
  const inUtc = text.replaceAll(
    MOMENT,
    (_moment, date: string, time: string, fraction: string | undefined, zone: string) => {
      const utc = new Date(`${date}T${time}${zone}:00`).toISOString().slice(0, 19).replace('T', ' ')
      return `${utc}${fraction ?? ''}`
    },
  )
  const flags: Record<string, string> = { true: '1', false: '0' }
  const plain = inUtc.replaceAll(/(:\d\d\.\d*?)0+\b/g, '$1').replaceAll(/(:\d\d)\.(?!\d)/g, '$1')
  return flags[plain] ?? plain
}

type Rows = readonly (readonly (string | null)[])[]

/** NULL sorts as its text, since the stated side cannot tell the two apart. */
const sortKey = (row: readonly (string | null)[]): string => JSON.stringify(row.map((cell) => cell ?? 'NULL'))
const order = (rows: Rows): Rows => rows.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))

describe.skipIf(CORPUS_MISSING !== undefined)(
  `stated answers${CORPUS_MISSING ? ` (${CORPUS_MISSING})` : ''}`,
  () => {
    it.each(answers.map((answer, index) => [index, answer.table, answer] as const))(
      '%i %s',
      async (_index, _table, answer) => {
        const { code, message, rows } = await ask(answer)
        if (code === 'TABLE_UNSUPPORTED') {
          tally.refused += 1
          return
        }
        expect(code, message).toBe('ok')
        const [ours, stated] = [order(rows), order(answer.rows)]
        expect(ours.length).toBe(stated.length)
        ours.forEach((row, index) => {
          const isSame =
            row.length === stated[index]?.length &&
            row.every((cell, column) => isSameCell(cell, stated[index]?.[column] ?? null))
          expect(isSame, `${JSON.stringify(row)} is not ${JSON.stringify(stated[index])}`).toBe(true)
        })
        tally.right += 1
      },
    )
  },
)
