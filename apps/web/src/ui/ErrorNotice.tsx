// A failure where it happened: one plain sentence, the server's text, the next step, and the request id to copy.
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { toApiError } from '../api/api-error.ts'
import { CopyButton } from './CopyButton.tsx'
import { errorTitle, nextStep } from './error-help.ts'
import { visibleText } from './visible-text.ts'

interface ErrorNoticeProps {
  error: unknown
  onRetry?: (() => void) | undefined
  retryLabel?: string
  /** Further actions, such as a jump to the place in the text. */
  children?: ReactNode
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
        {message !== title && <pre className="error-notice-message">{visibleText(message)}</pre>}
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
