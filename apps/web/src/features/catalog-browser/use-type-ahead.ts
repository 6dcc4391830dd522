// Letters that are typed in a list lead to the next row that begins with them.
import { useCallback, useRef } from 'react'
import { TYPE_AHEAD_MS } from '../../limits.ts'
import { typedInTree, type TreeRow } from './tree-rows.ts'

/** @returns what a key leads to: the id of a row, or null where it is no letter or no row begins so */
export function useTypeAhead(): (rows: readonly TreeRow[], focusedId: string, key: string) => string | null {
  const typed = useRef({ text: '', atMs: 0 })
  return useCallback((rows, focusedId, key) => {
    const now = performance.now()
    const isGoingOn = typed.current.text !== '' && now - typed.current.atMs < TYPE_AHEAD_MS
    if (key.length !== 1 || (key === ' ' && !isGoingOn)) return null
    const text = isGoingOn ? typed.current.text + key : key
    typed.current = { text, atMs: now }
    return typedInTree(rows, focusedId, text)
  }, [])
}
