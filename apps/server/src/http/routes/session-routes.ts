// Signing in and out, and who is signed in. A browser holds a sealed cookie; clients of the API need none of this.
import type { Response } from 'express'
import { signInRequest, type SessionResponse } from '@lake/core/api/contract.ts'
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { Caller } from '../../access/authenticator.ts'
import type { SignIn, SignInMethod } from '../../access/sign-in.ts'
import { errorCodeOf } from '../../observability/error-code.ts'
import { createCookies } from '../cookies.ts'
import { logError } from '../error-response.ts'
import type { HttpServices } from '../http-services.ts'
import { addressOf, type PublicCall, type RouteTable } from '../route-table.ts'
import { validBody } from '../validate.ts'

export function addSessionRoutes(routes: RouteTable, services: HttpServices): void {
  const { signIn, audit } = services
  const cookies = createCookies(services.publicUrl)

  routes.addPublic('session', ({ response, caller }) => {
    response.json(describe(services, caller))
  })

  routes.addPublic('signIn', async (call) => {
    const { token } = validBody(call.request, signInRequest)
    try {
      const sealed = await required(signIn).withToken(token, call.signal)
      call.response.json(describe(services, await begin(services, call, 'token', sealed)))
    } catch (error) {
      noteFailure(services, call, 'token', error)
      throw error
    }
  })

  routes.addPublic('signOut', async ({ request, response, requestId, caller }) => {
    if (caller?.session) {
      await required(signIn).end(caller.session)
      const { principal } = caller
      const address = addressOf(request)
      audit.signIn({ event: 'sign-out', requestId, method: null, principal, address, outcome: 'ok' })
    }
    cookies.clearSession(response)
    response.json(describe(services, caller?.session ? undefined : caller))
  })

  addProviderRoutes(routes, services)
}

/** To the identity provider and back. */
function addProviderRoutes(routes: RouteTable, services: HttpServices): void {
  const { signIn, logger } = services
  const cookies = createCookies(services.publicUrl)

  routes.addPublic('beginSignIn', async ({ request, response, signal }) => {
    const isOwnWindow = request.query['window'] === 'own'
    const { url, sealedAttempt } = await required(signIn).begin(isOwnWindow, signal)
    cookies.setAttempt(response, sealedAttempt)
    response.redirect(303, url.href)
  })

  routes.addPublic('finishSignIn', async (call) => {
    const { request, response } = call
    cookies.clearAttempt(response)
    try {
      const finished = await finish(required(signIn), call, cookies.readAttempt(request))
      await begin(services, call, 'oidc', finished.sealedSession)
      goHome(response, finished.isOwnWindow ? 'done' : undefined)
    } catch (error) {
      noteFailure(services, call, 'oidc', error)
      // A person looks at the answer, so it is the app, which says it in words.
      if (!isAppError(error, 'UNAUTHENTICATED') && !isAppError(error, 'SIGN_IN_UNAVAILABLE')) throw error
      logError(logger, error, call.requestId)
      goHome(response, error.code === 'UNAUTHENTICATED' ? 'failed' : 'unavailable')
    }
  })
}

function describe(services: HttpServices, caller: Caller | undefined): SessionResponse {
  const { authenticator, sessions, signIn } = services
  return {
    principal: caller?.principal.name ?? null,
    isSignInRequired: authenticator.isRequired && caller === undefined,
    signInMethods: [...(signIn?.methods ?? [])],
    expiresAtMs: caller?.session ? sessions.endsAtMs(caller.session) : null,
    // Whoever is nobody here need not know what runs.
    version: caller === undefined ? null : services.version,
    discovery: services.discovery,
    hasBackground: services.statements !== undefined,
  }
}

/** Sets the cookie, and writes down who got it. */
async function begin(
  { authenticator, audit, publicUrl }: HttpServices,
  { request, response, requestId, signal }: PublicCall,
  method: SignInMethod,
  sealedSession: string,
): Promise<Caller | undefined> {
  const caller = await authenticator.authenticate({ bearer: undefined, sealedSession }, signal)
  const principal = caller?.principal ?? null
  const address = addressOf(request)
  audit.signIn({ event: 'sign-in', requestId, method, principal, address, outcome: 'ok' })
  createCookies(publicUrl).setSession(response, sealedSession)
  return caller
}

function noteFailure(
  { audit }: HttpServices,
  { request, requestId }: PublicCall,
  method: SignInMethod,
  error: unknown,
): void {
  const address = addressOf(request)
  const outcome = errorCodeOf(error)
  audit.signIn({ event: 'sign-in', requestId, method, principal: null, address, outcome })
}

async function finish(
  signIn: SignIn,
  { request, signal }: PublicCall,
  sealedAttempt: string | undefined,
): Promise<{ readonly sealedSession: string; readonly isOwnWindow: boolean }> {
  if (sealedAttempt === undefined)
    throw new AppError('UNAUTHENTICATED', 'This sign-in was not begun in this browser')
  // Only its query is used; the rest is as configured.
  return await signIn.finish(new URL(request.originalUrl, 'https://callback.invalid'), sealedAttempt, signal)
}

function goHome(response: Response, outcome: 'done' | 'failed' | 'unavailable' | undefined): void {
  response.redirect(303, outcome === undefined ? '/' : `/?sign-in=${outcome}`)
}

function required(signIn: SignIn | undefined): SignIn {
  if (signIn !== undefined) return signIn
  throw new AppError('NO_SUCH_ROUTE', 'No authentication is configured, so nobody signs in here')
}
