// Sessions that were signed out before their end, so that no copy of their cookie goes on. Kept here, and where there is a
// store for it, shared with other replicas (`replicas/`).
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import { createSpentIds } from './spent-ids.ts'

export interface EndedSessions {
  /** In force here at once. Waits a bounded time until others can know of it; never fails. */
  add(sessionId: string, endsAtMs: number): Promise<void>
  /** @throws AppError SIGN_IN_UNAVAILABLE where it is not known what was signed out elsewhere */
  has(sessionId: string): boolean
}

/** Of this process alone. */
export function createEndedSessions(clock: Clock): EndedSessions {
  const ended = createSpentIds(LIMITS.sessionsEndedMax, clock)
  return {
    async add(sessionId, endsAtMs) {
      ended.add(sessionId, endsAtMs)
      await Promise.resolve()
    },
    has: (sessionId) => ended.has(sessionId),
  }
}
