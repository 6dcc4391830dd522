// A background statement in words.
import type { StatementSummary } from '@lake/core/statements/poll-info.ts'
import { ageText, bytesText, countedText, durationText } from '../../ui/format-quantity.ts'

/** How far the reading is; nothing where nothing is to be read. */
function readFacts({ bytesPlanned, bytesRead, progress }: StatementSummary): string[] {
  return bytesPlanned === 0 ? [] : [`${Math.floor(progress * 100)} %`, bytesText(bytesRead)]
}

/** What it is doing, or how it ended. */
export function stateText(statement: StatementSummary, now: number): string {
  const { state, rowCount, submittedAtMs, startedAtMs, endedAtMs, attemptCount } = statement
  const since = durationText(Math.max(0, (endedAtMs ?? now) - (startedAtMs ?? submittedAtMs)))
  switch (state) {
    case 'queued':
      return attemptCount > 0 ? `waiting for attempt ${attemptCount + 1}` : 'waiting for its turn'
    case 'running': {
      const again = attemptCount > 1 ? [`attempt ${attemptCount}`] : []
      return [...again, ...readFacts(statement), since].join(' · ')
    }
    case 'cancelling':
      return 'stopping'
    case 'cancelled':
      return 'stopped'
    case 'failed':
      return statement.failure?.code ?? 'failed'
    case 'finished':
      return `${countedText(rowCount, 'row')} · ${since}`
  }
}

/** When it was submitted, and until when it is kept. */
export function timesText({ submittedAtMs, expiresAtMs }: StatementSummary, now: number): string {
  const age = ageText(Math.max(0, now - submittedAtMs))
  return expiresAtMs === null ? age : `${age} · kept for ${durationText(Math.max(0, expiresAtMs - now))}`
}

/** The tables at their snapshots, one line each. */
export function tableLines({ tables }: StatementSummary, shortId: (id: string) => string): string[] {
  return tables.map(({ namespace, table, snapshotId }) => {
    const name = [...namespace, table].join('.')
    return snapshotId === null ? `${name} · no snapshot` : `${name} @ ${shortId(snapshotId)}`
  })
}
