// What one principal may take, so that nobody is slow because of another: requests a minute, statements at once, bytes a
// day. Counted in this process; bytes that replicas read count too where they share a store. Where nobody signs in there is
// nobody to be fair to.
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { QuotaConfig } from '../config/access.ts'
import { LIMITS } from '../limits.ts'
import { NO_BYTES_ELSEWHERE, type BytesElsewhere } from './bytes-elsewhere.ts'

export interface Quotas {
  /** Counts a request. @param who a principal's id, or an address where nobody is known. Throws BUSY. */
  countRequest(who: string): void
  /** Enters a statement; dispose what it gives when that has ended. Throws BUSY, QUOTA_EXCEEDED. */
  enterStatement(principal: Principal): StatementQuota
}

export interface StatementQuota extends Disposable {
  /** Bytes read for it so far. */
  charge(bytesRead: number): void
}

interface Usage {
  /** Requests that may be made at once; refills with time. */
  tokens: number
  refilledAtMs: number
  statementCount: number
  /** Bytes by the hour in which they were read, since the epoch. */
  readonly bytesByHour: Map<number, number>
}

export const HOUR_MS = 3_600_000
export const QUOTA_HOURS = 24

export function createQuotas(
  config: QuotaConfig,
  clock: Clock,
  elsewhere: BytesElsewhere = NO_BYTES_ELSEWHERE,
): Quotas {
  /** In order of use. */
  const usages = new Map<string, Usage>()
  const { requestsPerMinuteMax, statementsMax, bytesPerDayMax } = config

  const usageOf = (who: string): Usage => {
    const known = usages.get(who)
    const usage = known ?? {
      tokens: requestsPerMinuteMax,
      refilledAtMs: clock.nowMs(),
      statementCount: 0,
      bytesByHour: new Map<number, number>(),
    }
    usages.delete(who)
    usages.set(who, usage)
    if (usages.size > LIMITS.quotaUsagesMax) forgetIdle(usages)
    return usage
  }

  return {
    countRequest(who) {
      const usage = usageOf(who)
      const nowMs = clock.nowMs()
      const refill = (Math.max(0, nowMs - usage.refilledAtMs) * requestsPerMinuteMax) / 60_000
      usage.tokens = Math.min(requestsPerMinuteMax, usage.tokens + refill)
      usage.refilledAtMs = nowMs
      if (usage.tokens < 1) {
        const retryAfterMs = ((1 - usage.tokens) * 60_000) / requestsPerMinuteMax
        throw busy(`More than ${requestsPerMinuteMax} requests in a minute`, retryAfterMs)
      }
      usage.tokens -= 1
    },

    enterStatement({ id }) {
      if (id === null) return { charge: () => undefined, [Symbol.dispose]: () => undefined }
      const usage = usageOf(id)
      const nowMs = clock.nowMs()
      const bytesByHour = addHours(forgetOldHours(usage.bytesByHour, nowMs), elsewhere.of(id), nowMs)
      refuseSpentBytes(bytesByHour, bytesPerDayMax, nowMs)
      if (usage.statementCount >= statementsMax)
        throw busy(`${usage.statementCount} of your statements run already`, LIMITS.statementRetryAfterMs)
      usage.statementCount += 1
      let charged = 0
      let isEnded = false
      return {
        charge(bytesRead) {
          const hour = Math.floor(clock.nowMs() / HOUR_MS)
          const byteCount = (usage.bytesByHour.get(hour) ?? 0) + bytesRead - charged
          usage.bytesByHour.set(hour, byteCount)
          elsewhere.tell(id, hour, byteCount)
          charged = bytesRead
        },
        [Symbol.dispose]() {
          if (!isEnded) usage.statementCount -= 1
          isEnded = true
        },
      }
    },
  }
}

/** Whoever was seen longest ago and runs nothing is forgotten. */
function forgetIdle(usages: Map<string, Usage>): void {
  for (const [who, { statementCount }] of usages) {
    if (statementCount > 0) continue
    usages.delete(who)
    return
  }
}

function forgetOldHours(bytesByHour: Map<number, number>, nowMs: number): Map<number, number> {
  const hour = Math.floor(nowMs / HOUR_MS)
  for (const known of bytesByHour.keys()) if (known <= hour - QUOTA_HOURS) bytesByHour.delete(known)
  return bytesByHour
}

/** What was read here and elsewhere in a day. */
function addHours(
  bytesByHour: ReadonlyMap<number, number>,
  more: Iterable<readonly [number, number]>,
  nowMs: number,
): ReadonlyMap<number, number> {
  const sum = new Map(bytesByHour)
  for (const [hour, byteCount] of more) sum.set(hour, (sum.get(hour) ?? 0) + byteCount)
  return forgetOldHours(sum, nowMs)
}

/** A statement that has begun is let go on, so a day may be passed by one scan. */
function refuseSpentBytes(bytesByHour: ReadonlyMap<number, number>, bytesMax: number, nowMs: number): void {
  const hour = Math.floor(nowMs / HOUR_MS)
  const hours = [...bytesByHour].sort(([left], [right]) => left - right)
  let bytes = hours.reduce((sum, [, count]) => sum + count, 0)
  if (bytes < bytesMax) return
  const spent = bytes
  const freed = hours.find(([, count]) => (bytes -= count) < bytesMax)
  const retryAfterMs = ((freed?.[0] ?? hour) + QUOTA_HOURS) * HOUR_MS - nowMs
  throw new AppError(
    'QUOTA_EXCEEDED',
    `Your statements have read ${spent} bytes in a day, of ${bytesMax} allowed`,
    {
      details: { bytes: spent, bytesMax, retryAfterMs },
    },
  )
}

function busy(message: string, retryAfterMs: number): AppError {
  return new AppError('BUSY', `${message}; come back a little later`, { details: { retryAfterMs } })
}
