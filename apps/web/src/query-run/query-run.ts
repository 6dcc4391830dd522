// One run of one statement, from Run to its end, as an external store: state by run-state.ts, rows in a ResultBuffer.
// The only place that talks to flight-info, do-get and cancel, and, for a statement in the background, to
// poll-flight-info (background-run.ts). Watchers read `snapshot`, which is replaced at once for
// a new state and at most every RESULT_PUBLISH_INTERVAL_MS for new rows.
import type { FlightInfoRequest, PollRequest, RequestedPin } from '@lake/core/api/contract.ts'
import { postCancel, postDoGet, postFlightInfo } from '../api/client.ts'
import { ApiError, atWrittenPlace, toApiError } from '../api/api-error.ts'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import { followStatement, openKept, type BackgroundSource } from './background-run.ts'
import { RESULT_PUBLISH_INTERVAL_MS } from '../limits.ts'
import { bindParameters, type Parameter, type TextEdit } from '../sql/parameters.ts'
import { readStream } from './read-stream.ts'
import { ResultBuffer } from './result-buffer.ts'
import { FileRowStore } from './row-store.ts'
import { infoOf, isRunning, reduceRun, type RunEvent, type RunState } from './run-state.ts'

/** The statement as it was submitted, and where it stood in its tab's text (UTF-16). */
export interface RunSource {
  tabId: string
  sql: string
  startOffset: number
  /** Line of that place in the tab, from 1. */
  startLine: number
  /** Snapshots to read instead of the current ones. */
  pins: readonly RequestedPin[]
  /** Values of its `$name`s. */
  parameters?: readonly Parameter[] | undefined
  /** Set where it runs on the server whether or not anybody waits. */
  background?: BackgroundSource | undefined
  /** True where no kept result may answer. */
  isAnew?: boolean | undefined
  /** Fingerprint of the answer that this one is to be compared with, from a link. */
  linkedFingerprint?: string | undefined
  /** Ends after one row group of the table; see do-get. */
  isPreview?: boolean | undefined
  /** Statements of one text that were run at once have one. */
  groupId?: string | undefined
}

export interface RunSnapshot {
  state: RunState
  rowCount: number
  /** True once the stream's schema is known, also for results without rows. */
  hasSchema: boolean
  startedAtMs: number
  endedAtMs: number | null
  /** Why rows that are looked at are not here, where trying again may bring them. */
  rowsFailure: ApiError | null
  /** How the background statement that answers is, as of the last poll; null for others and before the first. */
  background: PollInfo | null
  /** When the rows were put into the browser's store, where an earlier page did; null for a run of this page. */
  storedAtMs: number | null
}

/** A run that an earlier page has seen the end of. */
export interface EndedRun {
  buffer: ResultBuffer
  snapshot: Pick<RunSnapshot, 'state' | 'startedAtMs' | 'endedAtMs' | 'background' | 'storedAtMs'>
}

export class QueryRun {
  readonly source: RunSource
  /** The statement as it is sent, with the values of its parameters in it. */
  readonly sentSql: string
  /** Where rows lie that are not in memory; null where an earlier page has put them. */
  readonly rows: FileRowStore | null
  readonly buffer: ResultBuffer
  snapshot: RunSnapshot
  /** The tab's result before this one, while this one has nothing to show instead. */
  previous: QueryRun | null
  readonly #abort = new AbortController()
  readonly #listeners = new Set<() => void>()
  readonly #edits: readonly TextEdit[]
  #publishTimer: ReturnType<typeof setTimeout> | null = null
  #continue: (() => void) | null = null

