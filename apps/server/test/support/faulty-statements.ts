// Background statements over a real store and a real folder of results, one call to which fails in a chosen way. Time runs
// faster, so that leases and delays of seconds pass in a moment, and the engine answers once for all of them: its stream is
// replayed.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { RecordBatchReader, type RecordBatch } from 'apache-arrow'
import { ANYBODY } from '@lake/core/access/principal.ts'
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { Receipt } from '@lake/core/flight/receipt.ts'
import { isEnded } from '@lake/core/statements/statement.ts'
import { decodeMessage, encodeMessageBatch } from '../../src/engine/arrow-messages.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { LIMITS } from '../../src/limits.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { runQuery } from '../../src/queries/run-query.ts'
import { createTicketSealer } from '../../src/sealing/ticket-sealer.ts'
import { createKeptResults, ownerOf } from '../../src/statements/kept-results.ts'
import { manifestKey, partKey } from '../../src/statements/result-keys.ts'
import { createResultReader } from '../../src/statements/result-reader.ts'
import { removeAttempt, removeUnwanted } from '../../src/statements/retention.ts'
import { writeResult } from '../../src/statements/result-writer.ts'
import { createJobSealer } from '../../src/statements/sealed-job.ts'
import type { SqlConnection } from '../../src/statements/sql-connection.ts'
import { createSqlStatementStore } from '../../src/statements/sql-statement-store.ts'
import { createStatementService } from '../../src/statements/statement-service.ts'
import * as sql from '../../src/statements/statement-sql.ts'
import { startStatementWorker, type WorkerClock } from '../../src/statements/worker.ts'
import type { ResultObjects } from '../../src/storage/result-objects.ts'
import { recordingServices } from './recording-app.ts'

/** Seconds of the statements' time in one of the machine's. */
const HASTE = 30
const LATE_MS = 150
const STUCK_MS = 60_000
const NEVER = new AbortController().signal
/** Three parts, and no table: see `PART_LIMITS`. */
const SQL = 'SELECT range AS n FROM range(3000)'

/** To be set before the engine starts. */
export const PART_LIMITS = { batchRowsMax: 1_000, resultPartRows: 1_000 }

export interface Fault {
  /** One of `STORE_CALLS`, or an `ObjectCall`. */
  readonly call: string
  /** Which of the calls of its kind fails, from 1. */
  readonly nth?: number
  /**
   * refused: it does not happen. lost: it happens, and its answer does not arrive. late: it happens after its caller was
   * told that it failed. garbage: it happens, and its answer is none that was ever given. conflict: somebody else was
   * there first. full: there is no room. missing, truncated: what is read is not there, or not all of it. Others are made
   * by `onCall`.
   */
  readonly kind: string
}

export interface FaultyStatements extends AsyncDisposable {
  /** The rows of a new statement from submission to its last part as `ok`, or the code of the failure. */
  outcome(): Promise<string>
  cancelled(): Promise<string>
  /** Lets the time of orphans and then of results pass. @returns the objects and statements that outlive it */
  leftovers(): Promise<string[]>
  /** Faults that have happened. */
  readonly firedCount: number
}

const refusal = (): AppError => new AppError('STATEMENTS_UNAVAILABLE', 'made to fail')

export const STORE_CALLS: Readonly<Record<string, (text: string) => boolean>> = {
  insert: (text) => text === sql.INSERT,
  find: (text) => text === sql.FIND,
  findByIdempotencyKey: (text) => text === sql.FIND_BY_IDEMPOTENCY_KEY,
  findFinished: (text) => text === sql.FIND_FINISHED,
  list: (text) => text === sql.LIST,
  keptBytes: (text) => text === sql.FIND_RESULTS,
  claim: (text) => text.includes("SET state = 'running'"),
  renew: (text) => text === sql.RENEW,
  handBack: (text) => text === sql.HAND_BACK,
  end: (text) => text === sql.END,
  requestCancel: (text) => text === sql.REQUEST_CANCEL,
  endAbandoned: (text) => text === sql.END_ABANDONED,
  findAll: (text) => text.includes('statement_id IN (:'),
  removeExpired: (text) => text === sql.REMOVE_EXPIRED,
}

