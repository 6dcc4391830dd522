// The one decision about access: a namespace may be read where it is one of the deployment's and the principal's grants
// cover it. Names are compared exactly, level by level; nothing is folded, decoded or split here.
import type { Grant, Principal } from './principal.ts'

/** As written for every namespace of the deployment. A namespace of this name is written as a list: `["*"]`. */
const EVERYTHING = '*'

/** True where a grant is the namespace itself or one above it. */
export function isGranted({ grants }: Pick<Principal, 'grants'>, namespace: readonly string[]): boolean {
  return grants.some(
    (grant) => grant.length <= namespace.length && grant.every((level, index) => level === namespace[index]),
  )
}

/** The deployment's namespaces that the principal may read, in their order. */
export function visibleNamespaces(
  principal: Pick<Principal, 'grants'>,
  deployment: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  return deployment.filter((namespace) => isGranted(principal, namespace))
}

/**
 * A grant as written in a configuration: `*`, levels joined by dots, or a list of levels for names with dots.
 * @returns undefined where a level is empty
 */
export function parseGrant(written: string | readonly string[]): Grant | undefined {
  if (written === EVERYTHING) return []
  const levels = typeof written === 'string' ? written.trim().split('.') : written
  return levels.length > 0 && levels.every((level) => level !== '') ? levels : undefined
}
