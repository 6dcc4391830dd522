// Structured logs, one JSON line each. What is logged is chosen here: codes, ids, durations and counts. SQL, names,
// URIs and secrets are not; secrets could not print anyway (redaction.ts).
import type { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'
import { LIMITS } from '../limits.ts'

export type { Logger }

export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Where the lines of the process go. Whoever reads them may be slow or gone: then lines wait in a bounded queue, and what does
 * not fit is dropped, which the next line that fits says.
 */
export function createLogDestination(stream: Writable): { write(line: string): void } {
  let droppedCount = 0
  stream.on('error', () => undefined)
  return {
    write(line) {
      if (stream.writableLength + line.length > LIMITS.logWaitingBytesMax) {
        droppedCount += 1
        return
      }
      if (droppedCount > 0) stream.write(droppedLine(droppedCount))
      droppedCount = 0
      stream.write(line)
    },
  }
}

function droppedLine(droppedCount: number): string {
  return `${JSON.stringify({ level: pino.levels.values['warn'], droppedCount, msg: 'lines of this log were dropped' })}\n`
}
