// Time comes in through this, so that tests can hold it still.

export interface Clock {
  /** Milliseconds since 1970, as people's clocks say. */
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }
