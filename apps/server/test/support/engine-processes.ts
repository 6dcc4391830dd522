// The engine processes of the server under test, for tests that end one, and how much they have worked: processor time, to
// which a busy machine adds nothing.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The kernel counts processor time in these. */
const TICK_MS = 10

/** Processes of the engine that this process started. */
export function engineProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
        return (
          Number(parent) === process.pid &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('engine-process')
        )
      } catch {
        return false
      }
    })
}

/**
 * Starts to count. @returns tells the processor time since, in ms, of the engine processes that are there now. Those that ended
 * count nothing, and neither does what replaces them: that it starts is none of the work that a statement is stopped from.
 */
export function countEngineWork(): () => number {
  const before = workByProcess()
  return () => {
    let workedMs = 0
    for (const [pid, ms] of before) workedMs += Math.max(0, workOf(pid) - ms)
    return workedMs
  }
}

/** As `countEngineWork`, with the processes that start meanwhile. */
function countAllEngineWork(): () => number {
  const before = workByProcess()
  return () => {
    let workedMs = 0
    for (const [pid, ms] of workByProcess()) workedMs += ms - (before.get(pid) ?? 0)
    return workedMs
  }
}

/** Waits until the engine is at work: has computed for a tenth of a second. */
export async function untilEngineWorks(): Promise<void> {
  const workedMs = countAllEngineWork()
  while (workedMs() < 100) await sleep(10)
}

/** Waits until the engine has stopped: computes next to nothing for a while. */
export async function untilEngineRests(): Promise<void> {
  for (;;) {
    const workedMs = countAllEngineWork()
    await sleep(300)
    if (workedMs() <= TICK_MS) return
  }
}

function workByProcess(): Map<number, number> {
  return new Map(engineProcesses().map((pid) => [pid, workOf(pid)]))
}

function workOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return 0
  }
}
