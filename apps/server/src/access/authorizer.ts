// What a principal may read: the deployment's namespaces that its grants cover. Asked before anything is loaded, on
// every route. A table that may not be read and one that does not exist get the same answer.
import { isGranted, visibleNamespaces } from '@lake/core/access/grants.ts'
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError } from '@lake/core/errors.ts'

export interface Authorizer {
  /** The namespaces that may be read, in configured order. */
  namespacesOf(principal: Principal): readonly (readonly string[])[]
  /** Throws NO_SUCH_NAMESPACE. */
  authorizeNamespace(principal: Principal, namespace: readonly string[]): void
  /** Throws NO_SUCH_TABLE, worded as for a table that the catalog does not have. */
  authorizeTable(principal: Principal, namespace: readonly string[], table: string): void
  /** The namespace that SQL writes as one name with its levels joined by dots; undefined where there is none to read. */
  findNamespace(principal: Principal, schemaName: string): readonly string[] | undefined
}

/** @param deployment the namespaces of the deployment, beyond which no grant reaches */
export function createAuthorizer(deployment: readonly (readonly string[])[]): Authorizer {
  const keys = new Set(deployment.map((levels) => JSON.stringify(levels)))
  const byName = new Map(deployment.map((levels) => [levels.join('.'), levels]))
  const isReadable = (principal: Principal, namespace: readonly string[]): boolean =>
    keys.has(JSON.stringify(namespace)) && isGranted(principal, namespace)
  return {
    namespacesOf: (principal) => visibleNamespaces(principal, deployment),
    authorizeNamespace(principal, namespace) {
      if (!isReadable(principal, namespace)) throw noSuchNamespace(namespace)
    },
    authorizeTable(principal, namespace, table) {
      if (!isReadable(principal, namespace)) throw noSuchTable(`${namespace.join('.')}.${table}`)
    },
    findNamespace(principal, schemaName) {
      const namespace = byName.get(schemaName)
      return namespace && isGranted(principal, namespace) ? namespace : undefined
    },
  }
}

/** The same words as the catalog client's for a missing table, so that the two cannot be told apart. */
export function noSuchTable(name: string): AppError {
  return new AppError('NO_SUCH_TABLE', `The catalog does not have the table ${name}, or does not show it`)
}

function noSuchNamespace(namespace: readonly string[]): AppError {
  return new AppError(
    'NO_SUCH_NAMESPACE',
    `The catalog does not have the namespace ${namespace.join('.')}, or does not show it`,
  )
}