/** Counts calls, and says which fault is due at one. */
function createFaults(faults: readonly Fault[]) {
  const left = new Map(faults.map((fault) => [fault, fault.nth ?? 1]))
  const late = new Set<Promise<unknown>>()
  let firedCount = 0
  return {
    get firedCount() {
      return firedCount
    },
    due(isCall: (fault: Fault) => boolean): Fault | undefined {
      for (const [fault, count] of left) {
        if (!isCall(fault)) continue
        left.set(fault, count - 1)
        if (count !== 1) continue
        firedCount += 1
        return fault
      }
      return undefined
    },
    later(effect: () => Promise<unknown>): void {
      const arrival = sleepFor(LATE_MS)
        .then(effect)
        .catch(() => undefined)
      late.add(arrival)
    },
    settled: async (): Promise<void> => {
      await Promise.all(late)
    },
  }
}
type Faults = ReturnType<typeof createFaults>

function faultyConnection(
  connection: SqlConnection,
  faults: Faults,
  onCall: ((kind: string) => () => void) | undefined,
): SqlConnection {
  return {
    ...connection,
    async run(text, parameters) {
      const effect = async () => await connection.run(text, parameters)
      const fault = faults.due(({ call }) => STORE_CALLS[call]?.(text) === true)
      switch (fault?.kind) {
        case undefined:
          return await effect()
        case 'refused':
          throw refusal()
        case 'lost':
          await effect()
          throw refusal()
        case 'late':
          faults.later(effect)
          throw refusal()
        case 'garbage':
          await effect()
          return [{ statement_id: 7, state: 'what', manifest: '{' }]
        case 'conflict':
          await connection.run(
            "UPDATE statements SET fencing_token = fencing_token + 1, revision = revision + 1 WHERE state = 'running'",
            {},
          )
          return await effect()
        default: {
          const restore = onCall?.(fault?.kind ?? '')
          try {
            return await effect()
          } finally {
            restore?.()
          }
        }
      }
    },
  }
}

/** As they are named in faults. */
type ObjectCall = 'putObject' | 'readObject' | 'listObjects' | 'removeObject'

function faultyObjects(objects: ResultObjects, faults: Faults, putMs: number): ResultObjects {
  const call = async <T>(
    name: ObjectCall,
    effect: () => Promise<T>,
    made: Readonly<Record<string, () => Promise<T>>> = {},
  ): Promise<T> => {
    const fault = faults.due((one) => one.call === name)
    if (fault === undefined) return await effect()
    const refused = new AppError('RESULTS_UNAVAILABLE', 'made to fail')
    if (fault.kind === 'lost') await effect()
    if (fault.kind === 'late') faults.later(effect)
    const make = made[fault.kind]
    if (make) return await make()
    throw refused
  }
  return {
    ...objects,
    putIfAbsent: async (key, bytes, signal) => {
      await sleepFor(putMs)
      const put = async (content: Uint8Array) => await objects.putIfAbsent(key, content, NEVER)
      return await call('putObject', async () => await objects.putIfAbsent(key, bytes, signal), {
        full: async () => await Promise.reject(new AppError('RESULTS_FULL', 'made to be full')),
        conflict: async () => {
          await put(Buffer.from('another'))
          return await put(bytes)
        },
      })
    },
    read: async (key, bytesMax, signal) => {
      const read = async () => await objects.read(key, bytesMax, signal)
      return await call('readObject', read, {
        missing: async () => await Promise.resolve(undefined),
        truncated: async () => (await read())?.subarray(0, -8),
        garbage: async () => (await read())?.map((byte, index) => (index === 9 ? byte ^ 1 : byte)),
      })
    },
    async *list(prefix, signal) {
      await call('listObjects', async () => await Promise.resolve())
      yield* objects.list(prefix, signal)
    },
    remove: async (key, signal) => await call('removeObject', async () => await objects.remove(key, signal)),
  }
}

