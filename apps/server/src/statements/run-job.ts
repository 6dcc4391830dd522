// One attempt at a background statement: from its sealed job to a written result, by the very path of do-get.
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
}

/** @throws AppError what running the statement and writing its result throw; STATEMENT_UNREADABLE */
export async function runJob(
  record: StatementRecord,
  onProgress: (progress: AttemptProgress) => void,
  { services, objects, jobs, logger }: JobServices,
  signal: AbortSignal,
): Promise<ManifestPointer> {
  const { claims, principal, schema, limits } = jobs.open(record.sealedJob)
  using deadline = startDeadline(signal, limits.deadlineMs, 'The statement')
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
      acquire: async (signal) => await engine.acquire(signal, { isBackground: true }),
      [Symbol.asyncDispose]: async () => {
        await engine[Symbol.asyncDispose]()
      },
    },
  }
}
