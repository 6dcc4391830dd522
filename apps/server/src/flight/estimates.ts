// Estimates of what statements would read. They are asked for while a statement is typed, so their planning of scans is
// bounded in time and number and gives way to what runs; what is wrong with the statement itself is said at once.
import type { Principal } from '@lake/core/access/principal.ts'
import type { EstimateResponse, FlightInfoRequest } from '@lake/core/api/contract.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { LIMITS } from '../limits.ts'
import { estimateScans } from '../queries/estimate-scans.ts'
import { bindStatement } from '../queries/plan-query.ts'
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
    const binding = await bindStatement(request, principal, services, deadline.signal)
    const release = await permits.acquire(deadline.signal)
    try {
      return await estimateScans(binding, services, deadline.signal)
    } finally {
      release()
    }
  }
}
