// A stored statement as its owner sees it.
import type { AppError } from '@lake/core/errors.ts'
import type { StatementFailure, StatementSummary } from '@lake/core/statements/poll-info.ts'
import { progressShare, type StatementRecord } from '@lake/core/statements/statement.ts'
import type { JobSealer, StatementJob } from './sealed-job.ts'

export type Described = StatementSummary

export function describeStatement(record: StatementRecord, job: StatementJob, jobs: JobSealer): Described {
  const { sealedFailure, state } = record
  // The cause of an earlier attempt says nothing about the one that runs.
  const failure = state === 'failed' && sealedFailure !== null ? jobs.openFailure(sealedFailure) : null
  return { ...summaryOf(record), sql: job.claims.sql, tables: job.tables, failure }
}

/** What is left of a statement whose key has been removed from the ring. */
export function unreadableSummary(record: StatementRecord, error: AppError): Described {
  const failure: StatementFailure = { code: error.code, message: error.message }
  return { ...summaryOf(record), sql: null, tables: [], failure }
}

function summaryOf(record: StatementRecord) {
  const { statementId, state, attemptCount, submittedAtMs, startedAtMs, endedAtMs, expiresAtMs } = record
  return {
    statementId,
    state,
    progress: progressShare(record),
    ...record.progress,
    attemptCount,
    submittedAtMs,
    startedAtMs,
    endedAtMs,
    expiresAtMs,
  }
}
