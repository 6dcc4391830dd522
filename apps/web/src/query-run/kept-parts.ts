// The rows of a kept result: its parts are fetched as they are looked at, and believed when their bytes are those of the
// manifest. Tickets of parts are short-lived; a new one is for the same part or for none.
import { RecordBatchReader, type RecordBatch, type Schema } from 'apache-arrow'
import type { PollInfo, ResultEndpoint } from '@lake/core/statements/poll-info.ts'
import { ApiError, toApiError } from '../api/api-error.ts'
import { postDoGet, postPoll } from '../api/client.ts'
import { sha256Of } from '../storage/spill-protocol.ts'
import type { ResultBuffer } from './result-buffer.ts'

/**
 * Gives the buffer every row of the finished statement; only those of the first part are in memory.
 * @throws ApiError RESULT_CORRUPT and what fetching the first part fails with; then the buffer has none
 */
export async function openParts(info: PollInfo, buffer: ResultBuffer, signal: AbortSignal): Promise<void> {
  const parts = createPartSource(info)
  const [first] = info.endpoints
  if (first === undefined) throw corrupt()
  const { schema, batches } = await parts.read(0, signal)
  buffer.schema = schema
  for (const [index, { rowCount, byteCount }] of info.endpoints.entries()) {
    const load = async (loadSignal: AbortSignal) => (await parts.read(index, loadSignal)).batches
    buffer.appendAway({ rowCount, byteCount, load }, index === 0 ? batches : null)
  }
}

interface Part {
  schema: Schema
  batches: readonly RecordBatch[]
}

function createPartSource({ statementId, endpoints: known }: PollInfo) {
  let endpoints: readonly ResultEndpoint[] = known
  let renewing: Promise<void> | null = null

  const renew = async (): Promise<void> => {
    const info = await postPoll({ descriptor: { statementId } }, new AbortController().signal)
    const isSame = info.endpoints.every(({ sha256 }, index) => sha256 === known[index]?.sha256)
    if (!isSame || info.endpoints.length !== known.length) throw corrupt()
    endpoints = info.endpoints
  }
  /** Once for all parts that ask at once. */
  const renewOnce = async (): Promise<void> => {
    renewing ??= renew().finally(() => {
      renewing = null
    })
    await renewing
  }
  const fetchPart = async (index: number, signal: AbortSignal): Promise<Part> => {
    if ((endpoints[index]?.expiresAtMs ?? 0) <= Date.now()) await renewOnce()
    const endpoint = endpoints[index]
    if (endpoint === undefined) throw corrupt()
    const response = await postDoGet({ ticket: endpoint.ticket }, signal)
    return await readPart(new Uint8Array(await response.arrayBuffer()), endpoint)
  }

  return {
    async read(index: number, signal: AbortSignal): Promise<Part> {
      try {
        return await fetchPart(index, signal)
      } catch (error) {
        if (signal.aborted || !isWorthAnotherTry(toApiError(error))) throw error
        // The clocks may differ, so an expiry may be heard of here only.
        if (toApiError(error).code === 'TICKET_EXPIRED') await renewOnce()
        return await fetchPart(index, signal)
      }
    },
  }
}

const isWorthAnotherTry = ({ code, isRetryable }: ApiError): boolean =>
  isRetryable || code === 'TICKET_EXPIRED'

async function readPart(bytes: Uint8Array<ArrayBuffer>, endpoint: ResultEndpoint): Promise<Part> {
  await checkBytes(bytes, endpoint)
  const reader = RecordBatchReader.from(bytes)
  reader.open({ autoDestroy: false })
  const { schema } = reader
  const batches = [...reader].filter(({ numRows }) => numRows > 0)
  const rowCount = batches.reduce((sum, batch) => sum + batch.numRows, 0)
  if (rowCount !== endpoint.rowCount) throw corrupt()
  return { schema, batches }
}

/** The browser digests in secure contexts only, which loopback addresses and https are; the length is always checked. */
async function checkBytes(bytes: Uint8Array<ArrayBuffer>, endpoint: ResultEndpoint): Promise<void> {
  if (bytes.byteLength !== endpoint.byteCount) throw corrupt()
  if (!isSecureContext) return
  if ((await sha256Of(bytes)) !== endpoint.sha256) throw corrupt()
}

const corrupt = () => new ApiError('RESULT_CORRUPT', 'A part of the result is not what was written.')
