// A fleet of servers with background statements in simulated time, over one store and one bucket in memory: real workers,
// writers, readers and retention, and calls that go wrong. Any call may be slow, lost on its way, lost on its way back, or
// carried out long after its caller has given up. A server may be killed between any two calls, or stand still for longer
// than its lease, and clocks differ. The same seed is the same history.
import { RecordBatchStreamWriter, Table, Utf8, vectorFromArray } from 'apache-arrow'
import { AppError } from '@lake/core/errors.ts'
import type { StatementRecord } from '@lake/core/statements/statement.ts'
import type { Progress } from '@lake/core/api/wire.ts'
import { encodeMessageBatch, END_OF_STREAM } from '../../src/engine/arrow-messages.ts'
import { removeAttempt } from '../../src/statements/retention.ts'
import { writeResult } from '../../src/statements/result-writer.ts'
import type { StatementStore } from '../../src/statements/statement-store.ts'
import { startStatementWorker, type WorkerClock } from '../../src/statements/worker.ts'
import type { ResultObjects } from '../../src/storage/result-objects.ts'
import type { MemoryResultObjects } from './memory-result-objects.ts'
import type { MemoryStatementStore } from './memory-statement-store.ts'
import type { SimulatedTime } from './simulated-time.ts'

export interface Fleet {
  /** Ends everything that goes wrong: those that were killed are back, those that stood still go on. */
  heal(): void
  /** Until every write that is still on its way has arrived. */
  readonly lateCount: number
  /** Statement and token of every commit that the store has made. */
  readonly commits: readonly { readonly statementId: string; readonly fencingToken: number }[]
  readonly errors: unknown[]
}

interface FleetOptions {
  readonly time: SimulatedTime
  readonly random: () => number
  readonly store: MemoryStatementStore
  readonly objects: MemoryResultObjects
  readonly serverCount: number
  /** What a statement does: parts to write, or a failure that no attempt heals. */
  readonly planOf: (statementId: string) => { readonly partCount: number; readonly isDoomed: boolean }
}

export function startFleet(options: FleetOptions): Fleet {
  const { time, random, store } = options
  // Of each fleet its own: whoever still sleeps or is dead at the end of a history stays on their lists.
  const never = new AbortController().signal
  const forever = new Promise<never>(() => undefined)
  const commits: { statementId: string; fencingToken: number }[] = []
  const errors: unknown[] = []
  const health = { isRestored: false }
  let lateCount = 0
  const chance = (share: number): boolean => !health.isRestored && random() < share

  const arriveLate = async (effect: () => Promise<unknown>, ms: number): Promise<void> => {
    await time.sleep(ms, never)
    await effect().catch(() => undefined)
    lateCount -= 1
  }
  const comeBack = async (name: string, ms: number): Promise<void> => {
    await time.sleep(ms, never)
    startServer(name)
  }

  /** One server from its start until it is killed. */
  const startServer = (name: string): void => {
    const killed = { isDead: false }
    const skewMs = Math.floor((random() - 0.5) * 4_000)
    let pausedUntilMs = 0
    /** Never resolves for a dead server, and late for one that stands still. */
    const own = async (ms: number, signal = never): Promise<void> => {
      await time.sleep(ms, signal)
      while (pausedUntilMs > time.nowMs() && !health.isRestored)
        await time.sleep(pausedUntilMs - time.nowMs(), never)
      if (killed.isDead) await forever
    }
    const clock: WorkerClock = { nowMs: () => time.nowMs() + skewMs, sleep: own }
    const call = async <T>(effect: () => Promise<T>, failure: () => AppError): Promise<T> => {
      if (chance(0.01)) pausedUntilMs = time.nowMs() + random() * 40_000
      if (chance(0.006)) kill()
      await own(random() * 40)
      if (chance(0.02)) throw failure()
      if (chance(0.01)) {
        // It arrives long after its caller was told that it failed.
        lateCount += 1
        void arriveLate(effect, random() * 60_000)
        throw failure()
      }
      const result = await effect()
      if (chance(0.02)) throw failure()
      if (chance(0.3)) await own(random() * 40)
      return result
    }
    const kill = (): void => {
      killed.isDead = true
      void comeBack(`${name}'`, 1_000 + random() * 20_000)
    }
    startStatementWorker({
      store: faultyStore(store, call, commits),
      workerId: name,
      clock,
      runningMax: 2,
      run: async (record, onProgress, signal) =>
        await writeResult(
          rowsOf(record, options, own, chance, signal),
          {
            objects: faultyObjects(options.objects, call),
            attempt: { statementId: record.statementId, fencingToken: record.fencingToken },
            schema: [],
            resultBytesMax: 1_000_000,
            onProgress: ({ bytesRead, bytesPlanned }, rowCount) => {
              onProgress({ bytesRead, bytesPlanned, rowCount })
            },
          },
          signal,
        ),
      keptBytesMax: Number.MAX_SAFE_INTEGER,
      discard: async ({ statementId, fencingToken }, signal) =>
        await removeAttempt(faultyObjects(options.objects, call), { statementId, fencingToken }, signal),
      sealFailure: ({ code }) => code,
      onAttemptEnd: () => undefined,
      onError(error) {
        if (!(error instanceof AppError)) errors.push(error)
      },
    })
  }
  for (let index = 0; index < options.serverCount; index += 1) startServer(`server ${index}`)
  return {
    heal() {
      health.isRestored = true
    },
    get lateCount() {
      return lateCount
    },
    commits,
    errors,
  }
}

