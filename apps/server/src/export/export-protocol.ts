// What the server and an export thread say to each other. Strictly in turns: the server pulls, the thread says one thing,
// and asks for the next piece of the statement's stream where it needs one. So nothing piles up on either side.
import type { ExportTarget } from '@lake/core/api/export-contract.ts'
import type { Failure, Progress } from '@lake/core/api/wire.ts'
import type { ExportReceipt } from '@lake/core/flight/receipt.ts'
import type { ErrorCode, ErrorDetails } from '@lake/core/errors.ts'

/** Given when the thread starts. */
export interface ExportJob {
  readonly target: ExportTarget
  /** As submitted. */
  readonly sql: string
  /** For times inside of the file. */
  readonly issuedAtMs: number
}

export type ToExportThread =
  | { readonly kind: 'pull' }
  /** One encapsulated Arrow message; null after the last. */
  | { readonly kind: 'piece'; readonly bytes: Uint8Array | null }

export type FromExportThread =
  /** Answered by a piece. */
  | { readonly kind: 'need' }
  /** Answered by a pull, like `progress`. Counts include these bytes, and rows that the file holds up to there. */
  | {
      readonly kind: 'chunk'
      readonly bytes: Uint8Array
      readonly byteCount: number
      readonly rowCount: number
    }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly document: ExportReceipt }
  /** The statement failed, and has said so itself. */
  | { readonly kind: 'statementFailed'; readonly error: Failure['error'] }
  /** The file cannot be written. */
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly details: ErrorDetails | undefined
    }
