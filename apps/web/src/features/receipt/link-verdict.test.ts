import { describe, expect, it } from 'vitest'
import type { FlightInfoResponse } from '@lake/core/api/contract.ts'
import { ApiError } from '../../api/api-error.ts'
import type { RunState } from '../../query-run/run-state.ts'
import { linkVerdict } from './LinkVerdict.tsx'

const info: FlightInfoResponse = { statementId: 's', schema: [], ticket: 't', expiresAtMs: 0, tables: [] }
const receipt = { statementId: 's', tables: [], rowCount: 4, elapsedMs: 5, engine: 'e' }
const finished: RunState = { kind: 'finished', info, receipt }
const failed = (code: string): RunState => ({
  kind: 'failed',
  info: null,
  progress: null,
  error: new ApiError(code, 'x'),
})
const textOf = (state: RunState, kind: 'identical' | 'differs' | 'otherOrder' | 'unknown' | null) =>
  linkVerdict(state, kind === null ? null : { kind }, false).text

describe('[LK2] the verdict on a linked answer', () => {
  it('is not given before the answer is whole', () => {
    expect(textOf({ kind: 'planning' }, null)).toBe('comparing')
    expect(textOf({ kind: 'reading', info, progress: null }, 'identical')).toBe('comparing')
    expect(textOf({ kind: 'stopped', info, progress: null, isConfirmed: true }, 'identical')).toBe(
      'not compared',
    )
    expect(textOf(failed('STORAGE_UNAVAILABLE'), 'identical')).toBe('not compared')
  })

  it('tells identical, different and gone apart', () => {
    expect(textOf(finished, 'identical')).toBe('identical')
    expect(textOf(finished, 'otherOrder')).toBe('identical rows')
    expect(textOf(finished, 'differs')).toBe('differs')
    expect(textOf(finished, 'unknown')).toBe('not compared')
    expect(textOf(failed('SNAPSHOT_EXPIRED'), null)).toBe('expired')
    expect(textOf(failed('NO_SUCH_SNAPSHOT'), null)).toBe('expired')
  })

  it('says when a difference may come from a limit', () => {
    expect(linkVerdict(finished, { kind: 'differs' }, true).detail).toContain('some rows of more')
    expect(linkVerdict(finished, { kind: 'differs' }, false).detail).not.toContain('some rows of more')
  })
})
