// The server's program with leases of a second or two instead of fifteen, so that a test need not wait for them.
import { LIMITS } from '../../src/limits.ts'

Object.assign(LIMITS, { claimLeaseMs: 2_000, heartbeatEveryMs: 200, claimEveryMs: 200, attemptDelayMs: 200 })
await import('../../src/main.ts')
