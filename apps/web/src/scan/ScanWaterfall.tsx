// Why files are read and others are not: level by level, then filter by filter.
import type { PruningReport, ScanReport } from '@lake/core/flight/receipt.ts'
import { countText } from '../ui/format-quantity.ts'
import { filterSentence, scanSteps, unusedSentence, type ScanStep } from './scan-words.ts'

const percent = (share: number): string => `${Math.min(100, Math.max(0, share * 100))}%`

function Step({ step, total }: { step: ScanStep; total: number }) {
  const { label, kind, files, left, note } = step
  const share = total === 0 ? 0 : files / total
  return (
    <li className="scan-step" data-kind={kind} data-empty={files === 0}>
      <span className="scan-step-label">{label}</span>
      <span className="scan-step-files tabular">
        {kind === 'skipped' && files > 0 && '−'}
        {countText(files)}
      </span>
      <span className="scan-step-track" aria-hidden>
        <span
          className="scan-step-bar"
          style={{ insetInlineStart: percent(total === 0 ? 0 : left / total), inlineSize: percent(share) }}
        />
      </span>
      {note !== undefined && <span className="scan-step-note">{note}</span>}
    </li>
  )
}

function Filters({ scan, pruning }: { scan: ScanReport; pruning: PruningReport }) {
  const { filters, unused } = pruning
  if (filters.length === 0 && unused.length === 0)
    return <p className="page-note">No filter of the statement is about this table&apos;s columns.</p>
  return (
    <dl className="scan-filters">
      {filters.map((filter) => (
        <div key={filter.text} className="scan-filter">
          <dt className="mono">{filter.text}</dt>
          <dd>{filterSentence(filter, scan.filesPlanned)}</dd>
        </div>
      ))}
      {unused.map(({ text, reason }, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="scan-filter" data-unused>
          <dt className="mono">{text === '' ? 'Read more than once' : text}</dt>
          <dd>{unusedSentence(reason)}</dd>
        </div>
      ))}
    </dl>
  )
}

export function ScanWaterfall({ scan, pruning }: { scan: ScanReport; pruning: PruningReport }) {
  return (
    <>
      <ol className="scan-steps" aria-label="Files, level by level">
        {scanSteps(scan, pruning).map((step) => (
          <Step key={step.label} step={step} total={scan.filesTotal} />
        ))}
      </ol>
      <Filters scan={scan} pruning={pruning} />
    </>
  )
}
