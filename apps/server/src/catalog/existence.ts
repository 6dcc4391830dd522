// Whether the catalog has a namespace, and whether a name that is no table of it is a view. HEAD where it is advertised, else
// GET: some catalogs advertise it and do not serve it. Source: Iceberg REST OpenAPI.
import { isAppError } from '@lake/core/errors.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'
import type { CatalogCaller } from './catalog-caller.ts'
import { catalogFailure } from './catalog-failure.ts'
import type { HttpAnswer } from './http-client.ts'
import { encodeNamespace, viewPath } from './paths.ts'
import type { TableIdent } from './rest-catalog.ts'

const NAMESPACE = '/v1/{prefix}/namespaces/{namespace}'
const VIEW = `${NAMESPACE}/views/{view}`

/** Throws CATALOG_*, DEADLINE_EXCEEDED, CANCELLED. */
export async function hasNamespace(
  caller: CatalogCaller,
  namespace: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const { endpoints, separator } = await caller.setup(signal)
  const path = `/namespaces/${encodeNamespace(namespace, separator)}`
  const canHead = endpoints?.has(`HEAD ${NAMESPACE}`) ?? false
  const answer =
    (canHead ? await headOrNothing(caller, path, signal) : undefined) ??
    (await caller.call({ method: 'GET', path }, signal))
  if (answer.status === 404) return false
  if (isThere(answer)) return true
  throw catalogFailure(answer, 'NO_SUCH_NAMESPACE', `the namespace ${namespace.join('.')}`)
}

/** True where the catalog says so. That it does not say is no failure: there is no such table either way. Throws CANCELLED. */
export async function isView(
  caller: CatalogCaller,
  ident: TableIdent,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { endpoints, properties, separator } = await caller.setup(signal)
    // Catalogs from before they listed their endpoints have a property for these.
    const isLegacy = endpoints === undefined && properties['view-endpoints-supported'] === 'true'
    const canGet = isLegacy || endpoints?.has(`GET ${VIEW}`) === true
    const canHead = endpoints?.has(`HEAD ${VIEW}`) === true
    const path = viewPath(ident, separator)
    const answer =
      (canHead ? await headOrNothing(caller, path, signal) : undefined) ??
      (canGet ? await caller.call({ method: 'GET', path }, signal) : undefined)
    return answer !== undefined && isThere(answer)
  } catch (error) {
    if (signal.aborted) throw error
    return false
  }
}

function isThere({ status }: HttpAnswer): boolean {
  return status === 200 || status === 204
}

/** undefined where the catalog does not serve HEAD, though some advertise it; one is known to never answer. */
async function headOrNothing(
  caller: CatalogCaller,
  path: string,
  signal: AbortSignal,
): Promise<HttpAnswer | undefined> {
  using deadline = startDeadline(signal, LIMITS.catalogHeadTimeoutMs, 'A question by HEAD')
  try {
    const answer = await caller.call({ method: 'HEAD', path }, deadline.signal)
    return [400, 405, 406, 501].includes(answer.status) ? undefined : answer
  } catch (error) {
    if (signal.aborted || !isAppError(error, 'DEADLINE_EXCEEDED')) throw error
    return undefined
  }
}
