// A button that opens and closes what belongs to a row, and the row of a table in which that is.
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from './CopyButton.tsx'

interface DisclosureProps {
  isOpen: boolean
  onToggle: () => void
  /** Of the row that it opens. */
  controls: string
  /** Where there is no text. */
  label?: string
  children?: ReactNode
}

export function Disclosure({ isOpen, onToggle, controls, label, children }: DisclosureProps) {
  return (
    <button
      type="button"
      className="disclosure"
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      aria-label={label}
      onClick={onToggle}
    >
      <ChevronRight size={14} aria-hidden />
      {children}
    </button>
  )
}

export interface DetailFact {
  label: string
  text: string
  /** Where it comes from, and what it does not claim. */
  note?: string
  /** The text is a value: drawn so that its characters can be told apart, and copied. */
  isValue?: boolean
}

interface DetailsRowProps {
  id: string
  /** What the facts are of. */
  label: string
  columnCount: number
  facts: readonly DetailFact[]
}

export function DetailsRow({ id, label, columnCount, facts }: DetailsRowProps) {
  return (
    <tr id={id} className="details-row">
      <td colSpan={columnCount}>
        {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for what can be filled in */}
        <div role="group" className="details" aria-label={`Details of ${label}`}>
          <dl>
            {facts.map(({ label: fact, text, note, isValue = false }) => (
              <div key={fact} className="detail">
                <dt>{fact}</dt>
                <dd>
                  <span className={isValue ? 'mono detail-value' : ''}>{text}</span>
                  {isValue && text !== '' && <CopyButton text={text} label={`Copy ${fact} of ${label}`} />}
                  {note !== undefined && <span className="detail-note">{note}</span>}
                </dd>
              </div>
            ))}
          </dl>
        </div>
      </td>
    </tr>
  )
}
