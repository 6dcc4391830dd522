// One's own background statements: what runs, what waits, and the results that are kept. Opening one shows its result in
// a tab of its own; nothing is run again for it.
import { useQueryClient } from '@tanstack/react-query'
import { Square } from 'lucide-react'
import { isEnded } from '@lake/core/statements/statement.ts'
import type { StatementSummary } from '@lake/core/statements/poll-info.ts'
import { toApiError } from '../../api/api-error.ts'
import { postCancel } from '../../api/client.ts'
import { useStatements } from '../../api/queries.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { instantText, shortId } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { say } from '../../ui/notice.ts'
import { useNow } from '../../ui/use-now.ts'
import { stateText, tableLines, timesText } from './statement-words.ts'
import { visibleText } from '../../ui/visible-text.ts'

interface EntryProps {
  statement: StatementSummary
  now: number
  onOpen: (statement: StatementSummary) => void
  onStop: (statementId: string) => void
}

const firstLines = (sql: string): string => sql.trim().split('\n').slice(0, 3).join('\n').slice(0, 300)

function Entry({ statement, now, onOpen, onStop }: EntryProps) {
  const { statementId, sql, state, failure, progress, submittedAtMs } = statement
  const isOpen = !isEnded(state)
  return (
    <li className="history-entry" data-outcome={state === 'failed' ? 'failed' : 'finished'}>
      <button
        type="button"
        className="history-sql"
        title={state === 'finished' ? 'Open the result' : 'Open in a tab'}
        disabled={sql === null}
        onClick={() => onOpen(statement)}
      >
        {sql === null ? 'A statement whose key is gone' : visibleText(firstLines(sql))}
      </button>
      <p className="history-facts">
        <span className="history-outcome">{state}</span> · {stateText(statement, now)}
      </p>
      {state === 'running' && statement.bytesPlanned > 0 && (
        <progress className="statement-progress" aria-label="Share read" value={progress} />
      )}
      {failure !== null && <p className="history-facts">{visibleText(failure.message)}</p>}
      <p className="history-facts" title={`submitted ${instantText(submittedAtMs)}`}>
        {timesText(statement, now)}
      </p>
      {tableLines(statement, shortId).map((line) => (
        <p key={line} className="history-facts">
          {visibleText(line)}
        </p>
      ))}
      {isOpen && state !== 'cancelling' && (
        <IconButton
          label={`Stop the statement of ${instantText(submittedAtMs)}`}
          className="history-action"
          onClick={() => onStop(statementId)}
        >
          <Square size={14} />
        </IconButton>
      )}
    </li>
  )
}

export function StatementsPanel({ onOpen }: { onOpen: (statement: StatementSummary) => void }) {
  const { data, error, refetch } = useStatements(true)
  const client = useQueryClient()
  const now = useNow(1_000)
  const stop = async (statementId: string): Promise<void> => {
    try {
      const { status } = await postCancel({ statementId }, new AbortController().signal)
      say(
        status === 'cancelled' ? 'Stopped.' : status === 'cancelling' ? 'Stopping…' : 'It had ended already.',
      )
    } catch (failure) {
      say(toApiError(failure).message, 'warn')
    }
    await client.invalidateQueries({ queryKey: ['statements'] })
  }
  return (
    <section className="catalog" aria-label="Background statements">
      <div className="catalog-body">
        {error !== null && data === undefined && (
          <ErrorNotice error={toApiError(error)} onRetry={() => void refetch()} retryLabel="Try again" />
        )}
        {data === undefined && error === null && <p className="catalog-hint">Loading…</p>}
        <ul className="history">
          {data?.statements.map((statement) => (
            <Entry
              key={statement.statementId}
              statement={statement}
              now={now}
              onOpen={onOpen}
              onStop={(statementId) => void stop(statementId)}
            />
          ))}
        </ul>
        {data?.statements.length === 0 && (
          <p className="catalog-hint">
            Nothing runs in the background. “Run in background” keeps a statement going when this page is
            closed, and its result for three days.
          </p>
        )}
      </div>
    </section>
  )
}
