// What an engine's failure means to the person who wrote the statement: a code, the engine's own words without its
// drawings and paths, and the offsets of the token it points at.
import { AppError, type ErrorCode, type ErrorDetails } from '@lake/core/errors.ts'
import type { RawEngineError } from './protocol.ts'
import { tokenEnd, utf16Offset, utf16OffsetOfCodePoint } from './text-offsets.ts'

const CODES: Readonly<Record<string, ErrorCode>> = {
  Parser: 'SQL_SYNTAX',
  Syntax: 'SQL_SYNTAX',
  Binder: 'SQL_BINDING',
  Catalog: 'SQL_BINDING',
  'Parameter Not Allowed': 'SQL_BINDING',
  'Not implemented': 'SQL_UNSUPPORTED',
  Permission: 'SQL_UNSUPPORTED',
  INTERNAL: 'ENGINE_FAILED',
  FATAL: 'ENGINE_FAILED',
  Fatal: 'ENGINE_FAILED',
  'Too Large': 'RESULT_TOO_LARGE',
}

/** What the engine says of pages of Parquet that are not as their format has them. */
const DAMAGED_FILE =
  /TProtocolException|(?:Failed to|Could not) read (?:enough bytes from )?file|corrupt file\?|likely corrupted|Dictionary is corrupted|Data corruption detected|[Dd]ecompress(?:ion failure| GZIP block)|[Oo]ut of buffer|LEB128/

/** Positions from here on, in bytes, are those of a view's text and not of the statement's, however long that is. */
const STATEMENT_POSITIONS_MAX = 65_536
/** Where a failed stream is run again to learn why, its text stands so much later (engine-process.ts). */
const POSITION_SHIFT_MAX = 64

/** How far the text of a view is moved, so that no position in it is one of the statement's. */
export function viewTextOffset(sql: string | undefined): number {
  if (sql === undefined) return STATEMENT_POSITIONS_MAX
  return Math.min(Buffer.byteLength(sql) + POSITION_SHIFT_MAX, STATEMENT_POSITIONS_MAX)
}

const MESSAGE_LENGTH_MAX = 2_000

/** The engine's words without its caret drawing, stack, hints at settings that are locked, and folders of the server. */
export function cleanMessage(message: string): string {
  return message
    .replace(/\n+LINE \d+: [\s\S]*$/u, '')
    .replace(/\n+Stack Trace:[\s\S]*$/u, '')
    .replace(
      /\n*\s*(?:Possible solutions|Consider|Use "?SET|Please try installing|This error signals)[\s\S]*$/u,
      '',
    )
    .replaceAll(/(?<![\w.)])(?:\/[\w.@-]+){2,}\/?/gu, '(a file)')
    .trim()
    .slice(0, MESSAGE_LENGTH_MAX)
}

/** @param sql the text that the position counts in; undefined where the failing text was not the submitted one */
export function engineError(raw: RawEngineError, sql: string | undefined): AppError {
  if (raw.type === 'Out of Memory') {
    return new AppError('SQL_EXECUTION', 'The statement needs more memory than an engine process may use.')
  }
  if (raw.type === 'Interrupt') return new AppError('CANCELLED', 'The statement was stopped')
  const code = CODES[raw.type] ?? 'SQL_EXECUTION'
  const message = cleanMessage(raw.message) || 'The statement failed'
  if (code === 'SQL_EXECUTION' && raw.type !== 'Conversion' && DAMAGED_FILE.test(message)) {
    const words = `A data file of the table is damaged: its pages do not decode (${message})`
    return new AppError('TABLE_CORRUPT', words, { cause: raw })
  }
  const options: { cause: unknown; details?: ErrorDetails } = { cause: raw }
  const startOffset = sql === undefined ? undefined : offsetOf(sql, raw)
  if (sql !== undefined && startOffset !== undefined) {
    options.details = { startOffset, endOffset: tokenEnd(sql, startOffset) }
  }
  return new AppError(code, message, options)
}

/** Where the error points. The engine's grammar counts code points, all that comes after it counts bytes. */
function offsetOf(sql: string, { type, message, position }: RawEngineError): number | undefined {
  if (position === undefined || position > Buffer.byteLength(sql)) return undefined
  const byBytes = utf16Offset(sql, position)
  if (type !== 'Parser') return position < STATEMENT_POSITIONS_MAX ? byBytes : undefined
  const byCodePoints = utf16OffsetOfCodePoint(sql, position)
  const near = /at or near "([\s\S]*)"/u.exec(message)?.[1]
  return near !== undefined && !sql.startsWith(near, byCodePoints) && sql.startsWith(near, byBytes)
    ? byBytes
    : byCodePoints
}
