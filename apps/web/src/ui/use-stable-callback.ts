// A callback whose identity never changes, for libraries that begin anew whatever depends on one that does. Calls what was
// given last; not to be called while rendering.
import { useCallback, useLayoutEffect, useRef } from 'react'

export function useStableCallback<Args extends readonly unknown[], Result>(
  callback: (...args: Args) => Result,
): (...args: Args) => Result {
  const latest = useRef(callback)
  useLayoutEffect(() => {
    latest.current = callback
  })
  return useCallback((...args) => latest.current(...args), [])
}