  constructor(source: RunSource, previous: QueryRun | null = null, ended: EndedRun | null = null) {
    this.source = source
    this.rows = ended === null ? new FileRowStore() : null
    this.buffer = ended?.buffer ?? new ResultBuffer({ store: this.rows })
    const bound = bindParameters(source.sql, source.parameters ?? [])
    // Without its values it is sent as it is, and the server says what is missing.
    this.sentSql = bound.kind === 'bound' ? bound.sql : source.sql
    this.#edits = bound.kind === 'bound' ? bound.edits : []
    this.previous = previous
    this.snapshot = {
      state: { kind: 'planning' },
      rowCount: this.buffer.rowCount,
      hasSchema: this.buffer.schema !== null,
      startedAtMs: Date.now(),
      endedAtMs: null,
      rowsFailure: null,
      background: null,
      storedAtMs: null,
      ...ended?.snapshot,
    }
    this.buffer.subscribe(() => this.#rowsCameOrWent())
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  getSnapshot = (): RunSnapshot => this.snapshot

  /** Runs to the end. Never rejects: how it ended is in the state. */
  async start(): Promise<void> {
    const { signal } = this.#abort
    try {
      if (this.source.background !== undefined) {
        await followStatement(this.#backgroundRequest(this.source.background), this.#sink(), signal)
        return
      }
      const info = await postFlightInfo(this.#request(), signal)
      const keptId = this.source.isAnew === true ? undefined : info.kept?.statementId
      if (keptId !== undefined && (await openKept(keptId, this.#sink(), signal))) return
      this.#dispatch({ kind: 'planned', info })
      const response = await postDoGet(
        { ticket: info.ticket, ...(this.source.isPreview === true && { isPreview: true }) },
        signal,
      )
      if (response.body === null) throw new ApiError('STREAM_INCOMPLETE', 'The result stream has no body.')
      await readStream(response.body, this.#sink(), signal)
    } catch (error) {
      if (!signal.aborted) this.#dispatch({ kind: 'failed', error: toApiError(error) })
    }
  }

  /** Closes the stream, asks the server to end the work, and says whether it did. */
  async stop(): Promise<void> {
    if (!isRunning(this.snapshot.state) || this.snapshot.state.kind === 'stopping') return
    const info = infoOf(this.snapshot.state)
    this.#dispatch({ kind: 'stopRequested' })
    this.#abort.abort()
    // A submission that was under way may have reached the queue: then it is in the list of background statements.
    let isConfirmed = info === null && this.source.background === undefined
    if (info !== null) {
      try {
        const work =
          this.source.background === undefined
            ? { ticket: info.ticket, verb: 'do-get' as const }
            : { statementId: info.statementId }
        const { status } = await postCancel(work, new AbortController().signal)
        isConfirmed = status !== 'cancelling'
      } catch (error) {
        isConfirmed = toApiError(error).code === 'TICKET_EXPIRED'
      }
    }
    this.#dispatch({ kind: 'stopAnswered', isConfirmed })
  }

  /** Nobody looks at it any more: what runs in the background goes on, anything else is stopped. */
  leave(): void {
    if (this.source.background === undefined) void this.stop()
    else this.#abort.abort()
  }

  /** Its rows are shown nowhere any more. */
  close(): void {
    this.buffer.close()
    this.previous?.close()
    this.previous = null
  }

  /** Its rows are not shown now; where the browser's store has them, they can be had from there. */
  putAside(): void {
    this.buffer.putAside()
    this.previous?.close()
    this.previous = null
  }

  /** After a pause for a full buffer: keep one more step of rows. */
  continueReading(): void {
    this.buffer.raiseLimit()
    this.#dispatch({ kind: 'continued' })
    this.#continue?.()
    this.#continue = null
  }

  #request(): FlightInfoRequest {
    const { pins } = this.source
    const sql = this.sentSql
    if (pins.length === 0) return { sql }
    return {
      sql,
      pins: pins.map(({ namespace, table, snapshotId }) => ({ namespace, table, snapshotId })),
    }
  }

  #backgroundRequest(background: BackgroundSource): PollRequest {
    return background.kind === 'open'
      ? { descriptor: { statementId: background.statementId } }
      : {
          ...this.#request(),
          idempotencyKey: crypto.randomUUID(),
          ...(this.source.isAnew === true && { isReuseAllowed: false }),
        }
  }

  #sink() {
    return {
      polled: (info: PollInfo) => {
        // A kept result was asked for now, whenever it was made.
        const startedAtMs = info.isReused ? this.snapshot.startedAtMs : info.submittedAtMs
        this.snapshot = { ...this.snapshot, background: info, startedAtMs }
        for (const listener of this.#listeners) listener()
      },
      buffer: this.buffer,
      emit: (event: RunEvent) => this.#dispatch(event),
      rowsArrived: () => this.#publishSoon(),
      waitForRoom: (signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          this.#continue = resolve
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
          this.#dispatch({ kind: 'bufferFilled' })
        }),
    }
  }

  /** Rows that cannot be had are said; where they never will be, the answer is not whole. */
  #rowsCameOrWent(): void {
    const failure = this.buffer.failure === null ? null : toApiError(this.buffer.failure)
    if (failure !== null && !failure.isRetryable && this.snapshot.state.kind === 'finished')
      this.#dispatch({ kind: 'rowsLost', error: failure })
    else if (failure !== null || this.snapshot.rowsFailure !== null) this.#publish(this.snapshot.state)
  }

  #dispatch(event: RunEvent): void {
    const written =
      event.kind === 'failed' ? { ...event, error: atWrittenPlace(event.error, this.#edits) } : event
    const state = reduceRun(this.snapshot.state, written)
    if (state === this.snapshot.state) return
    this.#publish(state)
  }

  /** The first rows are shown at once, later ones at the pace of the eye. */
  #publishSoon(): void {
    if (this.snapshot.rowCount === 0 && this.buffer.rowCount > 0) {
      this.#publish(this.snapshot.state)
      return
    }
    this.#publishTimer ??= setTimeout(() => this.#publish(this.snapshot.state), RESULT_PUBLISH_INTERVAL_MS)
  }

  #publish(state: RunState): void {
    if (this.#publishTimer !== null) clearTimeout(this.#publishTimer)
    this.#publishTimer = null
    // One that ends without an answer leaves the result before it in reach.
    const isWithout = this.buffer.rowCount === 0 && state.kind !== 'finished'
    if (!isWithout) {
      this.previous?.close()
      this.previous = null
    }
    const endedAtMs = isRunning(state) ? null : (this.snapshot.endedAtMs ?? Date.now())
    this.snapshot = {
      ...this.snapshot,
      state,
      rowCount: this.buffer.rowCount,
      hasSchema: this.buffer.schema !== null,
      endedAtMs,
      rowsFailure: this.buffer.failure === null ? null : toApiError(this.buffer.failure),
    }
    for (const listener of this.#listeners) listener()
  }
}
