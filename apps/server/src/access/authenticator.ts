// Who asks: the principal of the credentials that came with a request. It decides nothing about what may be read.
import { ANYBODY, type Principal } from '@lake/core/access/principal.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { OidcConfig } from '../config/access.ts'
import { LIMITS } from '../limits.ts'
import { digestToken } from './api-token.ts'
import type { OidcClient } from './oidc-client.ts'
import { idPrefixOf, principalOf } from './oidc-identity.ts'
import type { PrincipalsFile } from './principals-file.ts'
import type { Session, Sessions } from './sessions.ts'

/** As they came, unproved. */
export interface Credentials {
  /** Of `Authorization: Bearer`. Where there is one, a session does not count. */
  readonly bearer: string | undefined
  /** The session cookie's value. */
  readonly sealedSession: string | undefined
}

export interface Caller {
  readonly principal: Principal
  /** Set where a cookie said who asks: the browser sends it by itself, so a change needs more proof. */
  readonly session: Session | undefined
}

export interface Authenticator {
  /** False where no authentication is configured; then everybody is ANYBODY. */
  readonly isRequired: boolean
  /**
   * @returns undefined where the credentials are absent, unknown, altered or expired. Throws SIGN_IN_UNAVAILABLE where a
   *   token of the identity provider cannot be checked now.
   */
  authenticate(credentials: Credentials, signal: AbortSignal): Promise<Caller | undefined>
  /**
   * Who was authenticated before, with what is granted now. The identity provider is not asked again: what it granted
   * holds for as long as a session may.
   * @param authenticatedAtMs when the given grants were in force
   * @returns undefined where they would not be authenticated any more
   */
  findAgain(
    principal: Principal,
    authenticatedAtMs: number,
    signal: AbortSignal,
  ): Promise<Principal | undefined>
  /** What keeps it from doing as configured, in words. */
  findProblems(signal: AbortSignal): Promise<readonly string[]>
}

/** Where no authentication is configured. */
export const NO_AUTHENTICATION: Authenticator = {
  isRequired: false,
  authenticate: () => Promise.resolve({ principal: ANYBODY, session: undefined }),
  findAgain: ({ id }) => Promise.resolve(id === ANYBODY.id ? ANYBODY : undefined),
  findProblems: () => Promise.resolve([]),
}

export function createAuthenticator(parts: {
  readonly principalsFile: PrincipalsFile | undefined
  readonly oidc: { readonly client: OidcClient; readonly config: OidcConfig } | undefined
  readonly sessions: Sessions
  readonly clock: Clock
}): Authenticator {
  const { principalsFile, oidc, sessions, clock } = parts

  const findByDigest = async (digest: Buffer, signal: AbortSignal): Promise<Principal | undefined> =>
    (await principalsFile?.current(signal))?.findByDigest(digest, clock.nowMs())?.principal

  const findByBearer = async (bearer: string, signal: AbortSignal): Promise<Principal | undefined> => {
    if (bearer.length > LIMITS.bearerCharsMax) return undefined
    const found = await findByDigest(digestToken(bearer), signal)
    if (found !== undefined || oidc === undefined || !isJwt(bearer)) return found
    const identity = await oidc.client.verifyBearer(bearer, signal)
    return identity && principalOf(identity, oidc.config)
  }

  const findBySession = async ({ holder }: Session, signal: AbortSignal): Promise<Principal | undefined> => {
    if (holder.kind === 'token') return await findByDigest(Buffer.from(holder.sha256, 'hex'), signal)
    return oidc && principalOf(holder, oidc.config)
  }

  return {
    isRequired: true,
    async authenticate({ bearer, sealedSession }, signal) {
      const session =
        bearer === undefined && sealedSession !== undefined ? sessions.open(sealedSession) : undefined
      const principal =
        bearer !== undefined
          ? await findByBearer(bearer, signal)
          : session && (await findBySession(session, signal))
      return principal && { principal, session }
    },
    async findAgain(principal, authenticatedAtMs, signal) {
      if (principal.id === null) return undefined
      const isOfProvider = oidc !== undefined && principal.id.startsWith(idPrefixOf(oidc.config))
      if (!isOfProvider) return (await principalsFile?.current(signal))?.find(principal.id)
      return clock.nowMs() < authenticatedAtMs + LIMITS.sessionLifetimeMs ? principal : undefined
    },
    async findProblems(signal) {
      await principalsFile?.current(signal)
      return principalsFile?.problem === undefined ? [] : [principalsFile.problem]
    },
  }
}

function isJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
}
