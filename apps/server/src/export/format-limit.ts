// What a file format cannot hold is refused by the name of the limit, never cut or rounded to fit.
import { AppError } from '@lake/core/errors.ts'

/** @param limit one word, for callers that branch: `rows`, `columns`, `characters`, `digits`, `range` */
export function formatLimit(format: string, limit: string, message: string, limitMax?: number): AppError {
  return new AppError('EXPORT_FORMAT_LIMIT', message, {
    details: { format, limit, ...(limitMax === undefined ? {} : { limitMax }) },
  })
}
