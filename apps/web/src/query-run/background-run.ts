// The part of a run that follows a background statement instead of a stream: submits it or takes up one that is there,
// polls until it has ended, and opens its result, whose parts are fetched as they are looked at.
import type { FlightInfoResponse, PollRequest } from '@lake/core/api/contract.ts'
import type { Receipt } from '@lake/core/flight/receipt.ts'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import { ApiError, toApiError } from '../api/api-error.ts'
import { postPoll } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import {
  KEPT_OPEN_MS_MAX,
  POLL_RETRIES_MAX,
  POLL_RETRY_MS,
  POLL_WAIT_MS,
  SUBMIT_RETRIES_MAX,
} from '../limits.ts'
import { openParts } from './kept-parts.ts'
import type { StreamSink } from './read-stream.ts'

/** What a run follows: a statement to submit, or one that was. */
export type BackgroundSource =
  { readonly kind: 'submit' } | { readonly kind: 'open'; readonly statementId: string }

export interface BackgroundSink extends Omit<StreamSink, 'waitForRoom'> {
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
  await openFinished(info, info.receipt, sink, signal)
}

async function openFinished(
  info: PollInfo,
  receipt: Receipt,
  sink: BackgroundSink,
  signal: AbortSignal,
): Promise<void> {
  await openParts(info, sink.buffer, signal)
  sink.rowsArrived()
  sink.emit({ kind: 'receiptArrived', receipt, info: flightInfoOf(info) })
}

/**
 * Answers an interactive run by a kept result.
 * @returns false, with nothing told and no row taken, where it cannot be had: then the statement runs
 */
export async function openKept(
  statementId: string,
  sink: BackgroundSink,
  signal: AbortSignal,
): Promise<boolean> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(KEPT_OPEN_MS_MAX)])
  try {
    const info = await postPoll({ descriptor: { statementId } }, soon)
    if (info.receipt === null) return false
    await openParts(info, sink.buffer, soon)
    sink.polled({ ...info, isReused: true })
    sink.emit({ kind: 'planned', info: flightInfoOf(info) })
    sink.rowsArrived()
    sink.emit({ kind: 'receiptArrived', receipt: info.receipt })
    return true
  } catch (error) {
    if (signal.aborted) throw error
    return false
  }
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
