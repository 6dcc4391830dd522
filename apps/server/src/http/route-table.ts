// How a route comes to be: its method, path and check are those of the contract's ROUTES, so none can lack its check.
//
// The order for every request that `overload-gate` has let in: who asks, and not too often (401, 429) → is it this site's page that asks (403) → what the path names is granted
// (404) → the body is read → the handler. Nothing of a request is parsed or loaded before its caller is known, and nothing
// in `catalog/` is asked before the check. A handler finds the principal in its call and hands it on; the parts behind it
// cannot be called without one.
import express, { Router, type Request, type RequestHandler, type Response } from 'express'
import { REQUEST_HEADER, ROUTES, type RouteName, type RouteRequirement } from '@lake/core/api/contract.ts'
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError } from '@lake/core/errors.ts'
import type { Caller } from '../access/authenticator.ts'
import type { Authorizer } from '../access/authorizer.ts'
import { LIMITS } from '../limits.ts'
import { disconnectSignal } from './arrow-response.ts'
import { createCookies } from './cookies.ts'
import type { HttpServices } from './http-services.ts'
import type { OverloadGate } from './overload-gate.ts'
import { requestIdOf } from './request-id.ts'
import { namespaceParameter, textParameter } from './validate.ts'

/** A request whose caller is known and whose route's requirement is met. */
export interface RouteCall {
  readonly request: Request
  readonly response: Response
  readonly principal: Principal
  readonly requestId: string
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
}

type RouteOf<Requirement extends RouteRequirement> = {
  [Name in RouteName]: (typeof ROUTES)[Name]['requires'] extends Requirement ? Name : never
}[RouteName]
/** Routes that answer anybody: signing in, and saying whether one has. */
type PublicRoute = RouteOf<'nothing'>
type GuardedRoute = Exclude<RouteName, PublicRoute>

/** As RouteCall; `caller` is undefined where nobody is known. */
export type PublicCall = Omit<RouteCall, 'principal'> & { readonly caller: Caller | undefined }

export interface RouteTable {
  readonly router: Router
  /** Adds a route of the contract with its check. */
  add(name: GuardedRoute, handle: (call: RouteCall) => void | Promise<void>): void
  addPublic(name: PublicRoute, handle: (call: PublicCall) => void | Promise<void>): void
}

type Check = (authorizer: Authorizer, principal: Principal, request: Request) => void

const CHECKS: Readonly<Record<RouteRequirement, Check>> = {
  nothing: () => undefined,
  principal: () => undefined,
  namespace: (authorizer, principal, request) => {
    authorizer.authorizeNamespace(principal, namespaceParameter(request))
  },
  table: (authorizer, principal, request) => {
    authorizer.authorizeTable(principal, namespaceParameter(request), textParameter(request, 'table'))
  },
  // The tables are known once the statement is parsed, and who was meant once the ticket is open: planQuery and the
  // sealer take the principal and refuse there.
  statement: () => undefined,
  ticket: () => undefined,
}

export function createRouteTable(
  services: Pick<HttpServices, 'authenticator' | 'authorizer' | 'quotas' | 'sessions' | 'publicUrl'>,
  gate: Pick<OverloadGate, 'isWithinShare'>,
): RouteTable {
  const { authenticator, authorizer, quotas, sessions } = services
  // A route has one spelling, so that what counts or limits it by its path sees each request to it.
  const router = Router({ caseSensitive: true, strict: true })
  const cookies = createCookies(services.publicUrl)
  const parseBody = express.json({ limit: LIMITS.requestBodyBytesMax, type: 'application/json' })

  const identify = async (request: Request, signal: AbortSignal): Promise<Caller | undefined> =>
    await authenticator.authenticate(
      { bearer: bearerOf(request), sealedSession: cookies.readSession(request) },
      signal,
    )

  const register = (name: RouteName, handle: (call: PublicCall) => void | Promise<void>): void => {
    const { method, path, requires } = ROUTES[name]
    const isPublic = requires === 'nothing'
    const check: RequestHandler = async (request, response, next) => {
      const signal = disconnectSignal(response)
      const caller = await identify(request, signal).catch((error: unknown) => {
        // Whoever signs out is rid of the cookie, whether or not it can be told what it is.
        if (name === 'signOut') cookies.clearSession(response)
        throw error
      })
      if (authenticator.isRequired) quotas.countRequest(caller?.principal.id ?? addressOf(request))
      const id = caller?.principal.id ?? undefined
      if (id !== undefined && !gate.isWithinShare(request, id)) throw tooMany()
      if (caller === undefined && !isPublic) throw unauthenticated(response)
      // Signing in and out sets the cookie, so it needs the proof as well.
      if (method !== 'GET' && authenticator.isRequired && (isPublic || caller?.session))
        requireOwnPage(request)
      const renewed = caller?.session && sessions.renew(caller.session)
      if (renewed !== undefined) cookies.setSession(response, renewed)
      if (caller !== undefined) CHECKS[requires](authorizer, caller.principal, request)
      const call: PublicCall = { request, response, caller, requestId: requestIdOf(response), signal }
      response.locals['call'] = call
      next()
    }
    const answer: RequestHandler = async (_request, response) => {
      await handle(response.locals['call'] as PublicCall)
    }
    if (method === 'GET') router.get(path, check, answer)
    else router[method === 'POST' ? 'post' : 'delete'](path, check, cutEndlessBody, parseBody, answer)
  }

  return {
    router,
    add(name, handle) {
      register(name, async ({ caller, ...call }) => {
        // `check` has refused whoever is not known.
        if (caller !== undefined) await handle({ ...call, principal: caller.principal })
      })
    },
    addPublic: register,
  }
}

/** The parser reads a body to its end before it refuses it, however long it is. */
const cutEndlessBody: RequestHandler = (request, _response, next) => {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > LIMITS.requestBodyReadBytesMax) request.socket.destroy()
  })
  next()
}

/** Of the client, as far as trusted proxies tell. */
export function addressOf(request: Request): string {
  return request.ip ?? 'unknown'
}

function bearerOf(request: Request): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/**
 * A browser sends the cookie by itself, so what changes something must come from a page of this site: with its Origin,
 * which the guard before has compared, and with a header that no other site's form can send.
 */
function requireOwnPage(request: Request): void {
  const isOwn =
    request.headers.origin !== undefined && request.get(REQUEST_HEADER.name) === REQUEST_HEADER.value
  if (!isOwn)
    throw new AppError('PERMISSION_DENIED', `A session’s requests have an Origin and ${REQUEST_HEADER.name}`)
}

/** Of those of one principal, or of all. */
export function tooMany(): AppError {
  const details = { retryAfterMs: LIMITS.requestRetryAfterMs }
  return new AppError('BUSY', 'Too many such requests are being handled at once', { details })
}

function unauthenticated(response: Response): AppError {
  response.setHeader('www-authenticate', 'Bearer')
  return new AppError('UNAUTHENTICATED', 'Sign in, or send a valid token as Authorization: Bearer')
}
