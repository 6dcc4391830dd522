// For how long this server has found statements that it cannot open. A statement's age would not tell: it may have run for
// hours, by a server with its key, before that one stopped.
import { LIMITS } from '../limits.ts'

export interface UnreadableLooks {
  /** Notes one more look. @returns the time since the first of those that followed each other closely */
  note(statementId: string, nowMs: number): number
}

export function createUnreadableLooks(): UnreadableLooks {
  const looks = new Map<string, { readonly firstAtMs: number; readonly lastAtMs: number }>()
  return {
    note(statementId, nowMs) {
      const known = looks.get(statementId)
      const firstAtMs = known && nowMs - known.lastAtMs <= LIMITS.unreadableGapMs ? known.firstAtMs : nowMs
      looks.delete(statementId)
      looks.set(statementId, { firstAtMs, lastAtMs: nowMs })
      const [oldest] = looks.keys()
      if (looks.size > LIMITS.statementsOpenMax && oldest !== undefined) looks.delete(oldest)
      return nowMs - firstAtMs
    },
  }
}
