// Signing in and out, and who is signed in. A browser holds a sealed cookie; clients of the API need none of this.
import type { Response } from 'express'
import { signInRequest, type SessionResponse } from '@lake/core/api/contract.ts'
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { Caller } from '../../access/authenticator.ts'
import type { SignIn } from '../../access/sign-in.ts'
import { createCookies } from '../cookies.ts'
import { logError } from '../error-response.ts'
import type { HttpServices } from '../http-services.ts'
import type { PublicCall, RouteTable } from '../route-table.ts'
import { validBody } from '../validate.ts'

export function addSessionRoutes(routes: RouteTable, services: HttpServices): void {
  const { authenticator, sessions, signIn } = services
  const cookies = createCookies(services.publicUrl)

  const describe = (caller: Caller | undefined): SessionResponse => ({
    principal: caller?.principal.name ?? null,
    isSignInRequired: authenticator.isRequired && caller === undefined,
    signInMethods: [...(signIn?.methods ?? [])],
    expiresAtMs: caller?.session ? sessions.endsAtMs(caller.session) : null,
    // Whoever is nobody here need not know what runs.
    version: caller === undefined ? null : services.version,
    discovery: services.discovery,
    hasBackground: services.statements !== undefined,
  })

  routes.addPublic('session', ({ response, caller }) => {
    response.json(describe(caller))
  })

  routes.addPublic('signIn', async ({ request, response, signal }) => {
    const { token } = validBody(request, signInRequest)
    const sealed = await required(signIn).withToken(token, signal)
    cookies.setSession(response, sealed)
    response.json(
      describe(await authenticator.authenticate({ bearer: undefined, sealedSession: sealed }, signal)),
    )
  })

  routes.addPublic('signOut', ({ response, caller }) => {
    if (caller?.session) required(signIn).end(caller.session)
    cookies.clearSession(response)
    response.json(describe(caller?.session ? undefined : caller))
  })

  routes.addPublic('beginSignIn', async ({ request, response, signal }) => {
    const isOwnWindow = request.query['window'] === 'own'
    const { url, sealedAttempt } = await required(signIn).begin(isOwnWindow, signal)
    cookies.setAttempt(response, sealedAttempt)
    response.redirect(303, url.href)
  })

  routes.addPublic('finishSignIn', async (call) => {
    const { response } = call
    cookies.clearAttempt(response)
    try {
      const { sealedSession, isOwnWindow } = await finish(
        required(signIn),
        call,
        cookies.readAttempt(call.request),
      )
      cookies.setSession(response, sealedSession)
      goHome(response, isOwnWindow ? 'done' : undefined)
    } catch (error) {
      // A person looks at the answer, so it is the app, which says it in words.
      if (!isAppError(error, 'UNAUTHENTICATED') && !isAppError(error, 'SIGN_IN_UNAVAILABLE')) throw error
      logError(services.logger, error, call.requestId)
      goHome(response, error.code === 'UNAUTHENTICATED' ? 'failed' : 'unavailable')
    }
  })
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
