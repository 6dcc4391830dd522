// The identity provider: sign-in by authorization code with PKCE, and its bearer tokens for clients of the API.
//
// The provider's metadata is loaded when it is first needed and kept for a while, so that a provider that is away stops
// sign-in and nothing else. The secret is resolved as often. Keys for tokens are loaded by need, and anew for an unknown one.
import { createRemoteJWKSet, errors as joseErrors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  discovery,
  enableNonRepudiationChecks,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client'
import { AppError } from '@lake/core/errors.ts'
import { resolveSecret, type SecretResolver } from '../catalog/secrets.ts'
import type { Clock } from '../concurrency/clock.ts'
import { raceAbort } from '../concurrency/deadline.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { OidcConfig } from '../config/access.ts'
import { LIMITS } from '../limits.ts'
import { readIdentity, type OidcIdentity } from './oidc-identity.ts'

/** What ties the provider's answer to the browser that asked. */
export interface SignInAttempt {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export interface OidcClient {
  /** Where to send the browser. Throws SIGN_IN_UNAVAILABLE. */
  begin(signal: AbortSignal): Promise<{ readonly url: URL; readonly attempt: SignInAttempt }>
  /** Redeems the provider's answer. Throws SIGN_IN_UNAVAILABLE, and UNAUTHENTICATED for every other answer. */
  finish(callbackUrl: URL, attempt: SignInAttempt, signal: AbortSignal): Promise<OidcIdentity>
  /**
   * Who a bearer token speaks for: signed by the provider, for the configured audience, unexpired. undefined for any other.
   * Throws SIGN_IN_UNAVAILABLE where the provider's keys cannot be loaded.
   */
  verifyBearer(token: string, signal: AbortSignal): Promise<OidcIdentity | undefined>
}

interface Provider {
  readonly configuration: Configuration
  readonly keys: JWTVerifyGetKey
  readonly loadedAtMs: number
}

/** Asymmetric only: a shared secret is no proof of who signed. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

export function createOidcClient(options: {
  readonly config: OidcConfig
  readonly redirectUri: URL
  readonly resolver: SecretResolver
  readonly clock: Clock
}): OidcClient {
  const { config, redirectUri, clock } = options
  const flights = createSingleFlight<Provider>()
  let provider: Provider | undefined

  const load = async (signal: AbortSignal): Promise<Provider> => {
    provider = await loadProvider(options, signal)
    return provider
  }
  const current = async (signal: AbortSignal): Promise<Provider> => {
    const isFresh = provider && clock.nowMs() - provider.loadedAtMs < LIMITS.oidcMetadataFreshMs
    return provider && isFresh ? provider : await flights.run('', load, signal)
  }

  return {
    async begin(signal) {
      const { configuration } = await current(signal)
      const attempt = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri.href,
        scope: config.scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url, attempt }
    },

    async finish(callbackUrl, { state, nonce, codeVerifier }, signal) {
      const { configuration } = await current(signal)
      const url = new URL(redirectUri)
      url.search = callbackUrl.search
      try {
        const grant = authorizationCodeGrant(configuration, url, {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const identity = readIdentity((await raceAbort(grant, signal)).claims() ?? {}, config)
        if (identity !== undefined) return identity
      } catch (cause) {
        // Why is in the cause, which is not logged: it may quote the answer.
        throw new AppError('UNAUTHENTICATED', 'The identity provider’s answer does not sign anybody in', {
          cause,
        })
      }
      throw new AppError('UNAUTHENTICATED', 'The identity provider’s answer names nobody')
    },

    async verifyBearer(token, signal) {
      if (config.audience === undefined) return undefined
      const claims = await verifyClaims(token, config.audience, await current(signal), clock, signal)
      return claims && readIdentity(claims, config)
    },
  }
}

/** undefined for a token that does not count. */
async function verifyClaims(
  token: string,
  audience: string,
  { keys, configuration }: Provider,
  clock: Clock,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const verified = jwtVerify(token, keys, {
    issuer: configuration.serverMetadata().issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: LIMITS.oidcClockToleranceMs / 1_000,
    currentDate: new Date(clock.nowMs()),
  })
  try {
    return (await raceAbort(verified, signal)).payload
  } catch (error) {
    if (error instanceof AppError) throw error
    if (isOfKeys(error)) throw unavailable(error)
    return undefined
  }
}

/** True where the provider's keys could not be had, which says nothing about the token. */
function isOfKeys(error: unknown): boolean {
  const isOfToken =
    error instanceof joseErrors.JOSEError &&
    !['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'].includes(error.code)
  return !isOfToken
}

async function loadProvider(
  { config, resolver, clock }: Parameters<typeof createOidcClient>[0],
  signal: AbortSignal,
): Promise<Provider> {
  try {
    const secret = config.clientSecret && (await resolveSecret(config.clientSecret, resolver, signal))
    const isPlain = config.issuer.protocol === 'http:'
    const found = discovery(
      config.issuer,
      config.clientId,
      undefined,
      secret ? ClientSecretBasic(secret.reveal()) : None(),
      {
        timeout: LIMITS.oidcCallTimeoutMs / 1_000,
        // The configuration lets http: name numeric loopback only.
        execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
      },
    )
    const configuration = await raceAbort(found, signal)
    const { jwks_uri: keysUri } = configuration.serverMetadata()
    if (keysUri === undefined) throw new Error('The provider publishes no keys')
    const keys = createRemoteJWKSet(new URL(keysUri), { timeoutDuration: LIMITS.oidcCallTimeoutMs })
    return { configuration, keys, loadedAtMs: clock.nowMs() }
  } catch (cause) {
    throw unavailable(cause)
  }
}

function unavailable(cause: unknown): AppError {
  return new AppError('SIGN_IN_UNAVAILABLE', 'The identity provider did not answer, or not usefully', {
    cause,
    details: { retryAfterMs: 5_000 },
  })
}
