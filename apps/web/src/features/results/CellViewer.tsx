// One value, whole: what a cell cuts off. Text keeps its lines; the copy is exact, however the value is laid out.
import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { countedText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { ScrollRegion } from '../../ui/ScrollRegion.tsx'
import { visibleName } from '../../ui/visible-text.ts'
import type { ResultColumn } from './grid-columns.ts'
import { layoutOf } from './value-layout.ts'

interface CellViewerProps {
  column: ResultColumn
  row: number
  text: string | null
  onClose: () => void
}

export function CellViewer({ column, row, text, onClose }: CellViewerProps) {
  const laidOut = useMemo(() => (text === null ? null : layoutOf(column.sqlType, text)), [column, text])
  const [isLaidOut, setLaidOut] = useState(true)
  return (
    <aside className="side-panel" aria-label="Cell">
      <header className="side-panel-header">
        <h2>
          {visibleName(column.name)} <span className="h2-note">row {row + 1}</span>
        </h2>
        {laidOut !== null && (
          <button
            type="button"
            className="button button-quiet"
            aria-pressed={isLaidOut}
            onClick={() => setLaidOut((was) => !was)}
          >
            Lay out
          </button>
        )}
        {text !== null && <CopyButton text={text} label="Copy value" />}
        <IconButton label="Close cell" onClick={onClose}>
          <X size={14} />
        </IconButton>
      </header>
      <ScrollRegion label="Value">
        <p className="cell-type">
          {column.sqlType}
          {text !== null && ` · ${countedText(text.length, 'character')}`}
        </p>
        {text === null ? (
          <p className="cell-null">NULL</p>
        ) : (
          <pre className="cell-value" data-laid-out={laidOut !== null && isLaidOut}>
            {text === '' ? <span className="cell-null">""</span> : ((isLaidOut ? laidOut : null) ?? text)}
          </pre>
        )}
      </ScrollRegion>
    </aside>
  )
}
