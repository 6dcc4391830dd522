// Estimates of what statements would read. They are asked for while a statement is typed, so they are bounded in time and
// number and give way to what runs.
import type { Principal } from '@lake/core/access/principal.ts'
import type { EstimateResponse, FlightInfoRequest } from '@lake/core/api/contract.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { LIMITS } from '../limits.ts'
import { estimateQuery } from '../queries/estimate-query.ts'
import type { QueryServices } from '../queries/query-services.ts'

/** @throws AppError BUSY, DEADLINE_EXCEEDED and what planning the statement throws */
export type Estimate = (
  request: FlightInfoRequest,
  principal: Principal,
  signal: AbortSignal,
) => Promise<EstimateResponse>

export function createEstimates(services: QueryServices): Estimate {
  const permits = createSemaphore({
    permitsMax: LIMITS.estimatesAtOnceMax,
    waitingMax: LIMITS.estimatesWaitingMax,
    name: 'an estimate',
  })
  return async (request, principal, signal) => {
    using deadline = startDeadline(signal, LIMITS.estimateDeadlineMs, 'Estimating the statement')
    const release = await permits.acquire(deadline.signal)
    try {
      return await estimateQuery(request, principal, services, deadline.signal)
    } finally {
      release()
    }
  }
}
