// The one failure of the catalog, in the words of the REST protocol's ErrorModel: an HTTP status and the name of the
// exception that other clients map to their own.

/** An expected failure of a catalog call. Answered as `{error: {message, type, code}}`. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
  readonly status: number
  readonly type: string

  constructor(status: number, type: string, message: string) {
    super(message)
    this.status = status
    this.type = type
  }

  static badRequest(message: string): CatalogError {
    return new CatalogError(400, 'BadRequestException', message)
  }

  static noSuchNamespace(namespace: readonly string[]): CatalogError {
    return new CatalogError(
      404,
      'NoSuchNamespaceException',
      `Namespace does not exist: ${namespace.join('.')}`,
    )
  }

  static noSuchTable(namespace: readonly string[], name: string): CatalogError {
    return new CatalogError(
      404,
      'NoSuchTableException',
      `Table does not exist: ${[...namespace, name].join('.')}`,
    )
  }

  static alreadyExists(message: string): CatalogError {
    return new CatalogError(409, 'AlreadyExistsException', message)
  }

  static commitFailed(message: string): CatalogError {
    return new CatalogError(409, 'CommitFailedException', message)
  }

  static unsupported(message: string): CatalogError {
    return new CatalogError(406, 'UnsupportedOperationException', message)
  }
}
