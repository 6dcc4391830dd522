// Sessions of the browser: a sealed cookie says who signed in, and nothing is kept here of a session that goes on.
//
// A session begins at sign-in with an id of its own. It *goes on* while it is used: its cookie is sealed anew every
// `sessionRenewedAfterMs`, so that a copy left somewhere grows old. It *ends* when it was not used for `sessionIdleMs`, when
// `sessionLifetimeMs` have passed since sign-in, or when its holder signs out. Ids that were signed out are remembered
// until their session would have ended anyway, so a copy of the cookie does not outlive the sign-out.
import * as z from 'zod'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import type { Sealer } from '../sealing/sealer.ts'
import type { EndedSessions } from './ended-sessions.ts'

const sessionHolder = z.discriminatedUnion('kind', [
  /** By the digest of an API token: the principals file is asked again at every request. */
  z.object({ kind: z.literal('token'), sha256: z.string() }),
  /** By an identity provider; `values` are those of the grants claim that the configuration knows. */
  z.object({ kind: z.literal('oidc'), subject: z.string(), name: z.string(), values: z.array(z.string()) }),
])
export type SessionHolder = z.infer<typeof sessionHolder>

const session = z.object({
  sessionId: z.string(),
  holder: sessionHolder,
  startedAtMs: z.number(),
  sealedAtMs: z.number(),
})
export type Session = z.infer<typeof session>

export interface Sessions {
  /** @returns the sealed session for a cookie */
  start(holder: SessionHolder): string
  /**
   * undefined for what was altered, sealed by another or for another purpose, is too old, or was signed out.
   * @throws AppError SIGN_IN_UNAVAILABLE where the last cannot be told
   */
  open(sealed: string): Session | undefined
  /** The session sealed anew where it is due; undefined where the cookie may stay. */
  renew(session: Session): string | undefined
  end(session: Session): Promise<void>
  /** When it ends at the latest, unless it is used. */
  endsAtMs(session: Session): number
}

export function createSessions(options: {
  readonly sealer: Sealer
  readonly clock: Clock
  readonly createId: () => string
  readonly ended: EndedSessions
}): Sessions {
  const { sealer, clock, ended } = options
  const endsAtMs = ({ startedAtMs, sealedAtMs }: Session): number =>
    Math.min(startedAtMs + LIMITS.sessionLifetimeMs, sealedAtMs + LIMITS.sessionIdleMs)
  const seal = (claims: Session): string => sealer.seal(JSON.stringify(claims))
  return {
    start(holder) {
      const nowMs = clock.nowMs()
      return seal({ sessionId: options.createId(), holder, startedAtMs: nowMs, sealedAtMs: nowMs })
    },
    open(sealed) {
      const opened = sealer.open(sealed)
      if (opened.kind !== 'opened') return undefined
      const claims = session.safeParse(JSON.parse(opened.text)).data
      if (claims === undefined || clock.nowMs() >= endsAtMs(claims)) return undefined
      return ended.has(claims.sessionId) ? undefined : claims
    },
    renew(claims) {
      const nowMs = clock.nowMs()
      const isDue = nowMs - claims.sealedAtMs >= LIMITS.sessionRenewedAfterMs
      return isDue ? seal({ ...claims, sealedAtMs: nowMs }) : undefined
    },
    async end({ sessionId, startedAtMs }) {
      await ended.add(sessionId, startedAtMs + LIMITS.sessionLifetimeMs)
    },
    endsAtMs,
  }
}