function createHastyClock(): WorkerClock & { jump(ms: number): void } {
  const startMs = performance.now()
  let baseMs = Date.now()
  return {
    nowMs: () => Math.round(baseMs + (performance.now() - startMs) * HASTE),
    sleep: async (ms, signal) => {
      await sleepFor(ms / HASTE, undefined, { signal }).catch(() => undefined)
    },
    jump(ms) {
      baseMs += ms
    },
  }
}

/** What running the statement gives: the pieces of its stream, the receipt apart. */
export interface Replay {
  readonly pieces: readonly Uint8Array[]
  readonly receipt: Receipt
}

export async function recordReplay(engine: Engine): Promise<Replay> {
  const services = recordingServices({ engine, deployment: [] }, [], createHastyClock())
  const nowMs = Date.now()
  const claims = {
    statementId: 's',
    sql: SQL,
    pins: [],
    principal: null,
    issuedAtMs: nowMs,
    expiresAtMs: nowMs,
  }
  const logger = createLogger('silent')
  const run = { principal: ANYBODY, services, requestId: 'r', logger, facts: { rowCount: 0, bytesRead: 0 } }
  const pieces: Uint8Array[] = []
  let receipt: Receipt | undefined
  for await (const piece of runQuery(claims, { ...run, onEnd: () => undefined }, NEVER)) {
    const message = decodeMessage(piece)
    if (message.kind === 'message' && message.message.kind === 'receipt') ({ receipt } = message.message)
    else pieces.push(piece)
  }
  if (receipt === undefined) throw new Error('the statement must answer')
  return { pieces, receipt }
}

async function* replayed({ pieces, receipt }: Replay, statementId: string): AsyncGenerator<Uint8Array> {
  const [schema = new Uint8Array()] = pieces
  yield* pieces.slice(0, -1)
  await Promise.resolve()
  yield encodeMessageBatch(schema, { kind: 'receipt', receipt: { ...receipt, statementId } })
}

