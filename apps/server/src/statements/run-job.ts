// One attempt at a background statement: from its sealed job to a written result, by the very path of do-get.
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { AttemptProgress, ManifestPointer, StatementRecord } from '@lake/core/statements/statement.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import type { Logger } from '../observability/logger.ts'
import type { QueryServices } from '../queries/query-services.ts'
import { runQuery } from '../queries/run-query.ts'
import type { ResultObjects } from '../storage/result-objects.ts'
import { noRoom, roomBytesOf } from './result-room.ts'
import { writeResult } from './result-writer.ts'
import type { JobSealer } from './sealed-job.ts'
import type { StatementStore } from './statement-store.ts'

export interface JobServices {
  readonly services: QueryServices
  readonly objects: ResultObjects
  readonly jobs: JobSealer
  readonly logger: Logger
  readonly findPrincipal: FindPrincipal
  readonly store: Pick<StatementStore, 'keptBytes'>
  /** Of all results that are kept for one owner. */
  readonly keptBytesMax: number
}

/** Whoever submitted a statement, with what is granted now; undefined where they may not sign in any more. */
export type FindPrincipal = (
  submitted: Principal,
  submittedAtMs: number,
  signal: AbortSignal,
) => Promise<Principal | undefined>

/**
 * Reads what its principal may read now, whatever was granted when it was submitted.
 * @throws AppError what running the statement and writing its result throw; STATEMENT_UNREADABLE, UNAUTHENTICATED, RESULTS_FULL
 */
export async function runJob(
  record: StatementRecord,
  onProgress: (progress: AttemptProgress) => void,
  { services, objects, jobs, logger, findPrincipal, store, keptBytesMax }: JobServices,
  signal: AbortSignal,
): Promise<ManifestPointer> {
  const { claims, principal: submitter, schema, limits } = jobs.open(record.sealedJob)
  using deadline = startDeadline(signal, limits.deadlineMs, 'The statement')
  const principal = await findPrincipal(submitter, claims.issuedAtMs, deadline.signal)
  if (principal === undefined)
    throw new AppError('UNAUTHENTICATED', 'Who submitted the statement may not sign in any more')
  // What others finish meanwhile is looked at before the commit.
  const roomBytes = await roomBytesOf(record.owner, store, keptBytesMax)
  if (roomBytes <= 0) throw noRoom(keptBytesMax)
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
  const attempt = { statementId, fencingToken }
  const writing = {
    objects,
    attempt,
    schema,
    resultBytesMax: Math.min(limits.resultBytesMax, roomBytes),
    onProgress: ({ bytesRead, bytesPlanned }: AttemptProgress, rowCount: number) => {
      onProgress({ bytesRead, bytesPlanned, rowCount })
    },
  }
  try {
    return await writeResult(stream, writing, deadline.signal)
  } catch (error) {
    const isOfRoom = isAppError(error, 'RESULT_TOO_LARGE') && error.details?.bytesMax === roomBytes
    throw isOfRoom ? noRoom(keptBytesMax) : error
  }
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
