// Bodies and query strings are checked against the contract before anything else looks at them.
import type { Request } from 'express'
import type * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import { NAMESPACE_SEPARATOR } from '@lake/core/api/contract.ts'

/** The body by its schema. Throws INVALID_REQUEST naming the first part that does not fit. */
export function validBody<T>(request: Request, schema: z.ZodType<T>): T {
  if (!request.is('application/json'))
    throw new AppError('INVALID_REQUEST', 'The body must be application/json')
  return parseBy(schema, request.body, 'body')
}

/** The query string by its schema; a parameter that is given twice fits none. Throws INVALID_REQUEST. */
export function validQuery<T>(request: Request, schema: z.ZodType<T>): T {
  return parseBy(schema, { ...request.query }, 'query')
}

function parseBy<T>(schema: z.ZodType<T>, value: unknown, whole: string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = issue?.path.map(String).join('.') || whole
  throw new AppError('INVALID_REQUEST', `${path}: ${issue?.message ?? 'does not fit'}`)
}

/** Levels of the `:namespace` path parameter. */
export function namespaceParameter(request: Request): string[] {
  const levels = textParameter(request, 'namespace').split(NAMESPACE_SEPARATOR)
  if (levels.some((level) => level === ''))
    throw new AppError('INVALID_REQUEST', 'A namespace level is empty')
  return levels
}

export function textParameter(request: Request, name: string): string {
  const value = request.params[name]
  if (typeof value !== 'string' || value === '') throw new AppError('INVALID_REQUEST', `${name} is missing`)
  return value
}