/** @param parts.onCall makes other kinds of faults of the store happen; called before the call, its result after it */
export function startFaultyStatements(parts: {
  readonly connection: SqlConnection
  readonly objects: ResultObjects
  readonly engine: Engine
  readonly replay: Replay
  readonly faults: readonly Fault[]
  readonly onCall?: (kind: string) => () => void
}): FaultyStatements {
  const faults = createFaults(parts.faults)
  const clock = createHastyClock()
  const store = createSqlStatementStore(faultyConnection(parts.connection, faults, parts.onCall))
  // Long enough for a heartbeat where that is what fails.
  const isSlow = parts.faults.some(({ call }) => call === 'renew' || call === 'requestCancel')
  const objects = faultyObjects(parts.objects, faults, isSlow ? 60 : 0)
  const services = recordingServices({ engine: parts.engine, deployment: [] }, [], clock)
  const jobs = createJobSealer([])
  const logger = createLogger('silent')
  const results = createResultReader({ objects, keys: [], clock, authorizer: services.authorizer })
  const errors: unknown[] = []
  const worker = startStatementWorker({
    store,
    workerId: 'w',
    clock,
    runningMax: 1,
    run: async (record, onProgress, signal) => {
      const { schema, limits } = jobs.open(record.sealedJob)
      const { statementId, fencingToken } = record
      const writing = { objects, attempt: { statementId, fencingToken }, schema, ...limits }
      const onPart = (_progress: unknown, rowCount: number): void => {
        onProgress({ bytesRead: 1, bytesPlanned: 2, rowCount })
      }
      return await writeResult(
        replayed(parts.replay, statementId),
        { ...writing, onProgress: onPart },
        signal,
      )
    },
    keptBytesMax: Number.MAX_SAFE_INTEGER,
    discard: async ({ statementId, fencingToken }, signal) =>
      await removeAttempt(objects, { statementId, fencingToken }, signal),
    sealFailure: (failure) => jobs.sealFailure(failure),
    onAttemptEnd: () => undefined,
    onError(error) {
      if (!isAppError(error)) errors.push(error)
    },
  })
  const service = createStatementService({
    services,
    store,
    results,
    jobs,
    kept: createKeptResults({ services, store, clock }),
    tickets: createTicketSealer({ keys: [], purpose: 'do-get', clock }),
    wholeSealer: createTicketSealer({ keys: [], purpose: 'whole-result', clock }),
    logger,
    createId: randomUUID,
    clock,
    wakeWorker: () => {
      worker.wake()
    },
  })
  const submit = async (idempotencyKey: string) =>
    await service.poll({ sql: SQL, idempotencyKey, isReuseAllowed: false }, ANYBODY, NEVER)

  const readAll = async (idempotencyKey: string): Promise<string> => {
    let info = await submit(idempotencyKey)
    const untilMs = performance.now() + STUCK_MS
    while (info.descriptor && performance.now() < untilMs)
      info = await service.poll({ descriptor: info.descriptor, waitMs: 20_000 }, ANYBODY, NEVER)
    if (info.state !== 'finished') return info.failure?.code ?? info.state
    let sum = 0n
    for (const { ticket } of info.endpoints) {
      const part = await service.readPart(ticket, ANYBODY, NEVER)
      for (const batch of RecordBatchReader.from(part) as Iterable<RecordBatch>)
        for (const row of batch) sum += (row.toJSON() as { n: bigint }).n
    }
    await service.list(ANYBODY)
    return info.rowCount === 3_000 && sum === 4_498_500n ? 'ok' : 'WRONG ROWS'
  }
  const codeOf = (error: unknown): string => (isAppError(error) ? error.code : `BUG: ${String(error)}`)
  const owned = async () => await store.list(ownerOf(ANYBODY), { countMax: 100, bytesMax: 1e9 })
  const retain = async () => await removeUnwanted({ store, objects, clock }, NEVER)
  const keys = async (): Promise<string[]> => {
    const found: string[] = []
    for await (const { key } of parts.objects.list('', NEVER)) found.push(key)
    return found
  }

  return {
    async outcome() {
      const key = randomUUID()
      const code = await readAll(key).catch(codeOf)
      // Whoever was told to come back asks for the same again.
      if (!['STATEMENTS_UNAVAILABLE', 'RESULTS_UNAVAILABLE'].includes(code)) return code
      await sleepFor(LATE_MS)
      const again = await readAll(key).catch(codeOf)
      return again === 'ok' ? code : `${code}, then ${again}`
    },
    async cancelled() {
      try {
        const { statementId } = await submit(randomUUID())
        return await service.cancel(statementId, ANYBODY, NEVER)
      } catch (error) {
        return codeOf(error)
      }
    },
    async leftovers() {
      await faults.settled()
      const untilMs = performance.now() + STUCK_MS
      while ((await owned()).some(({ state }) => !isEnded(state)) && performance.now() < untilMs)
        await sleepFor(10)
      clock.jump(LIMITS.resultOrphanMs + 60_000)
      // A round that fails is made good by a later one.
      for (let round = 0; round < 3; round += 1) await retain().catch(() => undefined)
      const named = (await owned()).flatMap(({ statementId, manifest }) => {
        if (manifest === null) return []
        const attempt = { statementId, fencingToken: manifest.fencingToken }
        const names = Array.from({ length: manifest.partCount }, (_, index) => partKey(attempt, index))
        return [...names, manifestKey(attempt)]
      })
      const present = await keys()
      const orphans = present.filter((key) => !named.includes(key))
      const gone = named.filter((key) => !present.includes(key)).map((key) => `no ${key}`)
      clock.jump(LIMITS.resultLifetimeMs)
      for (let round = 0; round < 2; round += 1) await retain().catch(() => undefined)
      const kept = [...(await keys()), ...(await owned()).map(({ statementId }) => statementId)]
      return [...orphans, ...gone, ...kept, ...errors.map(String)]
    },
    get firedCount() {
      return faults.firedCount
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]()
    },
  }
}
