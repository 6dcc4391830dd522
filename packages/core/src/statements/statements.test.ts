import { describe, expect, it } from 'vitest'
import { ERROR_CODES, type ErrorCode } from '../errors.ts'
import { afterFailure } from './claim.ts'
import { manifestFault, pointerFault, type ResultManifest } from './result-manifest.ts'
import { progressShare, type StatementState } from './statement.ts'

describe('[SM1] the share of a statement that is done', () => {
  const share = (state: StatementState, bytesRead: number, bytesPlanned: number) =>
    progressShare({ state, progress: { bytesRead, bytesPlanned, rowCount: 0 } })

  it('is that of the planned bytes, and whole for nothing but a finished one', () => {
    expect(share('queued', 0, 0)).toBe(0)
    expect(share('running', 50, 200)).toBe(0.25)
    expect(share('running', 300, 200)).toBe(0.99)
    expect(share('failed', 200, 200)).toBe(0.99)
    expect(share('finished', 0, 0)).toBe(1)
  })
})

describe('[SM2] a failed attempt', () => {
  const limits = { attemptsMax: 3, delayMs: 100, unreadableForMs: 1_000 }
  const attempt = (attemptCount: number, unreadableMs = 1_000) => ({ attemptCount, unreadableMs })

  it('is followed by another, later each time, where its code may heal and attempts are left', () => {
    expect(afterFailure('STORAGE_UNAVAILABLE', attempt(1), limits)).toMatchObject({
      kind: 'retry',
      delayMs: 100,
    })
    expect(afterFailure('STORAGE_UNAVAILABLE', attempt(2), limits)).toMatchObject({
      kind: 'retry',
      delayMs: 200,
    })
    expect(afterFailure('STORAGE_UNAVAILABLE', attempt(3), limits)).toEqual({ kind: 'fail' })
  })

  it('does not count where the server was full', () => {
    expect(afterFailure('BUSY', attempt(3), limits)).toMatchObject({ kind: 'retry', isAttemptCounted: false })
  })

  it('is another server’s to try, uncounted, where this one cannot open the statement, for a while', () => {
    const next = { kind: 'retry', delayMs: 100, isAttemptCounted: false }
    expect(afterFailure('STATEMENT_UNREADABLE', attempt(3, 999), limits)).toEqual(next)
    expect(afterFailure('STATEMENT_UNREADABLE', attempt(1, 1_000), limits)).toEqual({ kind: 'fail' })
  })

  it('is final for every other code, and for a deadline', () => {
    const codes = Object.keys(ERROR_CODES) as ErrorCode[]
    const final = codes.filter((code) => afterFailure(code, attempt(1), limits).kind === 'fail')
    expect(final).toEqual(
      codes.filter(
        (code) => !ERROR_CODES[code].isRetryable || code === 'DEADLINE_EXCEEDED' || code === 'QUOTA_EXCEEDED',
      ),
    )
    expect(final).toContain('SNAPSHOT_EXPIRED')
  })
})

describe('[SM3] a manifest', () => {
  const part = { rowStart: 0, rowCount: 2, byteCount: 10, sha256: 'a'.repeat(64) }
  const manifest: ResultManifest = {
    formatVersion: 1,
    statementId: 's',
    fencingToken: 1,
    schema: [],
    parts: [part, { ...part, rowStart: 2, rowCount: 3 }],
    rowCount: 5,
    byteCount: 20,
    receipt: { statementId: 's', tables: [], rowCount: 5, elapsedMs: 1, engine: 'e' },
  }

  it('fits together, or says where it does not', () => {
    expect(manifestFault(manifest)).toBeUndefined()
    const { receipt, parts } = manifest
    const faulty: Partial<ResultManifest>[] = [
      { parts: parts.slice(1) },
      { parts: parts.slice(0, 1) },
      { parts: [part, part] },
      { rowCount: 6 },
      { byteCount: 21 },
      { receipt: { ...receipt, rowCount: 4 } },
      { receipt: { ...receipt, statementId: 't' } },
    ]
    for (const change of faulty)
      expect(manifestFault({ ...manifest, ...change }), JSON.stringify(change)).toBeTypeOf('string')
  })

  it('is the one that was committed, or is not believed', () => {
    const pointer = { fencingToken: 1, sha256: 'x', partCount: 2, rowCount: 5, byteCount: 20 }
    expect(pointerFault(manifest, pointer)).toBeUndefined()
    for (const key of ['fencingToken', 'partCount', 'rowCount', 'byteCount'] as const)
      expect(pointerFault(manifest, { ...pointer, [key]: 9 }), key).toBeTypeOf('string')
  })
})
