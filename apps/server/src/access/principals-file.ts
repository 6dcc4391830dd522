// The principals file in force: read at start, and again when it has changed, without a restart.
//
// There is no watcher: whoever asks for the principals has the file looked at, once a second at most, so that a file on a
// mounted volume or behind a swapped link is noticed too. A file that cannot be read or has faults changes nothing: the
// last good one stays in force, and log and readiness say so until it is mended.
import { readFile, stat } from 'node:fs/promises'
import { AppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observability/logger.ts'
import { parsePrincipals, type Principals } from './parse-principals.ts'

export interface PrincipalsFile {
  /** The principals in force. Never fails: a faulty file leaves the last good one. */
  current(signal: AbortSignal): Promise<Principals>
  /** What is wrong with the file as it is now, in words without names; undefined while it is the one in force. */
  readonly problem: string | undefined
}

export interface PrincipalsFileOptions {
  readonly path: string
  readonly clock: Clock
  readonly logger: Logger
}

/** @throws AppError INVALID_REQUEST where the file cannot be read or has faults */
export async function openPrincipalsFile({
  path,
  clock,
  logger,
}: PrincipalsFileOptions): Promise<PrincipalsFile> {
  const flights = createSingleFlight<void>()
  let version = await readVersion(path)
  let principals = await readPrincipals(path)
  let lookedAtMs = clock.nowMs()
  let problem: string | undefined

  // Goes on when its waiters have left: a file half read would be taken for a faulty one.
  const refresh = async (): Promise<void> => {
    lookedAtMs = clock.nowMs()
    const seen = await readVersion(path)
    if (seen === version) return
    version = seen
    try {
      principals = await readPrincipals(path)
      problem = undefined
      logger.info('principals read anew')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problem = 'the principals file has faults; the last good one is in force'
      logger.error({ faults: error.details?.faults }, problem)
    }
  }

  return {
    async current(waiting) {
      if (clock.nowMs() - lookedAtMs >= LIMITS.principalsLookedAtEveryMs)
        await flights.run('', refresh, waiting)
      return principals
    },
    get problem() {
      return problem
    },
  }
}

/** Differs when the file was replaced or written. */
async function readVersion(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true })
    return `${ino}:${size}:${mtimeNs}`
  } catch {
    return 'unreadable'
  }
}

async function readPrincipals(path: string): Promise<Principals> {
  const fail = (faults: readonly string[]): AppError =>
    new AppError('INVALID_REQUEST', `The principals file has faults:\n  ${faults.join('\n  ')}`, {
      details: { faults },
    })
  let text: string
  try {
    const { size } = await stat(path)
    if (size > LIMITS.principalsFileBytesMax)
      throw fail([`is larger than ${LIMITS.principalsFileBytesMax} bytes`])
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw error instanceof AppError ? error : fail(['cannot be read'])
  }
  const parsed = parsePrincipals(text)
  if ('faults' in parsed) throw fail(parsed.faults)
  return parsed
}
