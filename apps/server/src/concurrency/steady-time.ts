// Time as it passes, whatever the date.

/** Time that never goes back, and waits. */
export interface SteadyTime {
  nowMs(): number
  /** @returns what ends the wait before it is over */
  after(waitMs: number, isOver: () => void): () => void
}

export const systemTime: SteadyTime = {
  nowMs: () => performance.now(),
  after: (waitMs, isOver) => {
    const timer = setTimeout(isOver, waitMs)
    return () => {
      clearTimeout(timer)
    }
  },
}
