// Who asks: the principal of the credentials that came with a request. It decides nothing about what may be read.
import { ANYBODY, type Principal } from '@lake/core/access/principal.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import { digestToken } from './api-token.ts'
import type { PrincipalsFile } from './principals-file.ts'

/** As they came, unproved. */
export interface Credentials {
  /** Of `Authorization: Bearer`. */
  readonly bearer: string | undefined
}

export interface Authenticator {
  /** False where no authentication is configured; then everybody is ANYBODY. */
  readonly isRequired: boolean
  /** @returns the principal; undefined where the credentials are absent, unknown, altered or expired */
  authenticate(credentials: Credentials, signal: AbortSignal): Promise<Principal | undefined>
  /** What keeps it from doing as configured, in words. */
  findProblems(signal: AbortSignal): Promise<readonly string[]>
}

/** Where no authentication is configured. */
export const NO_AUTHENTICATION: Authenticator = {
  isRequired: false,
  authenticate: () => Promise.resolve(ANYBODY),
  findProblems: () => Promise.resolve([]),
}

export function createAuthenticator(parts: {
  readonly principalsFile: PrincipalsFile
  readonly clock: Clock
}): Authenticator {
  const { principalsFile, clock } = parts
  return {
    isRequired: true,
    async authenticate({ bearer }, signal) {
      if (bearer === undefined || bearer.length > LIMITS.bearerCharsMax) return undefined
      const principals = await principalsFile.current(signal)
      return principals.findByDigest(digestToken(bearer), clock.nowMs())?.principal
    },
    async findProblems(signal) {
      await principalsFile.current(signal)
      return principalsFile.problem === undefined ? [] : [principalsFile.problem]
    },
  }
}
