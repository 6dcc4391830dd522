// One value, as far as it can be drawn: what a cell cuts off. Text keeps its lines; the copy and the file are the whole value,
// exact, however it is laid out and however much of it is shown.
import { Download, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { parseHex } from '@lake/core/iceberg/utf8.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { countedText, countText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { ScrollRegion } from '../../ui/ScrollRegion.tsx'
import { visibleName } from '../../ui/visible-text.ts'
import { plainName } from '../../ui/plain-name.ts'
import type { ResultColumn } from './grid-columns.ts'
import { shownValue, type ShownValue } from './value-layout.ts'

interface CellViewerProps {
  column: ResultColumn
  row: number
  text: string | null
  onClose: () => void
}

const SUFFIXES: Record<ShownValue['kind'], string> = { bytes: 'bin', nested: 'json', text: 'txt' }

/** Bytes as they are, everything else as the text that the grid has. */
function saveValue({ name }: ResultColumn, row: number, kind: ShownValue['kind'], text: string): void {
  const bytes = kind === 'bytes' ? parseHex(text.slice(2)) : undefined
  const file = new Blob([bytes === undefined ? text : new Uint8Array(bytes)])
  saveFile(`${plainName(name) || 'value'}-row-${row + 1}.${SUFFIXES[kind]}`, file)
}

interface ValueTextProps {
  text: string
  shown: ShownValue
  isLaidOut: boolean
}

/** The value, and before it how much of it is drawn, where that is not all. */
function ValueText({ text, shown: { start, laidOut }, isLaidOut }: ValueTextProps) {
  const isCut = start.length < text.length
  return (
    <>
      {isCut && (
        <p className="cell-cut">
          <span className="exactness" data-tone="warn">
            first {countText(start.length)} of {countedText(text.length, 'character')}
          </span>{' '}
          Copy and Save take all of them.
        </p>
      )}
      <pre className="cell-value" data-laid-out={laidOut !== null && isLaidOut}>
        {text === '' ? <span className="cell-null">""</span> : ((isLaidOut ? laidOut : null) ?? start)}
        {isCut && <span className="cell-null">…</span>}
      </pre>
    </>
  )
}

export function CellViewer({ column, row, text, onClose }: CellViewerProps) {
  const shown = useMemo(() => (text === null ? null : shownValue(column.sqlType, text)), [column, text])
  const [isLaidOut, setLaidOut] = useState(true)
  return (
    <aside className="side-panel" aria-label="Cell">
      <header className="side-panel-header">
        <h2>
          {visibleName(column.name)} <span className="h2-note">row {row + 1}</span>
        </h2>
        {shown !== null && shown.laidOut !== null && (
          <button
            type="button"
            className="button button-quiet"
            aria-pressed={isLaidOut}
            onClick={() => setLaidOut((was) => !was)}
          >
            Lay out
          </button>
        )}
        {text !== null && shown !== null && (
          <>
            <CopyButton text={text} label="Copy value" />
            <IconButton label="Save value" onClick={() => saveValue(column, row, shown.kind, text)}>
              <Download size={14} />
            </IconButton>
          </>
        )}
        <IconButton label="Close cell" onClick={onClose}>
          <X size={14} />
        </IconButton>
      </header>
      <ScrollRegion label="Value">
        <p className="cell-type">
          {column.sqlType}
          {text !== null && ` · ${countedText(text.length, 'character')}`}
        </p>
        {text === null || shown === null ? (
          <p className="cell-null">NULL</p>
        ) : (
          <ValueText text={text} shown={shown} isLaidOut={isLaidOut} />
        )}
      </ScrollRegion>
    </aside>
  )
}
