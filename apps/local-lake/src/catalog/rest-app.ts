// The catalog over HTTP, by the Iceberg REST protocol: authentication, bodies and errors in the protocol's own shapes.
// What a call does is in namespace-routes.ts and table-routes.ts; what the protocol knows and this catalog does not do is a 406.
import { createHash, timingSafeEqual } from 'node:crypto'
import express from 'express'
import type { Express, NextFunction, Request, Response } from 'express'
import { LIMITS } from '../limits.ts'
import { S3Error } from '../s3/s3-error.ts'
import { CatalogError } from './catalog-error.ts'
import { addNamespaceRoutes } from './namespace-routes.ts'
import { addTableRoutes } from './table-routes.ts'
import type { RestOptions } from './rest-options.ts'
import { sendJson } from './rest-response.ts'

/** The calls that are done here, as the config names them. */
const ENDPOINTS = [
  'GET /v1/{prefix}/namespaces',
  'POST /v1/{prefix}/namespaces',
  'GET /v1/{prefix}/namespaces/{namespace}',
  'HEAD /v1/{prefix}/namespaces/{namespace}',
  'DELETE /v1/{prefix}/namespaces/{namespace}',
  'POST /v1/{prefix}/namespaces/{namespace}/properties',
  'GET /v1/{prefix}/namespaces/{namespace}/tables',
  'POST /v1/{prefix}/namespaces/{namespace}/tables',
  'POST /v1/{prefix}/namespaces/{namespace}/register',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials',
  'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics',
  'POST /v1/{prefix}/tables/rename',
]

/** The Express app of the catalog. */
export function createRestApp(options: RestOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use((request, _response, next) => {
    authenticate(request, options.token)
    next()
  })
  // Parsed by our own reader, since 64-bit ids would not survive express.json.
  app.use(express.text({ type: () => true, limit: LIMITS.catalogBodyBytesMax }))
  app.get('/v1/config', (request, response) => {
    const { warehouse } = request.query
    if (warehouse !== undefined && warehouse !== options.warehouse)
      throw new CatalogError(404, 'NoSuchWarehouseException', 'No such warehouse')
    sendJson(response, {
      defaults: {},
      overrides: { prefix: options.warehouse, 'namespace-separator': '%1F' },
      endpoints: ENDPOINTS,
    })
  })
  const router = express.Router()
  addNamespaceRoutes(router, options)
  addTableRoutes(router, options)
  app.use(`/v1/${options.warehouse}`, router)
  app.use((request) => {
    const isKnown = /\/(views|functions|plan|tasks|sign)(\/|$)|\/transactions\/commit$/.test(request.path)
    throw isKnown
      ? CatalogError.unsupported('This catalog does not do that; see the endpoints of its config')
      : new CatalogError(
          404,
          'NotFoundException',
          'No such route; does the path have the prefix of the config?',
        )
  })
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    sendError(response, error, options.log)
  })
  return app
}

function authenticate(request: Request, token: string): void {
  const [, given = ''] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(digest(given), digest(token)))
    throw new CatalogError(401, 'NotAuthorizedException', 'A valid bearer token is required')
}

function sendError(response: Response, error: unknown, log: (message: string) => void): void {
  const failure = toCatalogError(error)
  if (failure.status >= 500)
    log(`rest: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  const { message, type, status: code } = failure
  sendJson(response, { error: { message, type, code } }, code)
}

function toCatalogError(error: unknown): CatalogError {
  if (error instanceof CatalogError) return error
  if (error instanceof SyntaxError) return CatalogError.badRequest('The body is not JSON')
  if (error instanceof S3Error)
    return new CatalogError(404, 'NotFoundException', 'A metadata file is missing')
  // Express and its body parser mark what is the request's fault with a status.
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new CatalogError(status, 'BadRequestException', 'The request is malformed or too large')
  return new CatalogError(500, 'InternalServerError', 'An internal error')
}
