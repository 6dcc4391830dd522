// What a statement costs its principal, and its line in the audit log: once for each time that it runs, however it ends.
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import type { StatementQuota } from '../access/quotas.ts'
import type { QueryRun } from './run-query.ts'

/** Disposing it says that the statement has ended. */
export interface StatementAccount extends Disposable {
  /** As the given run, and heard of here. */
  readonly run: QueryRun
  /** Takes its place among the principal's statements. Throws BUSY, QUOTA_EXCEEDED. */
  enter(): void
  fail(code: string): void
}

export function openStatementAccount(
  { statementId, sql, pins }: TicketClaims,
  run: QueryRun,
): StatementAccount {
  const { services, principal, requestId, facts } = run
  const startedAtMs = services.clock.nowMs()
  // Unless it says otherwise: its reader went away.
  let outcome = 'CANCELLED'
  let quota: StatementQuota | undefined
  return {
    run: {
      ...run,
      onEnd(ended) {
        outcome = ended
        run.onEnd(ended)
      },
    },
    enter() {
      quota = services.quotas.enterStatement(principal)
    },
    fail(code) {
      outcome = code
    },
    [Symbol.dispose]() {
      quota?.charge(facts.bytesRead)
      quota?.[Symbol.dispose]()
      const elapsedMs = services.clock.nowMs() - startedAtMs
      services.audit.statement({
        requestId,
        statementId,
        principal,
        sql,
        tables: pins,
        ...facts,
        elapsedMs,
        outcome,
      })
    },
  }
}
