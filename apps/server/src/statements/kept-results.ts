// Which finished result answers a statement again: one of the same principal, text and pins, by the same engine, whose
// answer neither chance nor the time has a part in. Then it is the answer, exactly.
import { createHash } from 'node:crypto'
import type { KeptResult } from '@lake/core/api/contract.ts'
import type { Principal } from '@lake/core/access/principal.ts'
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import type { StatementRecord } from '@lake/core/statements/statement.ts'
import { raceAbort, startDeadline } from '../concurrency/deadline.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import type { QueryPlan } from '../queries/plan-query.ts'
import type { QueryServices } from '../queries/query-services.ts'
import { isRepeatable } from '../sql/volatile-functions.ts'
import type { StatementStore } from './statement-store.ts'

/** What two statements must share for their answers to be equal. */
export type AnswerOf = Pick<TicketClaims, 'sql' | 'substitutions' | 'pins'> & Pick<QueryPlan, 'tree'>

export interface KeptResults {
  /** Equal for statements whose answers must be equal; null where chance or the time has a part in the answer. */
  digestOf(answer: AnswerOf): string | null
  /** @throws AppError STATEMENTS_UNAVAILABLE */
  find(principal: Principal, resultDigest: string): Promise<StatementRecord | undefined>
  /**
   * For a statement that somebody waits for: a store that is away or slow has none.
   * @returns undefined where there is none; the statement must be authorized already
   */
  findSoon(answer: AnswerOf, principal: Principal, signal: AbortSignal): Promise<KeptResult | undefined>
}

export function createKeptResults(parts: {
  readonly services: Pick<QueryServices, 'engine'>
  readonly store: StatementStore
  readonly clock: Clock
}): KeptResults {
  const { services, store, clock } = parts

  const digestOf: KeptResults['digestOf'] = ({ sql, substitutions, pins, tree }) => {
    if (pins.some(({ metadataTable }) => metadataTable !== undefined)) return null
    if (!isRepeatable(tree)) return null
    return digest([services.engine.name, sql, substitutions, pins])
  }
  // One that expires while it is read is no answer.
  const find: KeptResults['find'] = async (principal, resultDigest) =>
    await store.findFinished(ownerOf(principal), resultDigest, clock.nowMs() + LIMITS.ticketLifetimeMs)

  return {
    digestOf,
    find,
    async findSoon(answer, principal, signal) {
      const resultDigest = digestOf(answer)
      if (resultDigest === null) return undefined
      using deadline = startDeadline(signal, LIMITS.keptLookUpMs, 'Looking for a kept result')
      try {
        const record = await raceAbort(find(principal, resultDigest), deadline.signal)
        if (record === undefined) return undefined
        const { statementId, endedAtMs, expiresAtMs, manifest } = record
        if (endedAtMs === null || expiresAtMs === null || manifest === null) return undefined
        return { statementId, endedAtMs, expiresAtMs, rowCount: manifest.rowCount }
      } catch (error) {
        if (signal.aborted) throw error
        return undefined
      }
    },
  }
}

/** The store tells owners apart without knowing them. */
export function ownerOf(principal: Principal): string {
  return digest(['owner', principal.id])
}

export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
