// The verbs of background statements: submit, poll, cancel, list. Submitting takes the same steps as planning a ticket and
// seals what came of them; everything later is of that sealed job and of its owner alone. Somebody else's statement, one
// whose tables may not be read any more, and one that never was get the same answer.
import type { Principal } from '@lake/core/access/principal.ts'
import type {
  FlightInfoRequest,
  PollRequest,
  StatementsResponse,
  SubmitRequest,
} from '@lake/core/api/contract.ts'
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import { isEnded, type StatementRecord } from '@lake/core/statements/statement.ts'
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import type { ResultColumn } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import { planQuery } from '../queries/plan-query.ts'
import type { Logger } from '../observability/logger.ts'
import type { QueryServices } from '../queries/query-services.ts'
import { provePins } from '../queries/run-query.ts'
import type { TicketSealer } from '../sealing/ticket-sealer.ts'
import { applySubstitutions } from '../sql/text-substitution.ts'
import { describeStatement, unreadableSummary, type Described } from './describe-statement.ts'
import { digest, ownerOf, type KeptResults } from './kept-results.ts'
import { authorizeTables, noSuchStatement, type ResultReader } from './result-reader.ts'
import type { JobSealer, StatementJob } from './sealed-job.ts'
import type { StatementStore } from './statement-store.ts'
import { createWholeResults, type WholeResults } from './whole-results.ts'
import type { WorkerClock } from './worker.ts'

