import { describe, expect, it } from 'vitest'
import type { StatementRecord } from '@lake/core/statements/statement.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createMemoryStatementStore } from '../../test/support/memory-statement-store.ts'
import type { QueryServices } from '../queries/query-services.ts'
import { createKeptResults, type AnswerOf } from './kept-results.ts'
import type { StatementStore } from './statement-store.ts'

const NEVER = new AbortController().signal
const ADA = { id: 'ada', name: 'Ada', grants: [] }
const ANSWER: AnswerOf = { sql: 'SELECT 1', substitutions: [], pins: [], tree: {} }
const FINISHED = {
  statementId: 's',
  endedAtMs: 1,
  expiresAtMs: 2,
  manifest: { rowCount: 3 },
} as unknown as StatementRecord

function lookFor(
  findFinished: StatementStore['findFinished'],
  answer: AnswerOf = ANSWER,
  signal: AbortSignal = NEVER,
) {
  let askedCount = 0
  const kept = createKeptResults({
    services: { engine: { name: 'engine' } as QueryServices['engine'] },
    store: {
      ...createMemoryStatementStore(),
      findFinished: async (...of) => {
        askedCount += 1
        return await findFinished(...of)
      },
    },
    clock: createManualClock(0),
  })
  return { found: kept.findSoon(answer, ADA, signal), askedCount: () => askedCount }
}

describe('[ST13] a kept result for a statement that somebody waits for', () => {
  it('is what the store has', async () => {
    const found = { statementId: 's', endedAtMs: 1, expiresAtMs: 2, rowCount: 3 }
    expect(await lookFor(() => Promise.resolve(FINISHED)).found).toEqual(found)
  })

  it('is none where the store fails, and where it does not answer', async () => {
    expect(await lookFor(() => Promise.reject(new Error('away'))).found).toBeUndefined()
    expect(await lookFor(() => new Promise(() => undefined)).found).toBeUndefined()
  })

  it('is not waited for by whoever has left', async () => {
    const gone = new AbortController()
    const { found } = lookFor(() => new Promise(() => undefined), ANSWER, gone.signal)
    gone.abort(new Error('gone'))
    await expect(found).rejects.toThrow()
  })

  it('is not looked for where chance or the time has a part in the answer', async () => {
    const { found, askedCount } = lookFor(() => Promise.resolve(FINISHED), {
      ...ANSWER,
      tree: { select_list: [{ function_name: 'random' }] },
    })
    expect(await found).toBeUndefined()
    expect(askedCount()).toBe(0)
  })
})
