// The wall clock for texts that grow old, such as "14 min ago".
import { useEffect, useState } from 'react'

/** Milliseconds since the epoch, read anew every `intervalMs`; still while `isRunning` is false. */
export function useNow(intervalMs: number, isRunning = true): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs, isRunning])
  return now
}
