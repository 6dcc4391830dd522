// What DuckDB threw, taken apart. Runs in the child process only; engine-errors.ts gives it meaning.
import { ValueTooLargeError } from './arrow-encoder.ts'
import type { RawEngineError } from './protocol.ts'

interface JsonError {
  readonly exception_type?: string
  readonly exception_message?: string
  readonly position?: string
}

function parseJsonError(message: string): JsonError | undefined {
  // Parser errors come as `Parser Error: {…}`, the others as the JSON alone.
  const start = message.indexOf('{')
  if (start === -1) return undefined
  try {
    const parsed = JSON.parse(message.slice(start)) as JsonError
    return typeof parsed.exception_type === 'string' ? parsed : undefined
  } catch {
    return undefined
  }
}

export function rawEngineError(error: unknown): RawEngineError {
  if (error instanceof ValueTooLargeError) {
    return { type: 'Too Large', message: error.message, position: undefined }
  }
  if (error instanceof Error && 'raw' in error) return error.raw as RawEngineError
  const message = error instanceof Error ? error.message : String(error)
  const parsed = parseJsonError(message)
  if (!parsed) {
    const type = /^([A-Za-z ]{1,40}) Error: /u.exec(message)?.[1]
    return {
      type: type ?? 'Unknown',
      message: message.replace(/^[A-Za-z ]{1,40} Error: /u, ''),
      position: undefined,
    }
  }
  const position = parsed.position === undefined ? undefined : Number(parsed.position)
  return {
    type: parsed.exception_type ?? 'Unknown',
    message: parsed.exception_message ?? '',
    position: Number.isSafeInteger(position) ? position : undefined,
  }
}
