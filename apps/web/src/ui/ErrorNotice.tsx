// A failure where it happened: one plain sentence, the server's text, the next step, and the request id to copy.
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { toApiError } from '../api/api-error.ts'
import { CopyButton } from './CopyButton.tsx'
import { errorTitle, nextStep } from './error-help.ts'
import { visibleText } from './visible-text.ts'

/** So much fits without scrolling in a narrow window. */
const LONG_CHARS = 400
const LONG_LINES = 9

interface ErrorNoticeProps {
  error: unknown
  onRetry?: (() => void) | undefined
  retryLabel?: string
  /** Further actions, such as a jump to the place in the text. */
  children?: ReactNode
}

/** Its own text; a long one scrolls, and so must be reached by the keyboard. */
function Message({ text }: { text: string }) {
  const isLong = text.length > LONG_CHARS || text.split('\n').length > LONG_LINES
  const reached = isLong && { tabIndex: 0, role: 'group', 'aria-label': 'Message' }
  return (
    <pre className="error-notice-message" {...reached}>
      {text}
    </pre>
  )
}

export function ErrorNotice({ error, onRetry, retryLabel = 'Retry', children }: ErrorNoticeProps) {
  const { code, message, requestId } = toApiError(error)
  const step = nextStep(code)
  const title = errorTitle(code)
  return (
    <div className="error-notice" role="alert">
      <CircleAlert size={16} aria-hidden className="error-notice-icon" />
      <div className="error-notice-body">
        <p className="error-notice-title">
          {title} <code className="error-code">{code}</code>
        </p>
        {message !== title && <Message text={visibleText(message)} />}
        {step !== null && <p className="error-notice-step">{step}</p>}
        <div className="error-notice-actions">
          {children}
          {onRetry !== undefined && (
            <button type="button" className="button" onClick={onRetry}>
              {retryLabel}
            </button>
          )}
          {requestId !== null && (
            <span className="error-request">
              request <code>{requestId}</code>
              <CopyButton text={requestId} label="Copy request id" />
            </span>
          )}
        </div>
      </div>
    </div>
  )
}