type Call = <T>(effect: () => Promise<T>, failure: () => AppError) => Promise<T>

function faultyStore(
  store: StatementStore,
  call: Call,
  commits: { statementId: string; fencingToken: number }[],
): StatementStore {
  const lost = (): AppError => new AppError('STATEMENTS_UNAVAILABLE', 'lost')
  return {
    ...store,
    claim: async (claim) => await call(() => store.claim(claim), lost),
    renew: async (claim, lease) => await call(() => store.renew(claim, lease), lost),
    handBack: async (claim, next) => await call(() => store.handBack(claim, next), lost),
    keptBytes: async (owner) => await call(() => store.keptBytes(owner), lost),
    find: async (statementId) => await call(() => store.find(statementId), lost),
    endAbandoned: async (failure, times) => await call(() => store.endAbandoned(failure, times), lost),
    end: async (claim, how, times) =>
      await call(async () => {
        const isDone = await store.end(claim, how, times)
        const { statementId, fencingToken } = claim
        if (isDone && how.state === 'finished') commits.push({ statementId, fencingToken })
        return isDone
      }, lost),
  }
}

function faultyObjects(objects: ResultObjects, call: Call): ResultObjects {
  const lost = (): AppError => new AppError('RESULTS_UNAVAILABLE', 'lost')
  return {
    ...objects,
    putIfAbsent: async (key, bytes, signal) =>
      await call(() => objects.putIfAbsent(key, bytes, signal), lost),
    read: async (key, bytesMax, signal) => await call(() => objects.read(key, bytesMax, signal), lost),
  }
}

/** As many batches as the statement has parts, then its receipt, as a run of the statement gives them. */
async function* rowsOf(
  { statementId }: StatementRecord,
  { planOf }: FleetOptions,
  own: (ms: number, signal: AbortSignal) => Promise<void>,
  chance: (share: number) => boolean,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { partCount, isDoomed } = planOf(statementId)
  yield SCHEMA_MESSAGE
  for (let index = 0; index < partCount; index += 1) {
    await own(2_000, signal)
    signal.throwIfAborted()
    if (isDoomed && index === partCount - 1) throw new AppError('SQL_EXECUTION', 'doomed')
    if (chance(0.03)) throw new AppError('STORAGE_UNAVAILABLE', 'lost')
    yield progressMessage(index + 1, partCount)
    yield rowBatch(statementId, index)
  }
  const receipt = { statementId, tables: [], rowCount: partCount, elapsedMs: 1, engine: 'simulated' }
  yield once(`receipt ${statementId} ${partCount}`, () =>
    encodeMessageBatch(SCHEMA_MESSAGE, { kind: 'receipt', receipt }),
  )
  yield END_OF_STREAM
}

/** A whole Arrow stream of one row. */
function streamOf(text: string): Uint8Array {
  const table = new Table({ row: vectorFromArray([text], new Utf8()) })
  return RecordBatchStreamWriter.writeAll(table).toUint8Array(true)
}
const schemaBytes = (stream: Uint8Array): number =>
  8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true)
const SCHEMA_MESSAGE = streamOf('').slice(0, schemaBytes(streamOf('')))

const made = new Map<string, Uint8Array>()
const once = (key: string, make: () => Uint8Array): Uint8Array => {
  const bytes = made.get(key) ?? make()
  made.set(key, bytes)
  return bytes
}

function progressMessage(filesRead: number, filesPlanned: number): Uint8Array {
  return once(`progress ${filesRead} ${filesPlanned}`, () => {
    const facts = { filesRead, filesPlanned, bytesRead: filesRead, bytesPlanned: filesPlanned }
    const progress: Progress = { kind: 'progress', phase: 'reading', ...facts, rowCount: 0, elapsedMs: 0 }
    return encodeMessageBatch(SCHEMA_MESSAGE, progress)
  })
}

/** The text of a row, of which every statement and place has its own. */
export const rowText = (statementId: string, index: number): string => `${statementId} row ${index}`

function rowBatch(statementId: string, index: number): Uint8Array {
  return once(`row ${statementId} ${index}`, () => {
    const stream = streamOf(rowText(statementId, index))
    return stream.slice(schemaBytes(stream), stream.length - END_OF_STREAM.length)
  })
}
