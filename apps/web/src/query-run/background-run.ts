// The part of a run that follows a background statement instead of a stream: submits it or takes up one that is there,
// polls until it has ended, and fetches the parts of its result into the buffer, first one first. A part is believed when
// its bytes are those of the manifest. Rows are shown as they come; the receipt ends it, as it ends a stream.
import { RecordBatchReader } from 'apache-arrow'
import type { FlightInfoResponse, PollRequest } from '@lake/core/api/contract.ts'
import type { PollInfo, ResultEndpoint } from '@lake/core/statements/poll-info.ts'
import { ApiError, toApiError } from '../api/api-error.ts'
import { postDoGet, postPoll } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { POLL_RETRIES_MAX, POLL_RETRY_MS, POLL_WAIT_MS, SUBMIT_RETRIES_MAX } from '../limits.ts'
import type { StreamSink } from './read-stream.ts'

/** What a run follows: a statement to submit, or one that was. */
export type BackgroundSource =
  { readonly kind: 'submit' } | { readonly kind: 'open'; readonly statementId: string }

export interface BackgroundSink extends StreamSink {
  /** Told at every poll. */
  polled: (info: PollInfo) => void
}

/** @throws ApiError; rejects with the reason of `signal` when it aborts */
export async function followStatement(
  request: PollRequest,
  sink: BackgroundSink,
  signal: AbortSignal,
): Promise<void> {
  let info = await pollPatiently(request, signal)
  sink.polled(info)
  refreshLists()
  sink.emit({ kind: 'planned', info: flightInfoOf(info) })
  while (info.descriptor !== null) {
    info = await pollPatiently({ descriptor: info.descriptor, waitMs: POLL_WAIT_MS }, signal)
    sink.polled(info)
  }
  refreshLists()
  if (info.state === 'cancelled') {
    sink.emit({ kind: 'stopRequested' })
    sink.emit({ kind: 'stopAnswered', isConfirmed: true })
    return
  }
  if (info.failure !== null || info.receipt === null) {
    const { code, message, details } = info.failure ?? {
      code: 'INTERNAL',
      message: 'It failed without a cause.',
    }
    throw new ApiError(code, message, { details })
  }
  await fetchParts(info, sink, signal)
  sink.emit({ kind: 'receiptArrived', receipt: info.receipt, info: flightInfoOf(info) })
}

const refreshLists = () => void queryClient.invalidateQueries({ queryKey: ['statements'] })

/** The statement does not end because the server, or the way to it, is gone for a while; so neither does the waiting. */
async function pollPatiently(request: PollRequest, signal: AbortSignal): Promise<PollInfo> {
  const isSubmission = !('descriptor' in request)
  for (let failureCount = 0; ; failureCount += 1) {
    try {
      return await postPoll(request, signal)
    } catch (error) {
      const { isRetryable } = toApiError(error)
      const retriesMax = isSubmission ? SUBMIT_RETRIES_MAX : POLL_RETRIES_MAX
      if (signal.aborted || !isRetryable || failureCount >= retriesMax) throw error
      await sleep(POLL_RETRY_MS, signal)
    }
  }
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })

/** As what plans an interactive run gives; nothing is to be redeemed before it has finished. */
function flightInfoOf({ statementId, schema, tables, ticket }: PollInfo): FlightInfoResponse {
  return { statementId, schema, tables, ...(ticket ?? { ticket: '', expiresAtMs: 0 }) }
}

async function fetchParts(info: PollInfo, sink: BackgroundSink, signal: AbortSignal): Promise<void> {
  let { endpoints } = info
  for (let index = 0; index < endpoints.length; index += 1) {
    const found = endpoints[index]
    if (found === undefined) return
    // A person may have paused for longer than tickets last.
    if (found.expiresAtMs <= Date.now())
      ({ endpoints } = await postPoll({ descriptor: { statementId: info.statementId } }, signal))
    await fetchPart(endpoints[index] ?? found, sink, signal)
    if (sink.buffer.isFull && index + 1 < endpoints.length) await sink.waitForRoom(signal)
  }
}

async function fetchPart(endpoint: ResultEndpoint, sink: BackgroundSink, signal: AbortSignal): Promise<void> {
  const response = await postDoGet(endpoint.ticket, signal)
  const bytes = new Uint8Array(await response.arrayBuffer())
  await checkPart(bytes, endpoint)
  const reader = RecordBatchReader.from(bytes)
  reader.open({ autoDestroy: false })
  sink.buffer.schema ??= reader.schema
  let rowCount = 0
  for (const batch of reader) {
    rowCount += batch.numRows
    sink.buffer.append(batch)
  }
  if (rowCount !== endpoint.rowCount) throw corrupt()
  sink.rowsArrived()
}

/** The browser digests in secure contexts only, which loopback addresses and https are; the length is always checked. */
async function checkPart(bytes: Uint8Array<ArrayBuffer>, endpoint: ResultEndpoint): Promise<void> {
  if (bytes.byteLength !== endpoint.byteCount) throw corrupt()
  if (!isSecureContext) return
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (hex !== endpoint.sha256) throw corrupt()
}

const corrupt = () => new ApiError('RESULT_CORRUPT', 'A part of the result is not what was written.')
