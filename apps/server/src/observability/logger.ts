// Structured logs, one JSON line each. What is logged is chosen here: codes, ids, durations and counts. SQL, names,
// URIs and secrets are not; secrets could not print anyway (redaction.ts).
import { pino, type Logger } from 'pino'

export type { Logger }

export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  return destination ? pino(options, destination) : pino(options)
}
