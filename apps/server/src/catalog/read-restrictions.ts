// Fine-grained access control in loadTable answers is refused, never ignored: a reader that skips it leaks masked
// columns and filtered rows. Source: Iceberg REST OpenAPI, `read-restrictions`.
import { AppError } from '@lake/core/errors.ts'
import type { LoadTableAnswer } from './rest-schemas.ts'

/**
 * Absent, null, `{}` and an empty list of projections restrict nothing. Everything else does, a filter of `true` too.
 * Tables that must be planned by the catalog are refused for the same reason.
 * @throws AppError READ_RESTRICTED, TABLE_UNSUPPORTED
 */
export function refuseRestrictions(answer: LoadTableAnswer): void {
  // Unknown fields of such a name may be what this becomes next.
  const isRestricted = Object.entries(answer).some(
    ([name, value]) => /restriction|polic/i.test(name) && restricts(value),
  )
  if (isRestricted) {
    throw new AppError(
      'READ_RESTRICTED',
      'The catalog restricts what may be read of the table; nothing of it is read',
      {
        details: { feature: 'read-restrictions' },
      },
    )
  }
  if (answer.config['scan-planning-mode'] === 'server') {
    throw new AppError('TABLE_UNSUPPORTED', 'The catalog demands to plan scans of the table itself', {
      details: { feature: 'server-side scan planning' },
    })
  }
}

function restricts(restrictions: unknown): boolean {
  if (restrictions === undefined || restrictions === null) return false
  if (typeof restrictions !== 'object' || Array.isArray(restrictions)) return true
  return Object.entries(restrictions).some(
    ([key, value]) => !(key === 'required-column-projections' && Array.isArray(value) && value.length === 0),
  )
}
