// The estimate of each table: why these files, and which columns make the bytes.
import { X } from 'lucide-react'
import type { EstimateResponse, TableEstimate } from '@lake/core/api/contract.ts'
import { ScanWaterfall } from '../../scan/ScanWaterfall.tsx'
import { bytesText, countedText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { ScrollRegion } from '../../ui/ScrollRegion.tsx'
import { tableLabel } from '../../api/table-name.ts'
import { estimateLine, refusalWords } from './estimate-words.ts'

const COLUMNS_SHOWN_MAX = 12

function ColumnBytes({ table }: { table: TableEstimate }) {
  const { columns, bytesNeeded } = table
  const shown = columns.slice(0, COLUMNS_SHOWN_MAX)
  if (shown.length === 0) return null
  return (
    <>
      <h4>Columns that are needed</h4>
      <ol className="scan-steps" aria-label="Bytes by column">
        {shown.map(({ name, bytes }) => (
          <li key={name} className="scan-step" data-kind="left">
            <span className="scan-step-label">{name}</span>
            <span className="scan-step-files tabular">{bytes === null ? 'not known' : bytesText(bytes)}</span>
            <span className="scan-step-track" aria-hidden>
              <span
                className="scan-step-bar"
                style={{ inlineSize: `${bytesNeeded === 0 ? 0 : (100 * (bytes ?? 0)) / bytesNeeded}%` }}
              />
            </span>
          </li>
        ))}
      </ol>
      {columns.length > shown.length && (
        <p className="page-note">and {countedText(columns.length - shown.length, 'smaller column')}</p>
      )}
    </>
  )
}

function TableSection({ table }: { table: TableEstimate }) {
  const { scan } = table
  return (
    <section className="receipt-section">
      <h3>{tableLabel(table)}</h3>
      {scan?.pruning === undefined ? (
        <p className="page-note">A metadata table: no data file is opened.</p>
      ) : (
        <ScanWaterfall scan={scan} pruning={scan.pruning} />
      )}
      <ColumnBytes table={table} />
    </section>
  )
}

interface EstimatePanelProps {
  estimate: EstimateResponse
  onClose: () => void
}

export function EstimatePanel({ estimate, onClose }: EstimatePanelProps) {
  return (
    <aside className="side-panel" aria-label="What would be read">
      <header className="side-panel-header">
        <h2>What would be read</h2>
        <IconButton label="Close what would be read" onClick={onClose}>
          <X size={14} />
        </IconButton>
      </header>
      <ScrollRegion label="What would be read, table by table">
        <p className="receipt-verdict">{refusalWords(estimate) ?? estimateLine(estimate)}</p>
        <p className="page-note">From the table&apos;s metadata alone. A LIMIT may end the reading before.</p>
        {estimate.tables.map((table, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <TableSection key={index} table={table} />
        ))}
      </ScrollRegion>
    </aside>
  )
}
