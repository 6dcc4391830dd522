// Background statements as a client of the HTTP contract submits, polls and reads them.
import { createHash } from 'node:crypto'
import { RecordBatchReader, type RecordBatch } from 'apache-arrow'
import { cancelFlightInfoResponse, statementsResponse, type PollRequest } from '@lake/core/api/contract.ts'
import {
  pollInfo,
  type PollInfo,
  type ResultEndpoint,
  type StatementSummary,
} from '@lake/core/statements/poll-info.ts'
import { readFailure, type Failed, type TestClient } from './test-client.ts'

export interface BackgroundClient {
  poll(request: PollRequest): Promise<PollInfo | Failed>
  /** As `poll`; throws when there is an HTTP error. */
  submit(request: PollRequest): Promise<PollInfo>
  /** Polls until it has ended. */
  ended(statementId: string): Promise<PollInfo>
  /** Its status, or the code of the failure. */
  cancel(statementId: string): Promise<string>
  list(): Promise<StatementSummary[]>
  readPart(endpoint: Pick<ResultEndpoint, 'ticket'>): Promise<Uint8Array | Failed>
  /** Reads every part, checks it against its endpoint, and gives its batches. */
  rows(info: PollInfo): Promise<RecordBatch[]>
}

export function createBackgroundClient(client: TestClient): BackgroundClient {
  const poll: BackgroundClient['poll'] = async (request) => {
    const response = await client.request('POST', '/poll-flight-info', request)
    return response.ok ? pollInfo.parse(await response.json()) : await readFailure(response)
  }
  const submit: BackgroundClient['submit'] = async (request) => {
    const info = await poll(request)
    if ('status' in info) throw new Error(`${info.code}: ${info.message}`)
    return info
  }
  const readPart: BackgroundClient['readPart'] = async ({ ticket }) => {
    const response = await client.doGet(ticket)
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : await readFailure(response)
  }
  return {
    async cancel(statementId) {
      const response = await client.request('POST', '/cancel-flight-info', { statementId })
      if (!response.ok) return (await readFailure(response)).code
      return cancelFlightInfoResponse.parse(await response.json()).status
    },
    async list() {
      const response = await client.request('GET', '/statements')
      return statementsResponse.parse(await response.json()).statements
    },
    poll,
    submit,
    readPart,
    async ended(statementId) {
      let info = await submit({ descriptor: { statementId } })
      while (info.descriptor) info = await submit({ descriptor: info.descriptor, waitMs: 5_000 })
      return info
    },
    async rows(info) {
      // In reverse: parts stand for themselves.
      const parts: RecordBatch[][] = []
      for (const endpoint of info.endpoints.toReversed()) {
        const bytes = await readPart(endpoint)
        if (!(bytes instanceof Uint8Array)) throw new Error(bytes.code)
        if (createHash('sha256').update(bytes).digest('hex') !== endpoint.sha256) throw new Error('checksum')
        const batches = [...RecordBatchReader.from(bytes)] as RecordBatch[]
        if (batches.reduce((sum, { numRows }) => sum + numRows, 0) !== endpoint.rowCount)
          throw new Error('rows of a part')
        parts.unshift(batches)
      }
      return parts.flat()
    },
  }
}

/** The rows as text in one order, so that equal answers are equal texts, byte for byte. */
export function canonicalRows(batches: readonly RecordBatch[]): string {
  return batches
    .flatMap((batch) => [...batch].map((row) => JSON.stringify(row.toJSON(), plain)))
    .sort()
    .join('\n')
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return value
}
