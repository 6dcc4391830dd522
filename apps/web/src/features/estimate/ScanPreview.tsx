// What Run would read, beside Run: from metadata alone, while the statement is written.
import { shortcutText } from '../../ui/commands.ts'
import { estimateLine, refusalWords } from './estimate-words.ts'
import type { ShownEstimate } from './use-estimate.ts'
import { visibleText } from '../../ui/visible-text.ts'

export const EXPLAIN_SHORTCUT = shortcutText('Alt Enter')

/** Refusals that the editor cannot mark at a place of the text, but that Run would meet. */
const IS_REFUSAL = new Set(['TABLE_UNSUPPORTED', 'TABLE_CORRUPT', 'READ_RESTRICTED', 'SCAN_TOO_LARGE'])

interface ScanPreviewProps {
  shown: ShownEstimate
  isPanelOpen: boolean
  onTogglePanel: () => void
}

export function ScanPreview({ shown, isPanelOpen, onTogglePanel }: ScanPreviewProps) {
  const { estimate, error, isOld } = shown
  if (error !== null) {
    return IS_REFUSAL.has(error.code) ? (
      <span className="scan-preview" data-tone="warn" title={visibleText(error.message)}>
        would be refused: {visibleText(error.message)}
      </span>
    ) : null
  }
  if (estimate === null)
    return <span className="run-hint">the selection, or the statement under the cursor</span>
  const refusal = refusalWords(estimate)
  const text = refusal ?? estimateLine(estimate)
  return (
    <>
      <span
        className="scan-preview"
        data-tone={refusal === null ? 'plain' : 'warn'}
        data-old={isOld}
        title={text}
      >
        {text}
      </span>
      {estimate.tables.length > 0 && (
        <button
          type="button"
          className="button button-quiet scan-why"
          aria-expanded={isPanelOpen}
          title={`What would be read, and why (${EXPLAIN_SHORTCUT})`}
          onClick={onTogglePanel}
        >
          Why?
        </button>
      )}
    </>
  )
}
