// The background statements in the side pane: one that is opened gets a tab with its text and follows its result there.
import { navigate } from 'wouter/use-browser-location'
import type { StatementSummary } from '@lake/core/statements/poll-info.ts'
import { tabActions } from './features/editor/tabs-store.ts'
import { StatementsPanel } from './features/statements/StatementsPanel.tsx'
import { startRun } from './query-run/run-registry.ts'

function openStatement({ statementId, sql, tables }: StatementSummary): void {
  if (sql === null) return
  const tabId = tabActions.open({ title: tables[0]?.table ?? 'From background', sql, pins: [] })
  if (tabId === null) return
  const background = { kind: 'open', statementId } as const
  startRun({ tabId, sql, startOffset: 0, startLine: 1, pins: [], background })
  navigate('/')
}

export function BackgroundPane({ onOpened }: { onOpened: () => void }) {
  return (
    <StatementsPanel
      onOpen={(statement) => {
        openStatement(statement)
        onOpened()
      }}
    />
  )
}
