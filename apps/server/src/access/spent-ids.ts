// Ids that must not be used again before they end by themselves: sessions that were signed out, answers of an identity
// provider that were redeemed. Bounded: the oldest go first where there are too many.
import type { Clock } from '../concurrency/clock.ts'

export interface SpentIds {
  add(id: string, untilMs: number): void
  has(id: string): boolean
}

export function createSpentIds(idsMax: number, clock: Clock): SpentIds {
  /** In order of adding. */
  const untilById = new Map<string, number>()
  return {
    add(id, untilMs) {
      const nowMs = clock.nowMs()
      for (const [known, knownUntilMs] of untilById) {
        if (knownUntilMs > nowMs && untilById.size < idsMax) break
        untilById.delete(known)
      }
      untilById.set(id, untilMs)
    },
    has: (id) => (untilById.get(id) ?? 0) > clock.nowMs(),
  }
}
