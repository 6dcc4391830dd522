// The engine processes of the server under test, for tests that end one.
import { readdirSync, readFileSync } from 'node:fs'

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
