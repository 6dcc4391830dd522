// How calls to the catalog are authenticated. Three kinds:
//
// - none: no Authorization header, nothing to renew.
// - static bearer: the configured token. Never renewed; where it is a reference, an authentication failure resolves the
//   reference again, and the call is replayed only if the secret has changed.
// - client credentials (RFC 6749 §4.4): a token is fetched when first needed or when the known expiry has passed, and
//   once more after an authentication failure. There is no timer.
//
// Renewal is a single flight: whoever fails with the same token shares one renewal and its failure, also who comes to it
// after the failure with a token from before; a leader that is cancelled fails its followers. A later call may try afresh.
import { AppError, isAppError } from '@lake/core/errors.ts'
import { raceAbort } from '../concurrency/deadline.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { CatalogAuth } from '../config.ts'
import type { Secret } from '../observability/redaction.ts'
import { isRefusal } from './catalog-failure.ts'
import {
  clientCredentialsRequest,
  oauthError,
  parseTokenAnswer,
  type FetchedToken,
} from './client-credentials.ts'
import type { HttpClient } from './http-client.ts'
import { resolveSecret, type SecretResolver } from './secrets.ts'

export interface SessionToken {
  readonly secret: Secret
  /** Grows with every new token, so that a failure can say which token failed. */
  readonly generation: number
  /** Renewals that had failed when the token was handed out. */
  readonly failuresSeen: number
}

export interface CatalogSession {
  /** The token to send now; undefined for an unauthenticated catalog. */
  token(signal: AbortSignal): Promise<SessionToken | undefined>
  /**
   * Called after an authentication failure with `failed`.
   * @returns true when another token is there now and the call may be replayed once
   */
  renew(failed: SessionToken, signal: AbortSignal): Promise<boolean>
}

export interface SessionOptions {
  readonly auth: CatalogAuth
  readonly resolver: SecretResolver
  readonly http: HttpClient
  readonly clock: Clock
  /** The token endpoint where the configuration names none: the catalog's own, deprecated one. */
  readonly defaultTokenUri: URL
  readonly onRenewal: (outcome: 'renewed' | 'failed' | 'unchanged') => void
}

interface Held {
  readonly secret: Secret
  readonly generation: number
  readonly expiresAtMs: number
}

export function createSession(options: SessionOptions): CatalogSession {
  const { auth } = options
  if (auth.kind === 'none')
    return { token: () => Promise.resolve(undefined), renew: () => Promise.resolve(false) }

  let held: Held | undefined
  let pending: Promise<Held> | undefined
  let failures = 0
  let lastFailure: unknown
  const obtain = (signal: AbortSignal): Promise<Held> => {
    pending ??= fetchToken(auth, options, signal)
      .then(({ secret, expiresAtMs }) => {
        held = { secret, generation: (held?.generation ?? 0) + 1, expiresAtMs }
        return held
      })
      .catch((error: unknown) => {
        if (!isAppError(error, 'CANCELLED')) {
          failures += 1
          lastFailure = error
        }
        throw error
      })
      .finally(() => {
        pending = undefined
      })
    return shareOpaquely(pending, signal)
  }

  return {
    async token(signal) {
      const { secret, generation } =
        held && held.expiresAtMs > options.clock.nowMs() ? held : await obtain(signal)
      return { secret, generation, failuresSeen: failures }
    },
    async renew(failed, signal) {
      if (held && held.generation !== failed.generation) return true
      if (auth.kind === 'token' && auth.token.kind === 'inline') return false
      // This token's renewal has failed while the call was under way: its failure is this call's too.
      if (failed.failuresSeen < failures) throw lastFailure
      try {
        const { secret } = await obtain(signal)
        const hasChanged = auth.kind === 'client-credentials' || secret.reveal() !== failed.secret.reveal()
        options.onRenewal(hasChanged ? 'renewed' : 'unchanged')
        return hasChanged
      } catch (error) {
        options.onRenewal('failed')
        throw error
      }
    },
  }
}

/** A follower must not learn that somebody else's request was cancelled: it sees a failed renewal. */
async function shareOpaquely(pending: Promise<Held>, signal: AbortSignal): Promise<Held> {
  try {
    return await raceAbort(pending, signal)
  } catch (error) {
    if (isAppError(error, 'CANCELLED') && !signal.aborted) {
      throw new AppError('CATALOG_UNAVAILABLE', 'The catalog session could not be renewed')
    }
    throw error
  }
}

async function fetchToken(
  auth: Exclude<CatalogAuth, { kind: 'none' }>,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<FetchedToken> {
  if (auth.kind === 'token') {
    return {
      secret: await resolveSecret(auth.token, options.resolver, signal),
      expiresAtMs: Number.POSITIVE_INFINITY,
    }
  }
  const credential = (await resolveSecret(auth.credential, options.resolver, signal)).reveal()
  const { headers, body } = clientCredentialsRequest(auth, credential)
  const url = auth.serverUri ?? options.defaultTokenUri
  const answer = await options.http.call({ method: 'POST', url, headers, body }, signal)
  if ([400, 401, 403].includes(answer.status)) {
    throw new AppError(
      'CATALOG_UNAUTHORIZED',
      `The token server refused the client credentials (HTTP ${answer.status}${oauthError(answer.text)})`,
    )
  }
  if (answer.status !== 200) {
    throw new AppError(
      isRefusal(answer.status) ? 'CATALOG_REFUSED' : 'CATALOG_UNAVAILABLE',
      `The token server answered HTTP ${answer.status}`,
    )
  }
  return parseTokenAnswer(answer.text, options.clock.nowMs())
}
