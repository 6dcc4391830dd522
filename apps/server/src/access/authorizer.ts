// What may be read: the namespaces of the deployment. Asked before anything is loaded, on every route.
// A table outside them and a table that does not exist get the same answer.
import { AppError } from '@lake/core/errors.ts'

export interface Authorizer {
  /** The namespaces that may be read, in configured order. */
  readonly namespaces: readonly (readonly string[])[]
  /** Throws NO_SUCH_NAMESPACE. */
  authorizeNamespace(namespace: readonly string[]): void
  /** Throws NO_SUCH_TABLE, worded as for a table that the catalog does not have. */
  authorizeTable(namespace: readonly string[], table: string): void
  /** The namespace that SQL writes as one name with its levels joined by dots; undefined where there is none. */
  findNamespace(schemaName: string): readonly string[] | undefined
}

export function createAuthorizer(namespaces: readonly (readonly string[])[]): Authorizer {
  const keys = new Set(namespaces.map((levels) => JSON.stringify(levels)))
  const byName = new Map(namespaces.map((levels) => [levels.join('.'), levels]))
  const isAllowed = (namespace: readonly string[]): boolean => keys.has(JSON.stringify(namespace))
  return {
    namespaces,
    authorizeNamespace(namespace) {
      if (!isAllowed(namespace)) throw noSuchNamespace(namespace)
    },
    authorizeTable(namespace, table) {
      if (!isAllowed(namespace)) throw noSuchTable(`${namespace.join('.')}.${table}`)
    },
    findNamespace: (schemaName) => byName.get(schemaName),
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
