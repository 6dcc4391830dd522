// Which parts of our code have run, by the engine's own counts: for runs that keep every input which reached a new one.
import { Session } from 'node:inspector/promises'

export interface Coverage {
  /** True where something ran that had not run in any call before. */
  hasGrown(): Promise<boolean>
}

/** Of sources under `src`, block by block. */
export async function startCoverage(): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const seen = new Set<string>()
  return {
    async hasGrown() {
      // Counts start again with each call.
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const before = seen.size
      for (const { url, functions } of result) {
        if (!url.includes('/src/') || url.includes('/node_modules/')) continue
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            if (count > 0) seen.add(`${url} ${startOffset} ${endOffset}`)
          }
        }
      }
      return seen.size > before
    },
  }
}
