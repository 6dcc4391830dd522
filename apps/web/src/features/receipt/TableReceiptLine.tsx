// The receipt of what manifests alone say of a table: the same line in the same order as above a result.
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { countedText } from '../../ui/format-quantity.ts'
import { useNow } from '../../ui/use-now.ts'
import { TableFacts } from './ReceiptLine.tsx'

interface TableReceiptLineProps {
  table: TableReceipt
  /** What is told of the snapshot, in all. */
  facts: readonly string[]
}

export function TableReceiptLine({ table, facts }: TableReceiptLineProps) {
  const now = useNow(15_000)
  const { scan, ...pinned } = table
  return (
    <section className="receipt-line" aria-label="Receipt">
      <output
        className="exactness"
        data-tone="ok"
        title="Of exactly this snapshot, by its manifests; no data file was opened."
      >
        from manifests
      </output>
      <span className="receipt-facts">
        <TableFacts table={{ ...pinned, scan: null }} now={now} />
        <span className="receipt-total">
          {[...facts, ...(scan === null ? [] : [countedText(scan.manifestsTotal, 'manifest')])].join(' · ')}
        </span>
      </span>
    </section>
  )
}
