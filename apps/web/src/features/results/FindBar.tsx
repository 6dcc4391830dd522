// Finds a text in the loaded rows, shows only the rows that hold it, and goes to a row by its number.
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { countedText, countText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'

interface FindBarProps {
  search: string
  isFilter: boolean
  /** Only rows with one value are shown, and of these those that hold the text. */
  isAlwaysFilter: boolean
  /** Null while they are being found, or without a search. */
  matchCount: number | null
  /** Shown rows. */
  rowCount: number
  /** Rows, from the first, that were looked at, or would be. */
  lookedAtCount: number
  /** These are not all rows of the answer. */
  isPart: boolean
  onSearch: (search: string) => void
  onFilter: (isFilter: boolean) => void
  onStep: (step: 1 | -1) => void
  /** A shown row, from 0. */
  onGoToRow: (row: number) => void
  onClose: () => void
}

/** What was found, and where it was not looked for. */
function matchesText({ search, matchCount, lookedAtCount, isPart }: FindBarProps): string {
  const part = `the first ${countedText(lookedAtCount, 'row')}`
  if (search === '') return isPart ? `looks in ${part}` : ''
  if (matchCount === null) return 'looking…'
  const rows = `${countText(matchCount)} ${matchCount === 1 ? 'row holds' : 'rows hold'} it`
  return isPart ? `${rows}, of ${part}` : rows
}

export function FindBar(props: FindBarProps) {
  const { search, isFilter, isAlwaysFilter, rowCount, onSearch, onFilter, onStep, onGoToRow, onClose } = props
  const input = useRef<HTMLInputElement>(null)
  const bar = useRef<HTMLElement>(null)
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    const element = bar.current
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      onClose()
    }
    element?.addEventListener('keydown', onKeyDown)
    return () => element?.removeEventListener('keydown', onKeyDown)
  }, [onClose])
  return (
    <search className="find-bar" ref={bar}>
      <input
        ref={input}
        className="find-input"
        aria-label="Find in the result"
        placeholder="Find in the result"
        value={search}
        spellCheck={false}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && onStep(event.shiftKey ? -1 : 1)}
      />
      <IconButton label="Previous row that holds it" onClick={() => onStep(-1)}>
        <ChevronUp size={14} />
      </IconButton>
      <IconButton label="Next row that holds it" onClick={() => onStep(1)}>
        <ChevronDown size={14} />
      </IconButton>
      <label className="find-filter">
        <input
          type="checkbox"
          checked={isFilter}
          disabled={isAlwaysFilter}
          onChange={(event) => onFilter(event.target.checked)}
        />
        Only these rows
      </label>
      <output className="find-count">{matchesText(props)}</output>
      <span className="spacer" />
      <label className="find-filter">
        Go to row
        <input
          className="find-row"
          inputMode="numeric"
          placeholder={`1 … ${countText(rowCount)}`}
          onKeyDown={(event) => {
            const row = Number(event.currentTarget.value.replaceAll(/[,\s]/g, ''))
            if (event.key === 'Enter' && Number.isInteger(row) && row >= 1)
              onGoToRow(Math.min(row, rowCount) - 1)
          }}
        />
      </label>
      <IconButton label="Close find" onClick={onClose}>
        <X size={14} />
      </IconButton>
    </search>
  )
}
