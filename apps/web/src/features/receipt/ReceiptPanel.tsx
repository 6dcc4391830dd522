// Every fact of a result, for each table: what it came from, what was read and what was skipped.
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import type { RunSnapshot } from '../../query-run/query-run.ts'
import { exactnessOf } from '../../query-run/exactness.ts'
import { infoOf } from '../../query-run/run-state.ts'
import { ScanWaterfall } from '../../scan/ScanWaterfall.tsx'
import { sqlAtVersions } from '../../sql/at-versions.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { countText, durationText, instantText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { ScrollRegion } from '../../ui/ScrollRegion.tsx'
import { useStableCallback } from '../../ui/use-stable-callback.ts'
import { tableLabel } from '../../api/table-name.ts'
import { panelFacts, receiptKey, tablesOf, versionsOf } from './receipt-facts.ts'

const COPIED = new Set(['snapshot id', 'table uuid'])

interface FactProps {
  label: string
  value: string
  isCopied?: boolean
}

function Fact({ label, value, isCopied = COPIED.has(label) }: FactProps) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>
        <span className={isCopied ? 'mono break' : 'tabular'}>{value}</span>
        {isCopied && <CopyButton text={value} label={`Copy ${label}`} />}
      </dd>
    </div>
  )
}

/** By which two answers are compared; made when somebody looks. */
function Fingerprint({ onMake }: { onMake: () => Promise<string | null> }) {
  const [made, setMade] = useState<string | null | undefined>()
  const make = useStableCallback(onMake)
  useEffect(() => {
    let isWanted = true
    const show = async () => {
      const fingerprint = await make()
      if (isWanted) setMade(fingerprint)
    }
    void show()
    return () => {
      isWanted = false
    }
  }, [make])
  const text = made === undefined ? '…' : (made ?? 'none: the answer is too large, or not whole')
  return <Fact label="fingerprint" value={text} isCopied={typeof made === 'string'} />
}

function TableSection({ table }: { table: TableReceipt }) {
  const summary = Object.entries(table.summary)
  return (
    <section className="receipt-section">
      <h3>{tableLabel(table)}</h3>
      <dl className="facts">
        {panelFacts(table).map(([label, value]) => (
          <Fact key={label} label={label} value={value} />
        ))}
      </dl>
      {table.scan?.pruning !== undefined && (
        <details open>
          <summary>Why these files</summary>
          <ScanWaterfall scan={table.scan} pruning={table.scan.pruning} />
        </details>
      )}
      {summary.length > 0 && (
        <details>
          <summary>Summary as committed</summary>
          <dl className="facts">
            {summary.map(([label, value]) => (
              <Fact key={label} label={label} value={value} />
            ))}
          </dl>
        </details>
      )}
    </section>
  )
}

/** The statement with its snapshots written into it, for any tool that reads them. */
function Reproduce({ sql, tables }: { sql: string; tables: readonly TableReceipt[] }) {
  const text = sqlAtVersions(sql, versionsOf(tables))
  return (
    <section className="receipt-section" aria-labelledby="reproduce-title">
      <h3 id="reproduce-title">
        Reproduce <CopyButton text={text} label="Copy SQL that reads these snapshots" />
      </h3>
      <pre className="reproduce-sql">{text}</pre>
    </section>
  )
}

interface ReceiptPanelProps {
  sql: string
  snapshot: RunSnapshot
  /** The answer's fingerprint; null where it has none. */
  onFingerprint?: () => Promise<string | null>
  onClose: () => void
}

export function ReceiptPanel({ sql, snapshot, onFingerprint, onClose }: ReceiptPanelProps) {
  const { state, rowCount, background } = snapshot
  const exactness = exactnessOf(state, rowCount)
  const tables = tablesOf(state)
  const statementId = infoOf(state)?.statementId
  return (
    <aside className="side-panel" aria-label="Receipt details">
      <header className="side-panel-header">
        <h2>Receipt</h2>
        <IconButton label="Close receipt" onClick={onClose}>
          <X size={14} />
        </IconButton>
      </header>
      <ScrollRegion label="Receipt facts">
        <p className="receipt-verdict">
          <span className="exactness" data-tone={exactness.tone}>
            {exactness.text}
          </span>{' '}
          {exactness.title}
        </p>
        {background?.isReused === true && (
          <p className="page-note">
            A kept result answers: the same statement at the same snapshots was run before, so its answer is
            this one. Nothing was read again.
          </p>
        )}
        <dl className="facts">
          <Fact label="rows" value={countText(rowCount)} />
          {state.kind === 'finished' && <Fact label="time" value={durationText(state.receipt.elapsedMs)} />}
          {state.kind === 'finished' && <Fact label="engine" value={state.receipt.engine} />}
          {background?.isReused === true && background.endedAtMs !== null && (
            <Fact label="kept since" value={instantText(background.endedAtMs)} />
          )}
          {state.kind === 'finished' && onFingerprint !== undefined && (
            <Fingerprint key={snapshot.startedAtMs} onMake={onFingerprint} />
          )}
          {statementId !== undefined && <Fact label="statement" value={statementId} />}
        </dl>
        {tables.map((table) => (
          <TableSection key={receiptKey(table)} table={table} />
        ))}
        {tables.length > 0 && <Reproduce sql={sql} tables={tables} />}
        {tables.length === 0 && <p className="page-note">The statement names no table.</p>}
      </ScrollRegion>
    </aside>
  )
}
