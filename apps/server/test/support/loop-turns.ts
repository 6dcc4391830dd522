// How long the event loop of this thread was held at once, by the thread's own processor time, to which other processes add
// nothing.

/** Starts to watch. @returns ends it and tells the longest processor time of one turn, in ms */
export function watchTurns(): () => number {
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let isRunning = true
  let last = cpuMs()
  let longestMs = 0
  const turn = (): void => {
    const now = cpuMs()
    longestMs = Math.max(longestMs, now - last)
    last = now
    if (isRunning) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    isRunning = false
    return longestMs
  }
}
