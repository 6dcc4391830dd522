// One exchange of client credentials for a token (RFC 6749 §4.4): what is sent, and what comes back. Pure.
import { AppError } from '@lake/core/errors.ts'
import type { CatalogAuth } from '../config.ts'
import { Secret } from '../observability/redaction.ts'

export interface FetchedToken {
  readonly secret: Secret
  readonly expiresAtMs: number
}

/** Both client authentication styles exist in the field; a blank client id is left out, as some servers demand. */
export function clientCredentialsRequest(
  auth: Extract<CatalogAuth, { kind: 'client-credentials' }>,
  credential: string,
): { headers: Record<string, string>; body: string } {
  const colon = credential.indexOf(':')
  const clientId = credential.slice(0, Math.max(colon, 0))
  const clientSecret = credential.slice(colon + 1)
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  const scope = auth.scope ?? 'catalog'
  if (scope !== '') form.set('scope', scope)
  if (auth.audience !== undefined) form.set('audience', auth.audience)
  if (auth.resource !== undefined) form.set('resource', auth.resource)
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  }
  if (auth.clientAuth === 'basic') {
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
  } else {
    if (clientId !== '') form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  }
  return { headers, body: form.toString() }
}

/** The error's code of RFC 6749 §5.2, such as `invalid_scope`; its description may repeat what was sent. */
export function oauthError(text: string): string {
  const code = parseFields(text)['error']
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? ` ${code}` : ''
}

/** @throws AppError CATALOG_UNAVAILABLE where there is no token in it */
export function parseTokenAnswer(text: string, nowMs: number): FetchedToken {
  const fields = parseFields(text)
  const token = fields['access_token']
  if (typeof token !== 'string' || token === '') {
    throw new AppError('CATALOG_UNAVAILABLE', 'The token server answered without an access token')
  }
  // Some servers write the number as a text, and some a number that says nothing.
  const expiresInS = Number(fields['expires_in'] ?? 0)
  const saidMs = expiresInS > 0 ? expiresInS * 1_000 : Number.POSITIVE_INFINITY
  return { secret: new Secret(token), expiresAtMs: nowMs + Math.min(saidMs, jwtLifetimeMs(token, nowMs)) }
}

function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/**
 * Time to the `exp` of a JWT, read without trusting it for anything but when to ask again. Unknown is for ever, and so is
 * the past: a new token that seems to have ended tells of clocks that differ.
 */
function jwtLifetimeMs(token: string, nowMs: number): number {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    const exp = typeof payload === 'object' && payload !== null && 'exp' in payload ? payload.exp : undefined
    const lifetimeMs = typeof exp === 'number' ? exp * 1_000 - nowMs : 0
    return lifetimeMs > 0 ? lifetimeMs : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
