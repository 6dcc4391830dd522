// One run's lifecycle as a tagged union with one reducer. Rows are elsewhere (result-buffer.ts).
//
// planning  from Run until the server has pinned the tables; Stop aborts the request.
// reading   the ticket is redeemed and rows arrive; progress messages replace each other.
// paused    as reading, but the buffer is full: nothing more is read until the person continues or stops.
// stopping  Stop was pressed; the stream is closed and the server is asked to end the work.
// stopped   ended by Stop. `isConfirmed` is false when the server did not say that its work has ended.
// finished  the closing receipt came: the rows are the whole answer. The only state that may be called exact.
// failed    a failure came, or the stream ended without a closing message. Rows that came are incomplete. A kept result,
//           which is finished before all of its rows are here, fails where a part cannot be had any more.
//
// Events that do not fit a state are dropped: a stream may still deliver what was under way when it was stopped.
import type { FlightInfoResponse } from '@lake/core/api/contract.ts'
import type { Progress } from '@lake/core/api/wire.ts'
import type { Receipt } from '@lake/core/flight/receipt.ts'
import type { ApiError } from '../api/api-error.ts'

export type RunState =
  | { kind: 'planning' }
  | { kind: 'reading'; info: FlightInfoResponse; progress: Progress | null }
  | { kind: 'paused'; info: FlightInfoResponse; progress: Progress | null }
  | { kind: 'stopping'; info: FlightInfoResponse | null; progress: Progress | null }
  | { kind: 'stopped'; info: FlightInfoResponse | null; progress: Progress | null; isConfirmed: boolean }
  | { kind: 'finished'; info: FlightInfoResponse; receipt: Receipt }
  | { kind: 'failed'; info: FlightInfoResponse | null; progress: Progress | null; error: ApiError }

export type RunEvent =
  | { kind: 'planned'; info: FlightInfoResponse }
  | { kind: 'progressed'; progress: Progress }
  | { kind: 'bufferFilled' }
  | { kind: 'continued' }
  | { kind: 'stopRequested' }
  | { kind: 'stopAnswered'; isConfirmed: boolean }
  /** `info` where it is another one than was planned: its ticket is fresher. */
  | { kind: 'receiptArrived'; receipt: Receipt; info?: FlightInfoResponse }
  | { kind: 'failed'; error: ApiError }
  /** Rows of a finished statement cannot be had any more. */
  | { kind: 'rowsLost'; error: ApiError }

export const isRunning = (state: RunState): boolean =>
  state.kind === 'planning' ||
  state.kind === 'reading' ||
  state.kind === 'paused' ||
  state.kind === 'stopping'

/** What the server planned, once it has. */
export const infoOf = (state: RunState): FlightInfoResponse | null =>
  state.kind === 'planning' ? null : state.info

export const progressOf = (state: RunState): Progress | null =>
  state.kind === 'planning' || state.kind === 'finished' ? null : state.progress

export function reduceRun(state: RunState, event: RunEvent): RunState {
  switch (event.kind) {
    case 'planned':
      return state.kind === 'planning' ? { kind: 'reading', info: event.info, progress: null } : state
    case 'progressed':
      return state.kind === 'reading' || state.kind === 'paused'
        ? { ...state, progress: event.progress }
        : state
    case 'bufferFilled':
      return state.kind === 'reading' ? { ...state, kind: 'paused' } : state
    case 'continued':
      return state.kind === 'paused' ? { ...state, kind: 'reading' } : state
    case 'stopRequested':
      return isRunning(state) && state.kind !== 'stopping'
        ? { kind: 'stopping', info: infoOf(state), progress: progressOf(state) }
        : state
    case 'stopAnswered':
      return state.kind === 'stopping' ? { ...state, kind: 'stopped', isConfirmed: event.isConfirmed } : state
    case 'receiptArrived':
      return state.kind === 'reading' || state.kind === 'paused'
        ? { kind: 'finished', info: event.info ?? state.info, receipt: event.receipt }
        : state
    case 'rowsLost':
      return state.kind === 'finished'
        ? { kind: 'failed', info: state.info, progress: null, error: event.error }
        : state
    case 'failed':
      return isRunning(state) && state.kind !== 'stopping'
        ? { kind: 'failed', info: infoOf(state), progress: progressOf(state), error: event.error }
        : state
  }
}
