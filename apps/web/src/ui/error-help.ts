// What a person can do about an error, by its code. A code without an entry has no honest advice.
import { ERROR_CODES, type ErrorCode } from '@lake/core/errors.ts'

const NEXT_STEPS: Readonly<Record<string, string>> = {
  SQL_SYNTAX: 'Correct the text at the marked place and run it again.',
  SQL_BINDING: 'Check the name against the table page: names are exact, and odd ones need double quotes.',
  SQL_NOT_READ_ONLY: 'Write a SELECT, or a WITH … SELECT. Tables cannot be changed from here.',
  SQL_UNSUPPORTED: 'Name tables as iceberg.<namespace>.<table>; other sources are not read.',
  SQL_EXECUTION: 'Use TRY_CAST, or a wider type, for the values that do not fit.',
  UNAUTHENTICATED: 'Sign in again.',
  NO_SUCH_NAMESPACE: 'Open one of the namespaces in the catalog, or ask for access to this one.',
  NO_SUCH_TABLE: 'Check the full name, iceberg.<namespace>.<table>, or ask for access.',
  NO_SUCH_SNAPSHOT: 'Choose a snapshot from the table page.',
  SNAPSHOT_EXPIRED: 'Run again to read the current snapshot, or choose another one from the table page.',
  TABLE_REPLACED: 'Run again: the statement will be planned against the table that has the name now.',
  TABLE_UNSUPPORTED: 'Nothing was read. Another engine has to read this table.',
  READ_RESTRICTED: 'Use an engine that enforces the restrictions of the catalog.',
  CATALOG_UNAVAILABLE: 'Try again shortly. If it stays so, the catalog itself needs attention.',
  CATALOG_REFUSED:
    'Check the name. If every table fails like this, the operator has to check the address of the catalog.',
  CATALOG_UNAUTHORIZED: 'The operator of this workbench has to renew its catalog credentials.',
  CATALOG_PERMISSION_DENIED: 'Ask the owner of the catalog to grant this workbench access to the table.',
  CATALOG_CREDENTIALS_NOT_VENDED:
    'The operator has to enable credential vending, or choose another storage access.',
  STORAGE_ACCESS_DENIED: 'Ask the owner of the bucket. A missing file is also answered like this.',
  STORAGE_UNAVAILABLE: 'Try again shortly.',
  OBJECT_MISSING: 'The table needs repair: a file that its metadata names is gone.',
  TICKET_EXPIRED: 'Run again to plan the statement anew.',
  NO_SUCH_STATEMENT: 'It has expired, or was never here. Run the statement again.',
  STATEMENT_UNREADABLE: 'Run the statement again: its key is gone.',
  STATEMENTS_UNAVAILABLE: 'Try again shortly. What runs in the background goes on.',
  RESULTS_UNAVAILABLE: 'Try again shortly.',
  RESULTS_FULL: 'Wait until kept results expire, select less, or ask the operator to make room.',
  RESULT_CORRUPT: 'Run the statement again: what was kept of its result is damaged.',
  SCAN_TOO_LARGE: 'Filter on a partition column, or select fewer columns.',
  EXPORT_FORMAT_LIMIT: 'Choose another format.',
  EXPORT_INCOMPLETE: 'Export again. Nothing was saved under its name.',
  EXPORT_NO_ROOM: 'Free some disk space, choose Parquet, which is smaller, or select less.',
  EXPORT_CHANGED: 'Run the statement again, and export its result.',
  BUSY: 'Wait a moment and run again.',
  DEADLINE_EXCEEDED: 'Narrow the statement, or try again when less is running.',
  ENGINE_FAILED: 'Run again. If it fails the same way, aggregate less at once.',
  NETWORK: 'Check the connection, then run again.',
  STREAM_INCOMPLETE: 'The rows below are not the whole answer. Run again.',
  INTERNAL: 'Report it with the request id.',
}

export const nextStep = (code: string): string | null => NEXT_STEPS[code] ?? null

/** The code's meaning in one line, for a title. */
export function errorTitle(code: string): string {
  if (code === 'NETWORK') return 'The server could not be reached.'
  if (code === 'EXPORT_INCOMPLETE') return 'The file did not arrive whole.'
  if (code === 'EXPORT_NO_ROOM') return 'There is no room for the file.'
  if (code === 'EXPORT_CHANGED') return 'The result would have other columns now.'
  if (code === 'STREAM_INCOMPLETE') return 'The result is incomplete.'
  return code in ERROR_CODES ? ERROR_CODES[code as ErrorCode].summary : 'Something failed.'
}
