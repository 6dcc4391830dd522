// The Express application behind its gate: guards, routes, the web app's files, errors. It decides nothing about queries.
import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { AppError } from '@lake/core/errors.ts'
import { API_PREFIX } from '@lake/core/api/contract.ts'
import { LIMITS } from '../limits.ts'
import { logError, sendError } from './error-response.ts'
import type { HttpServices } from './http-services.ts'
import { createOverloadGate } from './overload-gate.ts'
import { createProbes } from './probes.ts'
import { guardLoopback, guardOrigin } from './request-guard.ts'
import { assignRequestId, requestIdOf } from './request-id.ts'
import { securityHeaders } from './security-headers.ts'
import { createRouteTable } from './route-table.ts'
import { addCatalogRoutes } from './routes/catalog-routes.ts'
import { addFlightRoutes } from './routes/flight-routes.ts'
import { addSessionRoutes } from './routes/session-routes.ts'

export function createApp(services: HttpServices): RequestListener {
  const app = express()
  const gate = createOverloadGate({
    handle: app,
    createId: services.createId,
    runningAtOnceMax: services.enginesMax + LIMITS.engineQueueMax,
    onRefused: (status) => {
      services.metrics.httpAnswered('refused', status)
    },
  })
  app.disable('x-powered-by')
  app.set('etag', false)
  app.set('case sensitive routing', true)
  app.set('trust proxy', services.trustedProxies.length > 0 && [...services.trustedProxies])
  app.use(assignRequestId(services.createId))
  app.use(countAnswers(services))
  app.use(securityHeaders(services.publicUrl))
  app.use(createProbes(services))
  app.use(services.publicUrl === undefined ? guardLoopback : guardOrigin(services.publicUrl.origin))

  const api = express.Router({ caseSensitive: true, strict: true })
  api.use((_request, response, next) => {
    response.setHeader('cache-control', 'no-store')
    next()
  })
  const routes = createRouteTable(services, gate)
  addSessionRoutes(routes, services)
  addCatalogRoutes(routes, services)
  addFlightRoutes(routes, services, gate)
  api.use(routes.router)
  app.use(API_PREFIX, api)

  if (services.webDirectory !== undefined) app.use(webFiles(services.webDirectory))
  app.use(() => {
    throw new AppError('NO_SUCH_ROUTE', 'There is nothing here')
  })
  app.use(handleErrors(services))
  return gate.listener
}

/** Files with a hash in their name never change; every other path is the app, which reads the URL itself. */
function webFiles(directory: string): RequestHandler {
  const router = express.Router()
  router.use(
    '/assets',
    express.static(`${directory}/assets`, { immutable: true, maxAge: '1y', fallthrough: false }),
  )
  router.use(express.static(directory, { index: false }))
  router.get('/{*path}', (_request, response, next) => {
    response.setHeader('cache-control', 'no-cache')
    response.sendFile('index.html', { root: directory }, (error?: Error) => {
      if (error) next(new AppError('NO_SUCH_ROUTE', 'The web app has not been built'))
    })
  })
  return router
}

function countAnswers({ metrics }: HttpServices): RequestHandler {
  return (request, response, next) => {
    response.once('finish', () => {
      metrics.httpAnswered(
        request.route === undefined ? 'other' : String((request.route as { path: unknown }).path),
        response.statusCode,
      )
    })
    next()
  }
}

function handleErrors({ logger }: HttpServices): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const requestId = requestIdOf(response)
    const known = asAppError(error)
    // Nobody is left to answer when the client has gone.
    if (!response.destroyed || response.writableFinished) logError(logger, known, requestId)
    sendError(response, known, requestId)
  }
}

/** Express and its parsers fail with errors of their own, which carry a 4xx status. */
function asAppError(error: unknown): unknown {
  if (error instanceof AppError || typeof error !== 'object' || error === null || !('status' in error))
    return error
  const { status } = error
  if (status === 404) return new AppError('NO_SUCH_ROUTE', 'There is nothing here', { cause: error })
  if (status === 413)
    return new AppError('INVALID_REQUEST', `The body is larger than ${LIMITS.requestBodyBytesMax} bytes`, {
      cause: error,
    })
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('INVALID_REQUEST', 'The request is malformed', { cause: error })
  }
  return error
}
