// Puts the parts of background statements together: store, results, worker, retention and the service in front of them.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { StatementRecord } from '@lake/core/statements/statement.ts'
import type { Clock } from '../concurrency/clock.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import type { TicketKey } from '../config.ts'
import type { StatementsConfig } from '../config/state.ts'
import { backgroundEnginesMax } from '../engine/engine-pool.ts'
import { LIMITS } from '../limits.ts'
import { bugTrace } from '../observability/bug-trace.ts'
import { errorCodeOf } from '../observability/error-code.ts'
import type { Logger } from '../observability/logger.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { QueryServices } from '../queries/query-services.ts'
import type { SecretResolver } from '../catalog/secrets.ts'
import type { TicketSealer } from '../sealing/ticket-sealer.ts'
import type { ResultObjects } from '../storage/result-objects.ts'
import { createKeptResults, type KeptResults } from './kept-results.ts'
import { openResultObjects } from './open-result-objects.ts'
import { openStatementStore } from './open-statement-store.ts'
import type { Attempt } from './result-keys.ts'
import { createResultReader } from './result-reader.ts'
import { removeAttempt, removeUnwanted } from './retention.ts'
import { runJob, type FindPrincipal } from './run-job.ts'
import { createJobSealer } from './sealed-job.ts'
import { createStatementService, type StatementService } from './statement-service.ts'
import type { StatementStore } from './statement-store.ts'
import type { WholeResults } from './whole-results.ts'
import { startStatementWorker, type AttemptEnd, type WorkerClock } from './worker.ts'

export interface Statements {
  readonly service: StatementService
  /** How kept results answer statements that somebody waits for. */
  readonly kept: Pick<KeptResults, 'findSoon'> & WholeResults
  /** What keeps background statements from running, in words. */
  findProblems(): Promise<readonly string[]>
  /** Claims no more, and hands back what runs here. */
  handBack(): Promise<void>
}

/**
 * Opens the stores and starts the worker, all owned by `stack`.
 * @throws AppError STATEMENTS_UNAVAILABLE
 */
export async function openStatements(
  config: StatementsConfig & { readonly enginesMax: number },
  parts: {
    readonly services: QueryServices
    readonly keys: readonly TicketKey[]
    readonly resolver: SecretResolver
    /** Of get-flight-info. */
    readonly tickets: Pick<TicketSealer, 'open'>
    readonly wholeSealer: TicketSealer
    readonly findPrincipal: FindPrincipal
    readonly logger: Logger
    readonly metrics: Metrics
    readonly stack: AsyncDisposableStack
  },
): Promise<Statements> {
  const { services, keys, resolver, logger, findPrincipal, stack, tickets, wholeSealer } = parts
  const clock = waitingClock(services.clock)
  const store = stack.use(await openStatementStore(config.state, { clock, resolver }))
  const objects = stack.use(await openResultObjects(config.results, resolver))
  const jobs = createJobSealer(keys)
  const onError = (error: unknown): void => {
    logger.warn({ code: errorCodeOf(error), trace: bugTrace(error) }, 'background statements')
  }
  const { keptBytesMax } = config
  const jobServices = { services, objects, jobs, logger, findPrincipal, store, keptBytesMax }
  const worker = stack.use(
    startStatementWorker({
      store,
      workerId: randomUUID(),
      clock,
      runningMax: backgroundEnginesMax(config.enginesMax),
      run: async (record, onProgress, signal) => await runJob(record, onProgress, jobServices, signal),
      keptBytesMax,
      discard: async (record, signal) => await discard(record, objects, signal),
      sealFailure: (failure) => jobs.sealFailure(failure),
      onAttemptEnd: (record, end) => {
        reportEnd(record, end, parts)
      },
      onError,
    }),
  )
  startRetention({ store, objects, clock }, onError, stack)
  const results = createResultReader({ objects, keys, clock, authorizer: services.authorizer })
  const kept = createKeptResults({ services, store, clock })
  const service = createStatementService({
    services,
    store,
    results,
    jobs,
    kept,
    tickets,
    wholeSealer,
    logger,
    createId: randomUUID,
    clock,
    wakeWorker: () => {
      worker.wake()
    },
  })
  return {
    service,
    kept: {
      findSoon: async (answer, principal, signal) => await kept.findSoon(answer, principal, signal),
      ...service.whole,
    },
    findProblems: async () => await findProblems(store),
    handBack: async () => {
      await worker[Symbol.asyncDispose]()
    },
  }
}

function reportEnd(
  { statementId, attemptCount, fencingToken }: StatementRecord,
  end: AttemptEnd,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): void {
  metrics.attemptEnded(end.outcome)
  logger.info({ statementId, attemptCount, fencingToken, ...end }, 'attempt ended')
}

async function discard(attempt: Attempt, objects: ResultObjects, signal: AbortSignal): Promise<number> {
  using deadline = startDeadline(signal, LIMITS.attemptRemovalMs, 'Removing what an attempt wrote')
  return await removeAttempt(objects, attempt, deadline.signal)
}

async function findProblems(store: StatementStore): Promise<readonly string[]> {
  return await store.check().then(
    () => [],
    () => ['the store of background statements does not answer'],
  )
}

function waitingClock(clock: Clock): WorkerClock {
  return {
    nowMs: () => clock.nowMs(),
    async sleep(ms, signal) {
      await sleepFor(ms, undefined, { signal, ref: false }).catch(() => undefined)
    },
  }
}

function startRetention(
  parts: Parameters<typeof removeUnwanted>[0] & { readonly clock: WorkerClock },
  onError: (error: unknown) => void,
  stack: AsyncDisposableStack,
): void {
  const stopping = new AbortController()
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await removeUnwanted(parts, stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted) onError(error)
      })
      await parts.clock.sleep(LIMITS.retentionEveryMs, stopping.signal)
    }
  }
  const looped = loop()
  stack.defer(async () => {
    stopping.abort()
    await looped
  })
}
