// Signing in and out of a browser: by an API token, or by an identity provider. What ties the provider's answer to the
// browser that asked is sealed into a cookie of its own, and each answer is taken once.
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import type { Sealer } from '../sealing/sealer.ts'
import { digestToken } from './api-token.ts'
import type { OidcClient } from './oidc-client.ts'
import type { PrincipalsFile } from './principals-file.ts'
import type { Session, Sessions } from './sessions.ts'
import { createSpentIds } from './spent-ids.ts'

export type SignInMethod = 'token' | 'oidc'

export interface SignIn {
  readonly methods: readonly SignInMethod[]
  /** @returns the sealed session. Throws UNAUTHENTICATED. */
  withToken(token: string, signal: AbortSignal): Promise<string>
  /** Begins at the identity provider. Throws NO_SUCH_ROUTE where there is none, SIGN_IN_UNAVAILABLE. */
  begin(
    isOwnWindow: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly url: URL; readonly sealedAttempt: string }>
  /** Takes the provider's answer. Throws UNAUTHENTICATED, SIGN_IN_UNAVAILABLE. */
  finish(
    callbackUrl: URL,
    sealedAttempt: string,
    signal: AbortSignal,
  ): Promise<{ readonly sealedSession: string; readonly isOwnWindow: boolean }>
  end(session: Session): Promise<void>
}

const sealedAttempt = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** The window was opened for signing in and has no other use. */
  isOwnWindow: z.boolean(),
  expiresAtMs: z.number(),
})

export function createSignIn(parts: {
  readonly principalsFile: PrincipalsFile | undefined
  readonly oidc: OidcClient | undefined
  readonly sessions: Sessions
  readonly attemptSealer: Sealer
  readonly clock: Clock
}): SignIn {
  const { principalsFile, oidc, sessions, attemptSealer, clock } = parts
  const spentStates = createSpentIds(LIMITS.signInAttemptsSpentMax, clock)
  const unknown = (message: string): AppError => new AppError('UNAUTHENTICATED', message)

  const openAttempt = (sealed: string): z.infer<typeof sealedAttempt> => {
    const opened = attemptSealer.open(sealed)
    const attempt =
      opened.kind === 'opened' ? sealedAttempt.safeParse(JSON.parse(opened.text)).data : undefined
    if (attempt === undefined || attempt.expiresAtMs <= clock.nowMs() || spentStates.has(attempt.state))
      throw unknown('This sign-in was not begun in this browser, has expired or is over')
    return attempt
  }

  return {
    methods: [...(oidc ? (['oidc'] as const) : []), ...(principalsFile ? (['token'] as const) : [])],

    async withToken(token, signal) {
      const digest = digestToken(token)
      const principals = await principalsFile?.current(signal)
      if (principals?.findByDigest(digest, clock.nowMs()) === undefined)
        throw unknown('The token is unknown or has expired')
      return sessions.start({ kind: 'token', sha256: digest.toString('hex') })
    },

    async begin(isOwnWindow, signal) {
      if (oidc === undefined) throw new AppError('NO_SUCH_ROUTE', 'There is no identity provider here')
      const { url, attempt } = await oidc.begin(signal)
      const expiresAtMs = clock.nowMs() + LIMITS.signInAttemptMs
      return {
        url,
        sealedAttempt: attemptSealer.seal(JSON.stringify({ ...attempt, isOwnWindow, expiresAtMs })),
      }
    },

    async finish(callbackUrl, sealed, signal) {
      if (oidc === undefined) throw new AppError('NO_SUCH_ROUTE', 'There is no identity provider here')
      const { isOwnWindow, expiresAtMs, ...attempt } = openAttempt(sealed)
      spentStates.add(attempt.state, expiresAtMs)
      const { subject, name, values } = await oidc.finish(callbackUrl, attempt, signal)
      const sealedSession = sessions.start({ kind: 'oidc', subject, name, values: [...values] })
      return { sealedSession, isOwnWindow }
    },

    async end(session) {
      await sessions.end(session)
    },
  }
}
