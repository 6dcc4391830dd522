// The text that the engine reads, and positions in it as positions in the submitted text. Pure.
import { AppError } from '@lake/core/errors.ts'
import type { TextSubstitution } from '@lake/core/flight/ticket.ts'

/** The text that the engine reads. */
export function applySubstitutions(sql: string, substitutions: readonly TextSubstitution[]): string {
  let result = sql
  let shift = 0
  for (const { startOffset, text, isInserted } of substitutions) {
    const start = startOffset + shift
    result = result.slice(0, start) + text + result.slice(isInserted ? start : start + text.length)
    if (isInserted) shift += text.length
  }
  return result
}

/** An error about the text that the engine reads, as one about the submitted text. */
export function atSubmittedPlace(error: unknown, substitutions: readonly TextSubstitution[]): unknown {
  const insertions = substitutions.filter(({ isInserted }) => isInserted)
  if (!(error instanceof AppError) || insertions.length === 0) return error
  const { startOffset, endOffset } = error.details ?? {}
  if (typeof startOffset !== 'number' || typeof endOffset !== 'number') return error
  return new AppError(error.code, error.message, {
    cause: error,
    details: {
      ...error.details,
      startOffset: submittedOffset(startOffset, insertions),
      endOffset: submittedOffset(endOffset, insertions),
    },
  })
}

function submittedOffset(offset: number, insertions: readonly TextSubstitution[]): number {
  let shift = 0
  for (const { startOffset, text } of insertions) {
    const start = startOffset + shift
    if (offset <= start) break
    if (offset < start + text.length) return startOffset
    shift += text.length
  }
  return offset - shift
}
