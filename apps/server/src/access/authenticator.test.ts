// Who submitted a statement, looked for again when it is run.
import { describe, expect, it } from 'vitest'
import { ANYBODY, type Principal } from '@lake/core/access/principal.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { LIMITS } from '../limits.ts'
import { createAuthenticator, NO_AUTHENTICATION } from './authenticator.ts'
import { principalOf } from './oidc-identity.ts'
import { parsePrincipals } from './parse-principals.ts'

const never = new AbortController().signal
const config = { issuer: new URL('https://id.example/'), grants: new Map([['*', [['public']]]]) }
const clock = createManualClock()
const startMs = clock.nowMs()

function authenticatorWith(namespaces: readonly string[] | undefined) {
  const principals = namespaces === undefined ? [] : [{ name: 'ada', namespaces, tokens: [] }]
  const parsed = parsePrincipals(JSON.stringify({ principals }))
  if ('faults' in parsed) throw new Error(parsed.faults.join())
  const principalsFile = { current: () => Promise.resolve(parsed), problem: undefined }
  const parts = { principalsFile, oidc: { config, client: {} }, sessions: {}, clock }
  return createAuthenticator(parts as unknown as Parameters<typeof createAuthenticator>[0])
}
const ada: Principal = { id: 'file:ada', name: 'ada', grants: [['a'], ['b']] }
const eve = principalOf({ subject: 'eve', name: 'Eve', values: [] }, config)

describe('[ST14] a principal that is looked for again', () => {
  it('has the grants of the principals file as it is now, or is gone', async () => {
    expect(await authenticatorWith(['b', 'c']).findAgain(ada, startMs, never)).toEqual({
      ...ada,
      grants: [['b'], ['c']],
    })
    expect(await authenticatorWith(undefined).findAgain(ada, startMs, never)).toBeUndefined()
  })

  it('of the provider keeps what it had for as long as a session, and of another provider is nobody', async () => {
    const authenticator = authenticatorWith(['b'])
    const stranger = principalOf(
      { subject: 'eve', name: 'Eve', values: [] },
      { ...config, issuer: new URL('https://other.example/') },
    )
    expect(await authenticator.findAgain(eve, startMs, never)).toEqual(eve)
    expect(await authenticator.findAgain(stranger, startMs, never)).toBeUndefined()
    clock.advance(LIMITS.sessionLifetimeMs - 1)
    expect(await authenticator.findAgain(eve, startMs, never)).toEqual(eve)
    clock.advance(1)
    expect(await authenticator.findAgain(eve, startMs, never)).toBeUndefined()
  })

  it('is anybody only where nobody signs in, then and now', async () => {
    expect(await NO_AUTHENTICATION.findAgain(ANYBODY, startMs, never)).toEqual(ANYBODY)
    expect(await NO_AUTHENTICATION.findAgain(ada, startMs, never)).toBeUndefined()
    expect(await authenticatorWith(['b']).findAgain(ANYBODY, startMs, never)).toBeUndefined()
  })
})
