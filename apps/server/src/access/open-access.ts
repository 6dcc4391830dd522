// The parts of access put together as configured.
import { API_PREFIX, ROUTES } from '@lake/core/api/contract.ts'
import type { SecretResolver } from '../catalog/secrets.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { AccessConfig } from '../config/access.ts'
import type { TicketKey } from '../config.ts'
import type { Logger } from '../observability/logger.ts'
import { createSealer } from '../sealing/sealer.ts'
import { createAuthenticator, NO_AUTHENTICATION, type Authenticator } from './authenticator.ts'
import { createEndedSessions, type EndedSessions } from './ended-sessions.ts'
import { createOidcClient } from './oidc-client.ts'
import { openPrincipalsFile } from './principals-file.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSignIn, type SignIn } from './sign-in.ts'

export interface Access {
  readonly authenticator: Authenticator
  /** undefined where no authentication is configured. */
  readonly signIn: SignIn | undefined
  readonly sessions: Sessions
}

/** @throws AppError INVALID_REQUEST where the principals file cannot be used */
export async function openAccess(options: {
  readonly config: AccessConfig
  readonly keys: readonly TicketKey[]
  readonly resolver: SecretResolver
  readonly clock: Clock
  readonly logger: Logger
  readonly createId: () => string
  /** Of this process alone where absent. */
  readonly endedSessions?: EndedSessions | undefined
}): Promise<Access> {
  const { config, keys, resolver, clock, logger, createId } = options
  const ended = options.endedSessions ?? createEndedSessions(clock)
  const sessions = createSessions({
    sealer: createSealer({ keys, purpose: 'session' }),
    clock,
    createId,
    ended,
  })
  if (config.principalsFile === undefined && config.oidc === undefined) {
    logger.warn(
      'no authentication is configured: everybody who reaches this loopback address reads everything',
    )
    return { authenticator: NO_AUTHENTICATION, signIn: undefined, sessions }
  }
  const principalsFile =
    config.principalsFile === undefined
      ? undefined
      : await openPrincipalsFile({ path: config.principalsFile, clock, logger })
  const oidc = config.oidc && {
    config: config.oidc,
    client: createOidcClient({
      config: config.oidc,
      redirectUri: new URL(API_PREFIX + ROUTES.finishSignIn.path, config.publicUrl),
      resolver,
      clock,
    }),
  }
  const attemptSealer = createSealer({ keys, purpose: 'sign-in' })
  return {
    authenticator: createAuthenticator({ principalsFile, oidc, sessions, clock }),
    signIn: createSignIn({ principalsFile, oidc: oidc?.client, sessions, attemptSealer, clock }),
    sessions,
  }
}
