import { describe, expect, it } from 'vitest'
import type { FlightInfoResponse } from '@lake/core/api/contract.ts'
import type { Progress } from '@lake/core/api/wire.ts'
import { ApiError } from '../api/api-error.ts'
import { isRunning, reduceRun, type RunEvent, type RunState } from './run-state.ts'

const info: FlightInfoResponse = { statementId: 's', schema: [], ticket: 't', expiresAtMs: 0, tables: [] }
const progress: Progress = {
  kind: 'progress',
  phase: 'reading',
  filesRead: 1,
  filesPlanned: 2,
  bytesRead: 3,
  bytesPlanned: 100,
  rowCount: 4,
  elapsedMs: 5,
}
const receipt = { statementId: 's', tables: [], rowCount: 4, elapsedMs: 5, engine: 'e' }
const error = new ApiError('STORAGE_UNAVAILABLE', 'x')

const after = (...events: RunEvent[]): RunState => events.reduce<RunState>(reduceRun, { kind: 'planning' })

describe('a run', () => {
  it('goes from planning by reading to finished', () => {
    const state = after(
      { kind: 'planned', info },
      { kind: 'progressed', progress },
      { kind: 'receiptArrived', receipt },
    )
    expect(state).toEqual({ kind: 'finished', info, receipt })
  })

  it('pauses for a full buffer and goes on', () => {
    const paused = after({ kind: 'planned', info }, { kind: 'bufferFilled' })
    expect(paused.kind).toBe('paused')
    expect(reduceRun(paused, { kind: 'continued' }).kind).toBe('reading')
  })

  it('keeps its progress when it is stopped, and drops what arrives late', () => {
    const stopping = after(
      { kind: 'planned', info },
      { kind: 'progressed', progress },
      { kind: 'stopRequested' },
    )
    expect(stopping).toEqual({ kind: 'stopping', info, progress })
    expect(reduceRun(stopping, { kind: 'receiptArrived', receipt })).toBe(stopping)
    expect(reduceRun(stopping, { kind: 'failed', error })).toBe(stopping)
    expect(reduceRun(stopping, { kind: 'stopAnswered', isConfirmed: false })).toEqual({
      kind: 'stopped',
      info,
      progress,
      isConfirmed: false,
    })
  })

  it('never leaves an end', () => {
    const events: RunEvent[] = [
      { kind: 'planned', info },
      { kind: 'progressed', progress },
      { kind: 'bufferFilled' },
      { kind: 'continued' },
      { kind: 'stopRequested' },
      { kind: 'stopAnswered', isConfirmed: true },
      { kind: 'receiptArrived', receipt },
      { kind: 'failed', error },
    ]
    const ends: RunState[] = [
      { kind: 'finished', info, receipt },
      { kind: 'failed', info: null, progress: null, error },
      { kind: 'stopped', info, progress, isConfirmed: true },
    ]
    for (const end of ends) {
      expect(isRunning(end)).toBe(false)
      for (const event of events) expect(reduceRun(end, event)).toBe(end)
    }
  })
})
