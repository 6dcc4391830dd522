// The fingerprint of a run's answer for those who ask, made once for each run and only when the answer is whole.
import { useEffect, useState } from 'react'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { hasTopLevelOrder } from '../../sql/blank-literals.ts'
import { columnsOf } from './grid-columns.ts'
import { compareFingerprints, resultFingerprint, type FingerprintVerdict } from './result-fingerprint.ts'

const made = new WeakMap<QueryRun, Promise<string | null>>()

/** Null where the answer is too large, or is not whole. */
export function fingerprintOf(run: QueryRun): Promise<string | null> {
  const { schema } = run.buffer
  if (schema === null || run.snapshot.state.kind !== 'finished') return Promise.resolve(null)
  const known = made.get(run)
  if (known !== undefined) return known
  const { signal } = new AbortController()
  const making = resultFingerprint(run.buffer, columnsOf(schema), hasTopLevelOrder(run.source.sql), signal)
  made.set(run, making)
  return making
}

/** How a finished run compares with the fingerprint that its link brought; null until it is known. */
export function useComparison(run: QueryRun, snapshot: RunSnapshot): FingerprintVerdict | null {
  const [verdict, setVerdict] = useState<{ run: QueryRun; verdict: FingerprintVerdict } | null>(null)
  const expected = run.source.linkedFingerprint
  const isFinished = snapshot.state.kind === 'finished'
  useEffect(() => {
    if (expected === undefined || !isFinished) return
    let isWanted = true
    const compare = async () => {
      const actual = await fingerprintOf(run)
      if (!isWanted) return
      setVerdict({
        run,
        verdict: actual === null ? { kind: 'unknown' } : compareFingerprints(expected, actual),
      })
    }
    void compare()
    return () => {
      isWanted = false
    }
  }, [run, expected, isFinished])
  return verdict?.run === run ? verdict.verdict : null
}
