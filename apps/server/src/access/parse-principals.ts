// The principals file: who may sign in with which tokens, and the namespaces granted to each. Parsed whole or not at all.
// Faults name places in the file, never what stands there.
import { timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { parseGrant } from '@lake/core/access/grants.ts'
import type { Principal } from '@lake/core/access/principal.ts'
import { LIMITS } from '../limits.ts'

export interface Principals {
  /** The holder of the token with this digest, unless it has expired. */
  findByDigest(digest: Buffer, nowMs: number): TokenHolder | undefined
  /** The principal of this id as the file has it now. */
  find(id: string): Principal | undefined
}

export interface TokenHolder {
  readonly principal: Principal
  /** When the token ends; undefined: when it is taken out of the file. */
  readonly expiresAtMs: number | undefined
}

const token = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  /** For whoever keeps the file. */
  note: z.string().optional(),
})

const file = z.strictObject({
  principals: z
    .array(
      z.strictObject({
        name: z
          .string()
          .min(1)
          .max(LIMITS.principalNameCharsMax)
          // Names are shown and written to the audit log.
          .regex(/^[^\p{C}]+$/u, 'must not hold control characters'),
        namespaces: z.array(z.union([z.string(), z.array(z.string())])),
        tokens: z.array(token),
      }),
    )
    .max(LIMITS.principalsMax),
})

/** @returns the principals, or every fault in words */
export function parsePrincipals(text: string): Principals | { readonly faults: readonly string[] } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { faults: ['is not JSON'] }
  }
  const parsed = file.safeParse(json)
  if (!parsed.success) {
    return {
      faults: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'file'}: ${message}`),
    }
  }
  const faults: string[] = []
  const byId = new Map<string, Principal>()
  const holders: (TokenHolder & { readonly digest: Buffer })[] = []
  const digests = new Set<string>()
  for (const [index, { name, namespaces, tokens }] of parsed.data.principals.entries()) {
    const grants = namespaces.flatMap((written, place) => {
      const grant = parseGrant(written)
      if (grant === undefined) faults.push(`principals.${index}.namespaces.${place}: has an empty level`)
      return grant === undefined ? [] : [grant]
    })
    const principal = { id: `file:${name}`, name, grants }
    if (byId.has(principal.id)) faults.push(`principals.${index}.name: is there twice`)
    byId.set(principal.id, principal)
    for (const [place, { sha256, expiresAt }] of tokens.entries()) {
      if (digests.has(sha256)) faults.push(`principals.${index}.tokens.${place}: is there twice`)
      digests.add(sha256)
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt)
      holders.push({ principal, expiresAtMs, digest: Buffer.from(sha256, 'hex') })
    }
  }
  return faults.length > 0 ? { faults } : { findByDigest: indexHolders(holders), find: (id) => byId.get(id) }
}

/** Found by the first bytes of the digest, which are no secret, and decided in constant time by all of them. */
function indexHolders(
  holders: readonly (TokenHolder & { readonly digest: Buffer })[],
): Principals['findByDigest'] {
  const byStart = Map.groupBy(holders, ({ digest }) => digest.readUInt32BE(0))
  return (digest, nowMs) =>
    byStart
      .get(digest.readUInt32BE(0))
      ?.find(
        ({ digest: known, expiresAtMs }) =>
          timingSafeEqual(known, digest) && (expiresAtMs === undefined || nowMs < expiresAtMs),
      )
}