export interface StatementService {
  /**
   * Submits a statement, or tells how far a submitted one is.
   * @throws AppError what planning throws; NO_SUCH_STATEMENT, STATEMENT_CONFLICT, STATEMENT_UNREADABLE, BUSY,
   *   RESULTS_FULL, STATEMENTS_UNAVAILABLE, RESULTS_UNAVAILABLE, RESULT_CORRUPT, TICKET_INVALID, TICKET_EXPIRED
   */
  poll(request: PollRequest, principal: Principal, signal: AbortSignal): Promise<PollInfo>
  /** @throws AppError NO_SUCH_STATEMENT, STATEMENTS_UNAVAILABLE */
  cancel(
    statementId: string,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<'cancelled' | 'cancelling' | 'notCancellable'>
  /** The principal's own, newest first, up to a bound of number and size. */
  list(principal: Principal): Promise<StatementsResponse>
  /** @throws AppError TICKET_INVALID, TICKET_EXPIRED, NO_SUCH_STATEMENT, RESULT_CORRUPT, RESULTS_UNAVAILABLE */
  readPart(ticket: string, principal: Principal, signal: AbortSignal): Promise<Uint8Array>
  /** The whole of a finished one. */
  readonly whole: WholeResults
}

export interface StatementServiceOptions {
  readonly services: QueryServices
  readonly store: StatementStore
  readonly results: ResultReader
  readonly jobs: JobSealer
  readonly kept: KeptResults
  /** Of get-flight-info. */
  readonly tickets: Pick<TicketSealer, 'open'>
  readonly wholeSealer: TicketSealer
  readonly logger: Logger
  readonly createId: () => string
  readonly clock: WorkerClock
  /** Told of new work, and of work to stop. */
  readonly wakeWorker: () => void
}

interface Parts extends StatementServiceOptions {
  readonly whole: WholeResults
}

export function createStatementService(given: StatementServiceOptions): StatementService {
  const { store, clock } = given
  let waitingCount = 0

  const own = async (statementId: string, principal: Principal): Promise<StatementRecord> => {
    const record = await store.find(statementId)
    if (record?.owner === ownerOf(principal)) return record
    throw noSuchStatement()
  }
  const whole = createWholeResults({ ...given, sealer: given.wholeSealer, findOwn: own })
  const options = { ...given, whole }
  /** Waits until it changes beyond `revision`, ends, or `waitMs` have passed. */
  const waitForNews = async (
    statementId: string,
    principal: Principal,
    { revision, waitMs }: { revision: number; waitMs: number },
    signal: AbortSignal,
  ): Promise<StatementRecord> => {
    const untilMs = clock.nowMs() + Math.min(waitMs, LIMITS.pollWaitMsMax)
    let record = await own(statementId, principal)
    if (waitingCount >= LIMITS.pollsWaitingMax) return record
    waitingCount += 1
    try {
      while (
        !isEnded(record.state) &&
        record.revision <= revision &&
        clock.nowMs() < untilMs &&
        !signal.aborted
      ) {
        await clock.sleep(LIMITS.pollEveryMs, signal)
        record = await own(statementId, principal)
      }
      return record
    } finally {
      waitingCount -= 1
    }
  }

  return {
    async poll(request, principal, signal) {
      if (!('descriptor' in request)) return await submit(request, principal, options, signal)
      const { descriptor, waitMs = 0 } = request
      const since = { revision: descriptor.revision ?? -1, waitMs }
      const record = await waitForNews(descriptor.statementId, principal, since, signal)
      return await describe(record, principal, options, signal)
    },
    async cancel(statementId, principal, signal) {
      const before = await own(statementId, principal)
      if (isEnded(before.state)) return 'notCancellable'
      const nowMs = clock.nowMs()
      const times = { nowMs, expiresAtMs: nowMs + LIMITS.resultLifetimeMs }
      await store.requestCancel(statementId, times)
      const wait = { revision: Number.MAX_SAFE_INTEGER, waitMs: LIMITS.cancelWaitMs }
      const { state } = await waitForNews(statementId, principal, wait, signal)
      if (state === 'cancelled') return 'cancelled'
      return isEnded(state) ? 'notCancellable' : 'cancelling'
    },
    async list(principal) {
      const records = await store.list(ownerOf(principal), {
        countMax: LIMITS.statementsListedMax,
        bytesMax: LIMITS.statementsListedBytesMax,
      })
      return { statements: records.flatMap((record) => summarize(record, principal, options) ?? []) }
    },
    readPart: async (ticket, principal, signal) => await options.results.openPart(ticket, principal, signal),
    whole,
  }
}

async function submit(
  request: SubmitRequest,
  principal: Principal,
  options: Parts,
  signal: AbortSignal,
): Promise<PollInfo> {
  const { store, jobs, kept, clock } = options
  const owner = ownerOf(principal)
  const idempotencyKey = request.idempotencyKey ?? null
  const requestDigest = digest({ ...request, idempotencyKey: undefined })
  const known = idempotencyKey === null ? undefined : await store.findByIdempotencyKey(owner, idempotencyKey)
  if (known) return await describe(sameRequest(known, requestDigest), principal, options, signal)

  const planned = await planRequest(request, principal, options, signal)
  const job = jobOf(planned, principal, options)
  const resultDigest = kept.digestOf({ ...job.claims, tree: planned.tree })
  if (request.isReuseAllowed !== false && resultDigest !== null) {
    const reusable = await kept.find(principal, resultDigest)
    if (reusable) return { ...(await describe(reusable, principal, options, signal)), isReused: true }
  }
  const statement = {
    statementId: job.claims.statementId,
    owner,
    idempotencyKey,
    requestDigest,
    resultDigest,
    sealedJob: jobs.seal(job),
  }
  const bounds = {
    nowMs: clock.nowMs(),
    openOfOwnerMax: LIMITS.statementsOpenOfPrincipalMax,
    keptOfOwnerMax: LIMITS.statementsKeptOfPrincipalMax,
    openMax: LIMITS.statementsOpenMax,
  }
  const add = async (): Promise<StatementRecord | undefined> =>
    (await store.insert(statement, bounds))
      ? await store.find(statement.statementId)
      : idempotencyKey === null
        ? undefined
        : await store.findByIdempotencyKey(owner, idempotencyKey)
  const added = await add()
  const record = added ?? ((await store.makeRoom(owner, bounds)) ? await add() : undefined)
  options.wakeWorker()
  if (record) return await describe(sameRequest(record, requestDigest), principal, options, signal)
  throw await refusalOf(owner, options)
}

/** Why nothing more is taken of the owner. */
async function refusalOf(owner: string, { store, clock }: Parts): Promise<AppError> {
  const { count, firstExpiresAtMs } = await store.findKept(owner)
  if (count < LIMITS.statementsKeptOfPrincipalMax || firstExpiresAtMs === null) {
    return new AppError('BUSY', 'Too many background statements are waiting or running; come back later', {
      details: { retryAfterMs: LIMITS.submitRetryAfterMs },
    })
  }
  const hours = Math.max(1, Math.ceil((firstExpiresAtMs - clock.nowMs()) / 3_600_000))
  const message = `You have ${count} background statements, the most that are kept of one person; the first goes by itself within ${hours} h`
  return new AppError('RESULTS_FULL', message)
}

async function planRequest(
  request: SubmitRequest,
  principal: Principal,
  { services, tickets }: Parts,
  signal: AbortSignal,
): Promise<Planned> {
  return request.ticket === undefined
    ? await planStatement({ sql: request.sql ?? '', pins: request.pins ?? [] }, principal, services, signal)
    : await planTicket(tickets.open(request.ticket, principal.id), principal, services, signal)
}

function jobOf(
  { sql, substitutions, pins, columns, tables, issuedAtMs }: Planned,
  principal: Principal,
  { createId, clock }: Parts,
): StatementJob {
  const submittedAtMs = issuedAtMs ?? clock.nowMs()
  return {
    claims: {
      sql,
      substitutions,
      pins,
      statementId: createId(),
      principal: principal.id,
      issuedAtMs: submittedAtMs,
      expiresAtMs: submittedAtMs + LIMITS.backgroundDeadlineMs,
    },
    principal,
    schema: columns.map(({ name, type }) => ({ name, type })),
    tables: [...tables],
    limits: { resultBytesMax: LIMITS.resultBytesMax, deadlineMs: LIMITS.backgroundDeadlineMs },
  }
}

interface Planned extends Pick<TicketClaims, 'sql' | 'substitutions' | 'pins'> {
  readonly columns: readonly ResultColumn[]
  readonly tables: readonly TableReceipt[]
  readonly tree: unknown
  readonly issuedAtMs?: number
}

async function planStatement(
  request: FlightInfoRequest,
  principal: Principal,
  services: QueryServices,
  signal: AbortSignal,
): Promise<Planned> {
  const planned = await planQuery(request, principal, services, signal)
  return { ...planned, sql: request.sql, substitutions: [...planned.substitutions] }
}

/** What was planned under a ticket keeps its snapshots, schemas and time. They are proved now, as when it is redeemed. */
async function planTicket(
  claims: TicketClaims,
  principal: Principal,
  services: QueryServices,
  signal: AbortSignal,
): Promise<Planned> {
  using deadline = startDeadline(signal, LIMITS.planningDeadlineMs, 'Planning the statement')
  const pinned = await provePins(claims, { principal, services }, deadline.signal)
  const { sql, substitutions = [], pins, issuedAtMs } = claims
  const engineTables = pinned.map(({ engineTable }) => engineTable)
  const text = applySubstitutions(sql, substitutions)
  const { columns, tree } = await services.engine.analyst.bind(text, engineTables, deadline.signal, {
    statementAtMs: issuedAtMs,
  })
  const tables = pinned.map(({ receipt }) => receipt)
  return { sql, substitutions, pins, issuedAtMs, columns, tables, tree }
}

function sameRequest(record: StatementRecord, requestDigest: string): StatementRecord {
  if (record.requestDigest === requestDigest) return record
  throw new AppError('STATEMENT_CONFLICT', 'The idempotency key was used for another statement')
}

async function describe(
  record: StatementRecord,
  principal: Principal,
  options: Parts,
  signal: AbortSignal,
): Promise<PollInfo> {
  const job = openFor(record, principal, options)
  const described = describeStatement(record, job, options.jobs)
  if (record.state !== 'finished')
    return { ...described, schema: job.schema, ...NOTHING_YET, descriptor: next(record) }
  const manifest = await options.results.readManifest(record, signal)
  return {
    ...described,
    tables: manifest.receipt.tables,
    schema: manifest.schema,
    endpoints: options.results.endpoints(manifest, principal),
    receipt: manifest.receipt,
    ticket: options.whole.seal(job.claims),
    isReused: false,
    descriptor: null,
  }
}

const NOTHING_YET = { endpoints: [], receipt: null, ticket: null, isReused: false }

const next = ({ statementId, state, revision }: StatementRecord): PollInfo['descriptor'] =>
  isEnded(state) ? null : { statementId, revision }

function summarize(record: StatementRecord, principal: Principal, options: Parts): Described | undefined {
  try {
    return describeStatement(record, openFor(record, principal, options), options.jobs)
  } catch (error) {
    if (isAppError(error, 'NO_SUCH_STATEMENT')) return undefined
    if (isAppError(error, 'STATEMENT_UNREADABLE')) return unreadableSummary(record, error)
    throw error
  }
}

/** The job of a statement whose tables the principal may still read. */
function openFor(record: StatementRecord, principal: Principal, { jobs, services }: Parts): StatementJob {
  const job = jobs.open(record.sealedJob)
  authorizeTables(services.authorizer, principal, job.claims.pins)
  return job
}
