// A client of the HTTP contract, as an Arrow reader outside the browser would be one.
import { RecordBatchReader, type RecordBatch } from 'apache-arrow'
import {
  API_PREFIX,
  flightInfoResponse,
  type FlightInfoResponse,
  type RequestedPin,
} from '@lake/core/api/contract.ts'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import { batchMessage, type BatchMessage } from '@lake/core/api/wire.ts'
import type { Receipt } from '@lake/core/flight/receipt.ts'

export interface Failed {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Record<string, unknown>
}

export interface StreamedResult {
  readonly batches: RecordBatch[]
  readonly rowCount: number
  readonly messages: BatchMessage[]
  /** undefined unless the stream was closed by one. */
  readonly receipt: Receipt | undefined
  readonly failure:
    { code: string; message: string; details?: Record<string, unknown> | undefined } | undefined
}

export interface TestClient {
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  flightInfo(sql: string, pins?: RequestedPin[]): Promise<FlightInfoResponse | Failed>
  doGet(ticket: string, signal?: AbortSignal): Promise<Response>
  /** Plans and runs. */
  run(sql: string, pins?: RequestedPin[]): Promise<StreamedResult | Failed>
  /** As `run`; throws when there is an HTTP error. */
  query(sql: string, pins?: RequestedPin[]): Promise<StreamedResult>
  /** The code under which the statement fails, wherever it does; `ok` where it does not. */
  outcome(sql: string, pins?: RequestedPin[]): Promise<string>
}

/** @param always headers of every request, such as credentials */
export function createTestClient(url: string, always: Readonly<Record<string, string>> = {}): TestClient {
  const request: TestClient['request'] = async (method, path, body, headers = {}) =>
    await fetch(`${url}${API_PREFIX}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...always,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const flightInfo: TestClient['flightInfo'] = async (sql, pins) => {
    const response = await request('POST', '/flight-info', { sql, ...(pins ? { pins } : {}) })
    return response.ok ? flightInfoResponse.parse(await response.json()) : await readFailure(response)
  }
  const doGet: TestClient['doGet'] = async (ticket, signal) =>
    await fetch(`${url}${API_PREFIX}/do-get`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...always },
      body: JSON.stringify({ ticket }),
      ...(signal ? { signal } : {}),
    })
  const run = async (sql: string, pins?: RequestedPin[]): Promise<StreamedResult | Failed> => {
    const info = await flightInfo(sql, pins)
    if ('status' in info) return info
    const response = await doGet(info.ticket)
    return response.ok ? await readResult(response) : await readFailure(response)
  }
  return {
    request,
    flightInfo,
    doGet,
    run,
    async query(sql, pins) {
      const result = await run(sql, pins)
      if ('status' in result) throw new Error(`${result.code}: ${result.message}`)
      return result
    },
    async outcome(sql, pins) {
      const result = await run(sql, pins)
      if ('status' in result) return result.code
      return result.failure?.code ?? (result.receipt ? 'ok' : 'INCOMPLETE')
    },
  }
}

export async function readFailure(response: Response): Promise<Failed> {
  const { error } = (await response.json()) as {
    error: { code: string; message: string; details?: Record<string, unknown> }
  }
  return { status: response.status, code: error.code, message: error.message, details: error.details ?? {} }
}

/** The rows and messages of an answer, one by one as they are taken. */
export async function* readStream(response: Response): AsyncGenerator<RecordBatch | BatchMessage> {
  const reader = await RecordBatchReader.from(response.body as unknown as AsyncIterable<Uint8Array>)
  for await (const batch of reader as AsyncIterable<RecordBatch>) {
    const text = batch.metadata.get(BATCH_METADATA_KEY)
    yield text === undefined ? batch : batchMessage.parse(JSON.parse(text))
  }
}

export async function readResult(response: Response): Promise<StreamedResult> {
  const batches: RecordBatch[] = []
  const messages: BatchMessage[] = []
  for await (const item of readStream(response)) {
    if ('kind' in item) messages.push(item)
    else batches.push(item)
  }
  const last = messages.at(-1)
  return {
    batches,
    messages,
    rowCount: batches.reduce((sum, { numRows }) => sum + numRows, 0),
    receipt: last?.kind === 'receipt' ? last.receipt : undefined,
    failure: last?.kind === 'failure' ? last.error : undefined,
  }
}
