// Whether there is room for a request, decided by its method, path and the spelling of its credentials alone, before anything
// of it is parsed, proved or unsealed: refusing one costs some microseconds, so many cost those that are served little.
//
// One client, as far as the spelling of credentials tells, and then one principal, holds half of the places at most. Whoever was
// told when to come back, and comes sooner over the same connection, is kept waiting until then; and where very many are
// refused, however they connect, each is kept waiting before it is: so whoever does not listen is as slow as whoever does.
// Behind a proxy a connection carries the requests of many people, which is why credentials count. Nothing here is proved;
// that comes after, and whoever makes credentials up is refused there.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { API_PREFIX, ROUTES, type ErrorBody, type RouteName } from '@lake/core/api/contract.ts'
import { ERROR_CODES } from '@lake/core/errors.ts'
import { systemTime, type SteadyTime } from '../concurrency/steady-time.ts'
import { LIMITS } from '../limits.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

/** What a request takes a place of: the analysis of statements, the engine processes, memory for what is kept or for a list of it, or none of them. */
type Work = 'planning' | 'running' | 'reading' | 'listing' | 'other'

const WORK_OF_ROUTE: Partial<Record<RouteName, Work>> = {
  analyze: 'planning',
  estimate: 'planning',
  flightInfo: 'planning',
  doGet: 'running',
  export: 'running',
  statements: 'listing',
}
const WORK_OF_TARGET: ReadonlyMap<string, Work> = new Map(
  Object.entries(WORK_OF_ROUTE).map(([name, work]) => {
    const { method, path } = ROUTES[name as RouteName]
    return [`${method} ${API_PREFIX}${path}`, work] as const
  }),
)
/** Asked by whoever watches the server, and cheap. */
const PROBES = new Set(['/livez', '/readyz'])

export interface OverloadGate {
  readonly listener: RequestListener
  /**
   * The request turned out to need no engine process but what is kept, so its place is free for another.
   * @returns false where there is no place for that
   */
  turnToReading(request: IncomingMessage): boolean
  /** Now it is known whose request it is, however the credentials were spelt. @returns false where theirs are too many */
  isWithinShare(request: IncomingMessage, principalId: string): boolean
}

interface Refusal {
  readonly credentials: string | undefined
  readonly untilMs: number
}

interface Admitted {
  work: Work
  /** Whose places it counts among: credentials as they are spelt, then a principal. */
  client: string | undefined
}

type GateLimits = Pick<
  typeof LIMITS,
  | 'planningAtOnceMax'
  | 'readingAtOnceMax'
  | 'listingAtOnceMax'
  | 'requestsAtOnceMax'
  | 'refusalsPerSecondMax'
  | 'requestHeldMs'
  | 'requestsHeldMax'
>

interface GateOptions {
  readonly handle: RequestListener
  readonly createId: () => string
  /** Statements that run or wait for an engine process at once. */
  readonly runningAtOnceMax: number
  readonly onRefused: (status: number) => void
  readonly limits?: { readonly [Name in keyof GateLimits]: number }
  readonly time?: SteadyTime
}

export function createOverloadGate(options: GateOptions): OverloadGate {
  const { limits = LIMITS, time = systemTime } = options
  const places = createPlaces({
    planning: limits.planningAtOnceMax,
    running: options.runningAtOnceMax,
    reading: limits.readingAtOnceMax,
    listing: limits.listingAtOnceMax,
    other: limits.requestsAtOnceMax,
  })
  const admitted = new WeakMap<IncomingMessage, Admitted>()
  const refusals = new WeakMap<Socket, Refusal>()
  const isCheap = createRate(limits.refusalsPerSecondMax, time)
  let heldCount = 0

  const admit = (request: IncomingMessage, response: ServerResponse): boolean => {
    const entry = { work: workOf(request), client: credentialsOf(request) }
    if (!places.enter(entry)) return false
    admitted.set(request, entry)
    response.once('close', () => {
      places.leave(entry)
      if (response.statusCode === ERROR_CODES.BUSY.status)
        noteRefusal(request, Number(response.getHeader('retry-after') ?? 0) * 1_000)
    })
    options.handle(request, response)
    return true
  }

  /** Also where a quota refused it. */
  const noteRefusal = (request: IncomingMessage, retryAfterMs: number): void => {
    const untilMs = time.nowMs() + Math.min(retryAfterMs, limits.requestHeldMs)
    refusals.set(request.socket, { credentials: credentialsOf(request), untilMs })
  }

  const refuse = (request: IncomingMessage, response: ServerResponse): void => {
    options.onRefused(ERROR_CODES.BUSY.status)
    sendBusy(response, options.createId())
    noteRefusal(request, LIMITS.requestRetryAfterMs)
  }

  /** Then it is let in or refused as any other. */
  const hold = (request: IncomingMessage, response: ServerResponse, waitMs: number): void => {
    heldCount += 1
    const endWait = time.after(waitMs, () => {
      response.off('close', onClose)
      heldCount -= 1
      if (!admit(request, response)) refuse(request, response)
    })
    const onClose = (): void => {
      endWait()
      heldCount -= 1
    }
    response.once('close', onClose)
  }

  return {
    listener(request, response) {
      if (PROBES.has(request.url ?? '')) {
        options.handle(request, response)
        return
      }
      const mayHold = heldCount < limits.requestsHeldMax
      const tooSoonMs = msTooSoon(refusals.get(request.socket), request, time.nowMs())
      if (tooSoonMs > 0 && mayHold) hold(request, response, tooSoonMs)
      else if (tooSoonMs <= 0 && admit(request, response)) return
      else if (isCheap() || !mayHold) refuse(request, response)
      else hold(request, response, limits.requestHeldMs)
    },
    turnToReading(request) {
      const entry = admitted.get(request)
      return entry === undefined || places.move(entry, { work: 'reading' })
    },
    isWithinShare(request, principalId) {
      const entry = admitted.get(request)
      return entry === undefined || places.move(entry, { client: `principal ${principalId}` })
    },
  }
}

