// Opens what replicas share, where a store is configured, and keeps it up to date while the server runs.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { SecretResolver } from '../catalog/secrets.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { StateConfig } from '../config/state.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observability/logger.ts'
import { connectToState } from '../statements/open-statement-store.ts'
import { openReplicaStore } from './replica-store.ts'
import { createSharedAccess, type SharedAccess } from './shared-access.ts'

/** Beside the statements' file, so that neither waits for the other. */
const SQLITE_FILE = 'replicas.db'

/** @throws AppError STATEMENTS_UNAVAILABLE */
export async function openSharedAccess(
  state: StateConfig,
  parts: {
    readonly clock: Clock
    readonly resolver: SecretResolver
    readonly logger: Logger
    readonly stack: AsyncDisposableStack
  },
): Promise<SharedAccess> {
  const { clock, resolver, logger, stack } = parts
  const connection = await connectToState(state, SQLITE_FILE, resolver)
  const store = stack.use(await openReplicaStore(connection, clock.nowMs()))
  const shared = createSharedAccess({ store, clock, replicaId: randomUUID() })
  await shared.round()
  const ended = new AbortController()
  stack.defer(() => {
    ended.abort()
  })
  void keepUpToDate(shared, logger, ended.signal)
  return shared
}

/** Says when it no longer can, and when it can again. */
async function keepUpToDate(shared: SharedAccess, logger: Logger, signal: AbortSignal): Promise<void> {
  let said: string | undefined
  while (await slept(signal)) {
    await shared.round().catch(() => undefined)
    if (shared.problem !== said) logger.warn(shared.problem ?? 'sign-outs and quotas are shared again')
    said = shared.problem
  }
}

/** @returns false where `signal` has ended it */
async function slept(signal: AbortSignal): Promise<boolean> {
  try {
    await sleepFor(LIMITS.replicasEveryMs, undefined, { signal, ref: false })
    return true
  } catch {
    return false
  }
}
