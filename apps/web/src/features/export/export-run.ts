// One export, from Export to its end, as an external store. It redeems the ticket of the result. Of a kept result, which is
// exported from its parts, a new ticket is asked for; else, where the ticket is too old, the statement is planned again at
// the same snapshots, when the person asks for it.
import type { FlightInfoResponse, RequestedPin } from '@lake/core/api/contract.ts'
import type { ExportTarget } from '@lake/core/api/export-contract.ts'
import type { ExportReceipt } from '@lake/core/flight/receipt.ts'
import { ApiError, toApiError } from '../../api/api-error.ts'
import { postCancel, postExport, postFlightInfo, postPoll } from '../../api/client.ts'
import { createFileSink, type FileSink } from './file-sink.ts'
import { readExport, type ExportProgress } from './read-export.ts'

export type ExportState =
  | { kind: 'choosing' }
  | { kind: 'running'; progress: ExportProgress | null }
  | { kind: 'stopping' }
  | { kind: 'stopped'; isConfirmed: boolean }
  | { kind: 'done'; file: Blob; document: ExportReceipt }
  | { kind: 'failed'; error: ApiError }

export interface ExportStatement {
  sql: string
  /** The snapshots of the result. */
  pins: readonly RequestedPin[]
  info: FlightInfoResponse
  /** Of the background statement whose kept result it is; null where it has none. */
  keptId: string | null
}

/** Any failure of a sink or a stream in the words of the app. */
function exportError(error: unknown): ApiError {
  if (error instanceof DOMException && error.name === 'QuotaExceededError')
    return new ApiError(
      'EXPORT_NO_ROOM',
      'The browser has no room left for the file, so nothing was saved.',
      {
        cause: error,
      },
    )
  return toApiError(error)
}

export class ExportRun {
  readonly statement: ExportStatement
  state: ExportState = { kind: 'choosing' }
  readonly #listeners = new Set<() => void>()
  #abort: AbortController | null = null
  #info: FlightInfoResponse

  constructor(statement: ExportStatement) {
    this.statement = statement
    this.#info = statement.info
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  getState = (): ExportState => this.state

  /**
   * Never rejects: how it ended is in the state.
   * @param isPlannedAgain with a new ticket for the same snapshots
   */
  async start(target: ExportTarget, isPlannedAgain = false): Promise<void> {
    const abort = new AbortController()
    this.#abort = abort
    this.#set({ kind: 'running', progress: null })
    let sink: FileSink | null = null
    try {
      if (isPlannedAgain) this.#info = await this.#planAgain(abort.signal)
      else if (this.statement.keptId !== null) await this.#renewTicket(this.statement.keptId, abort.signal)
      if (this.#info.ticket === '')
        throw new ApiError(
          'TICKET_EXPIRED',
          'The result is of an earlier page, and its ticket went with that.',
        )
      sink = await createFileSink(Date.now())
      const response = await postExport({ ticket: this.#info.ticket, ...target }, abort.signal)
      if (response.body === null) throw new ApiError('EXPORT_INCOMPLETE', 'The answer has no body.')
      const onProgress = (progress: ExportProgress) => this.#set({ kind: 'running', progress })
      const document = await readExport(response.body, sink, onProgress, abort.signal)
      const file = await sink.finish()
      this.#set({ kind: 'done', file, document })
    } catch (error) {
      await sink?.discard()
      if (!abort.signal.aborted) this.#set({ kind: 'failed', error: exportError(error) })
    }
  }

  /** Closes the stream, asks the server to end the work, and says whether it did. */
  async stop(): Promise<void> {
    if (this.state.kind !== 'running') return
    this.#set({ kind: 'stopping' })
    this.#abort?.abort()
    let isConfirmed = false
    try {
      const { status } = await postCancel(
        { ticket: this.#info.ticket, verb: 'export' },
        new AbortController().signal,
      )
      isConfirmed = status !== 'cancelling'
    } catch (error) {
      isConfirmed = toApiError(error).code === 'TICKET_EXPIRED'
    }
    this.#set({ kind: 'stopped', isConfirmed })
  }

  /** Back to the choices, for another file. */
  reset(): void {
    this.#set({ kind: 'choosing' })
  }

  /** One that lasts for the whole export. The snapshots may have gone since; the kept result has not. */
  async #renewTicket(statementId: string, signal: AbortSignal): Promise<void> {
    const { ticket } = await postPoll({ descriptor: { statementId } }, signal)
    if (ticket !== null) this.#info = { ...this.#info, ...ticket }
  }

  /** The result's own columns, or a refusal: a file with others would not be the result's. */
  async #planAgain(signal: AbortSignal): Promise<FlightInfoResponse> {
    const { sql, pins, info } = this.statement
    const planned = await postFlightInfo({ sql, pins: [...pins] }, signal)
    if (JSON.stringify(planned.schema) === JSON.stringify(info.schema)) return planned
    throw new ApiError('EXPORT_CHANGED', 'The columns of the statement have changed since it ran.')
  }

  #set(state: ExportState): void {
    this.state = state
    for (const listener of this.#listeners) listener()
  }
}
