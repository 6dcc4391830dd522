// What an identity provider says of a person, as a principal: pure, and the one place that reads claims.
import type { Grant, Principal } from '@lake/core/access/principal.ts'
import type { OidcConfig } from '../config/access.ts'
import { LIMITS } from '../limits.ts'

export interface OidcIdentity {
  readonly subject: string
  readonly name: string
  /** Values of the grants claim that the configuration knows, so that a long list of groups takes no room. */
  readonly values: readonly string[]
}

/** Granted to whoever signs in. */
const EVERYBODY = '*'

/** @returns undefined where the claims name nobody */
export function readIdentity(
  claims: Readonly<Record<string, unknown>>,
  config: Pick<OidcConfig, 'nameClaim' | 'grantsClaim' | 'grants'>,
): OidcIdentity | undefined {
  const { sub } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > LIMITS.principalNameCharsMax) return undefined
  const claimed = claims[config.nameClaim]
  const name = typeof claimed === 'string' ? plainName(claimed) : ''
  const listed = claims[config.grantsClaim]
  // One value comes as a text from some providers.
  const values = new Set(Array.isArray(listed) ? (listed as unknown[]) : [listed])
  const known = [...config.grants.keys()].filter((value) => value !== EVERYBODY && values.has(value))
  return { subject: sub, name: name === '' ? sub : name, values: known }
}

/** What the ids of the provider's principals begin with, and no others. */
export const idPrefixOf = ({ issuer }: Pick<OidcConfig, 'issuer'>): string => `oidc:${issuer.href}|`

export function principalOf(
  { subject, name, values }: OidcIdentity,
  { issuer, grants }: Pick<OidcConfig, 'issuer' | 'grants'>,
): Principal {
  const granted = [EVERYBODY, ...values].flatMap((value): readonly Grant[] => grants.get(value) ?? [])
  return { id: idPrefixOf({ issuer }) + subject, name, grants: granted }
}

/** Names are shown, and written to the audit log. */
function plainName(text: string): string {
  return text.replaceAll(/\p{C}/gu, '').trim().slice(0, LIMITS.principalNameCharsMax)
}
