// Keeps a search going while rows arrive, and what it found in view until another has found something.
import { useEffect, useMemo, useRef, useState } from 'react'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import type { ResultColumn } from './grid-columns.ts'
import { RowSearch, type Matches, type Wanted } from './row-search.ts'

interface MatchesInput extends Wanted {
  buffer: ResultBuffer
  columns: readonly ResultColumn[]
  rowCount: number
}

export interface FoundRows {
  /** Null without a search, and before it has found anything. */
  matches: Matches | null
  /** `matches` are still those of the search before. */
  isPending: boolean
}

const NOTHING: FoundRows = { matches: null, isPending: false }

export function useMatches(input: MatchesInput): FoundRows {
  const { buffer, columns, shown, search, only, rowCount } = input
  const [found, setFound] = useState<{ key: string; matches: Matches } | null>(null)
  const key = search === '' && only === null ? '' : JSON.stringify([shown.join(), search, only])
  const running = useRef<{ search: RowSearch; signal: AbortSignal } | null>(null)
  useEffect(() => {
    if (key === '') return
    const abort = new AbortController()
    const tell = (matches: Matches) => {
      if (!abort.signal.aborted) setFound({ key, matches })
    }
    running.current = {
      search: new RowSearch(buffer, columns, { search, shown, only }, tell),
      signal: abort.signal,
    }
    return () => {
      running.current = null
      abort.abort()
    }
    // `key` holds all that decides; lists and objects in it are new each time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [buffer, columns, key])
  useEffect(() => {
    const { search: rowSearch, signal } = running.current ?? {}
    // A search that is no longer wanted ends by its signal.
    if (signal !== undefined) rowSearch?.goOn(signal).catch(() => undefined)
  }, [buffer, columns, key, rowCount])
  return useMemo(() => {
    if (key === '') return NOTHING
    return { matches: found?.matches ?? null, isPending: found?.key !== key }
  }, [key, found])
}