/** @returns whether this is one of the first so many in its second */
function createRate(perSecondMax: number, time: SteadyTime): () => boolean {
  let startedMs = 0
  let count = 0
  return () => {
    const nowMs = time.nowMs()
    if (nowMs - startedMs >= 1_000) {
      startedMs = nowMs
      count = 0
    }
    count += 1
    return count <= perSecondMax
  }
}

/** How many are being handled, of each kind of work and of each client. */
function createPlaces(placesMax: Readonly<Record<Work, number>>) {
  const taken: Record<Work, number> = { planning: 0, running: 0, reading: 0, listing: 0, other: 0 }
  const takenByClient = new Map<string, number>()
  const keyOf = ({ work, client }: Admitted): string | undefined => client && `${work} ${client}`
  const shareOf = (work: Work): number => Math.ceil(placesMax[work] * LIMITS.placesOfClientShareMax)
  const takenBy = (entry: Admitted): number => takenByClient.get(keyOf(entry) ?? '') ?? 0
  const count = (entry: Admitted, change: number): void => {
    taken[entry.work] += change
    const key = keyOf(entry)
    if (key === undefined) return
    const left = (takenByClient.get(key) ?? 0) + change
    if (left > 0) takenByClient.set(key, left)
    else takenByClient.delete(key)
  }
  return {
    enter(entry: Admitted): boolean {
      const { work } = entry
      if (taken[work] >= placesMax[work] || takenBy(entry) >= shareOf(work)) return false
      count(entry, 1)
      return true
    },
    leave(entry: Admitted): void {
      count(entry, -1)
    },
    /** @returns false where it is now one too many, of its client or of all; it keeps its place until it is refused */
    move(entry: Admitted, to: Partial<Admitted>): boolean {
      count(entry, -1)
      Object.assign(entry, to)
      count(entry, 1)
      return taken[entry.work] <= placesMax[entry.work] && takenBy(entry) <= shareOf(entry.work)
    },
  }
}

function msTooSoon(refusal: Refusal | undefined, request: IncomingMessage, nowMs: number): number {
  return refusal && refusal.credentials === credentialsOf(request) ? refusal.untilMs - nowMs : 0
}

/** As the router reads it: the path alone, also of a target that is a whole URL. */
function workOf({ method, url = '' }: IncomingMessage): Work {
  const path = url.startsWith('/') ? url : `/${url.split('/').slice(3).join('/')}`
  return WORK_OF_TARGET.get(`${method} ${path.split(/[?#]/, 1)[0]}`) ?? 'other'
}

function credentialsOf({ headers }: IncomingMessage): string | undefined {
  return headers.authorization ?? headers.cookie
}

function sendBusy(response: ServerResponse, requestId: string): void {
  const retryAfterMs = LIMITS.requestRetryAfterMs
  const message = 'Too much is being handled at once; come back a little later'
  const body: ErrorBody = { error: { code: 'BUSY', message, requestId, details: { retryAfterMs } } }
  response.writeHead(ERROR_CODES.BUSY.status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'retry-after': String(Math.ceil(retryAfterMs / 1_000)),
    [REQUEST_ID_HEADER]: requestId,
  })
  response.end(JSON.stringify(body))
}
