// The two cookies: the session, and what ties a sign-in at an identity provider to the browser that began it. Neither can
// be read by a script. Behind TLS they are Secure and bound to this host (`__Host-`); on plain loopback they cannot be.
import { parseCookie } from 'cookie'
import type { CookieOptions, Request, Response } from 'express'
import { LIMITS } from '../limits.ts'

export interface Cookies {
  readSession(request: Request): string | undefined
  setSession(response: Response, sealed: string): void
  clearSession(response: Response): void
  readAttempt(request: Request): string | undefined
  setAttempt(response: Response, sealed: string): void
  clearAttempt(response: Response): void
}

/** @param publicUrl where people open the workbench; undefined on plain loopback */
export function createCookies(publicUrl: URL | undefined): Cookies {
  const secure = publicUrl?.protocol === 'https:'
  const prefix = secure ? '__Host-' : ''
  const sessionName = `${prefix}lake-session`
  const attemptName = `${prefix}lake-sign-in`
  const base: CookieOptions = { httpOnly: true, secure, path: '/' }
  // No link from elsewhere carries the session: the page that it opens then asks with it.
  const session: CookieOptions = { ...base, sameSite: 'strict' }
  // The provider's answer is a link from elsewhere, and must carry this one.
  const attempt: CookieOptions = { ...base, sameSite: 'lax' }
  const read = (request: Request, name: string): string | undefined => {
    const header = request.headers.cookie
    return header === undefined || header.length > LIMITS.cookieCharsMax
      ? undefined
      : parseCookie(header)[name]
  }
  return {
    readSession: (request) => read(request, sessionName),
    setSession(response, sealed) {
      response.cookie(sessionName, sealed, { ...session, maxAge: LIMITS.sessionIdleMs })
    },
    clearSession(response) {
      response.clearCookie(sessionName, session)
    },
    readAttempt: (request) => read(request, attemptName),
    setAttempt(response, sealed) {
      response.cookie(attemptName, sealed, { ...attempt, maxAge: LIMITS.signInAttemptMs })
    },
    clearAttempt(response) {
      response.clearCookie(attemptName, attempt)
    },
  }
}
