// The code by which a failure is counted.
import { AppError, type ErrorCode } from '@lake/core/errors.ts'

export function errorCodeOf(error: unknown): ErrorCode {
  return error instanceof AppError ? error.code : 'INTERNAL'
}
