// One attempt at a background statement: from its sealed job to a written result, by the very path of do-get.
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError } from '@lake/core/errors.ts'
import type { AttemptProgress, ManifestPointer, StatementRecord } from '@lake/core/statements/statement.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import type { Logger } from '../observability/logger.ts'
import type { QueryServices } from '../queries/query-services.ts'
import { runQuery } from '../queries/run-query.ts'
import type { ResultObjects } from '../storage/result-objects.ts'
import { writeResult } from './result-writer.ts'
import type { JobSealer } from './sealed-job.ts'

export interface JobServices {
  readonly services: QueryServices
  readonly objects: ResultObjects
  readonly jobs: JobSealer
  readonly logger: Logger
  readonly findPrincipal: FindPrincipal
}

/** Whoever submitted a statement, with what is granted now; undefined where they may not sign in any more. */
export type FindPrincipal = (
  submitted: Principal,
  submittedAtMs: number,
  signal: AbortSignal,
) => Promise<Principal | undefined>

/**
 * Reads what its principal may read now, whatever was granted when it was submitted.
 * @throws AppError what running the statement and writing its result throw; STATEMENT_UNREADABLE, UNAUTHENTICATED
 */
export async function runJob(
  record: StatementRecord,
  onProgress: (progress: AttemptProgress) => void,
  { services, objects, jobs, logger, findPrincipal }: JobServices,
  signal: AbortSignal,
): Promise<ManifestPointer> {
  const { claims, principal: submitter, schema, limits } = jobs.open(record.sealedJob)
  using deadline = startDeadline(signal, limits.deadlineMs, 'The statement')
  const principal = await findPrincipal(submitter, claims.issuedAtMs, deadline.signal)
  if (principal === undefined)
    throw new AppError('UNAUTHENTICATED', 'Who submitted the statement may not sign in any more')
  const { statementId, fencingToken } = record
  const stream = runQuery(
    claims,
    {
      principal,
      services: inBackground(services),
      requestId: statementId,
      logger,
      facts: { rowCount: 0, bytesRead: 0 },
      onEnd: () => undefined,
    },
    deadline.signal,
  )
  const writing = {
    objects,
    attempt: { statementId, fencingToken },
    schema,
    resultBytesMax: limits.resultBytesMax,
    onProgress: ({ bytesRead, bytesPlanned }: AttemptProgress, rowCount: number) => {
      onProgress({ bytesRead, bytesPlanned, rowCount })
    },
  }
  return await writeResult(stream, writing, deadline.signal)
}

/** Engine processes are taken behind the statements that people wait for. */
function inBackground(services: QueryServices): QueryServices {
  const { engine } = services
  return {
    ...services,
    engine: {
      name: engine.name,
      analyst: engine.analyst,
      usage: engine.usage,
      acquire: async (signal) => await engine.acquire(signal, { isBackground: true }),
      [Symbol.asyncDispose]: async () => {
        await engine[Symbol.asyncDispose]()
      },
    },
  }
}
