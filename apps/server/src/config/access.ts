// Who is answered, and where.
import { isIP } from 'node:net'
import { parseGrant } from '@lake/core/access/grants.ts'
import type { Grant } from '@lake/core/access/principal.ts'
import type { SecretSetting } from '../catalog/secrets.ts'
import { LIMITS } from '../limits.ts'
import { isLoopbackHost, VARIABLES, type Address, type Reader } from './reader.ts'

export interface AccessConfig {
  readonly http: Address
  /** Where people open the workbench; undefined: on this server's own loopback address. */
  readonly publicUrl: URL | undefined
  /** undefined, and no identity provider either: no authentication. */
  readonly principalsFile: string | undefined
  readonly oidc: OidcConfig | undefined
  readonly quotas: QuotaConfig
  /** undefined: no audit log. */
  readonly audit: AuditConfig | undefined
  /** Addresses and networks whose `X-Forwarded-For` is believed; none: the peer is the client. */
  readonly trustedProxies: readonly string[]
}

/** Of one principal, in one server. */
export interface QuotaConfig {
  readonly requestsPerMinuteMax: number
  readonly statementsMax: number
  /** Infinity: no bound. */
  readonly bytesPerDayMax: number
}

export interface AuditConfig {
  /** undefined: standard output. */
  readonly file: string | undefined
  readonly sqlMode: 'full' | 'hash' | 'none'
}

export interface OidcConfig {
  readonly issuer: URL
  readonly clientId: string
  /** undefined: a public client, proved by PKCE alone. */
  readonly clientSecret: SecretSetting | undefined
  readonly scope: string
  readonly nameClaim: string
  readonly grantsClaim: string
  /** Grants by value of the grants claim; `*` is whoever signs in. */
  readonly grants: ReadonlyMap<string, readonly Grant[]>
  /** `aud` of bearer tokens for the API; undefined: none are taken. */
  readonly audience: string | undefined
}

/** Beyond loopback there is authentication, and TLS before it. */
export function readAccess(reader: Reader): AccessConfig {
  const http = reader.address('LAKE_HTTP_ADDR') ?? { host: '127.0.0.1', port: 8321 }
  const publicUrl = reader.url('LAKE_PUBLIC_URL')
  const hasPublicUrl = reader.text('LAKE_PUBLIC_URL') !== undefined
  const principalsFile = reader.text('LAKE_PRINCIPALS')
  const oidc = readOidc(reader)
  const isAuthenticated = principalsFile !== undefined || reader.text('LAKE_OIDC_ISSUER') !== undefined
  if (publicUrl && publicUrl.pathname !== '/') reader.fault('LAKE_PUBLIC_URL', 'must have no path')
  if (!isAuthenticated) {
    if (!isLoopbackHost(http.host))
      reader.fault('LAKE_HTTP_ADDR', 'must be a loopback address: no authentication is configured')
    if (hasPublicUrl)
      reader.fault('LAKE_PUBLIC_URL', 'needs authentication: set LAKE_PRINCIPALS or LAKE_OIDC_ISSUER')
  } else if (!isLoopbackHost(http.host) && !hasPublicUrl) {
    reader.fault(
      'LAKE_PUBLIC_URL',
      'is required beyond loopback: the https: address of the proxy before this server',
    )
  }
  if (oidc && !hasPublicUrl)
    reader.fault('LAKE_PUBLIC_URL', 'is required with LAKE_OIDC_ISSUER, which sends people back to it')
  const quotas = {
    requestsPerMinuteMax: reader.integer('LAKE_PRINCIPAL_REQUESTS_PER_MINUTE_MAX', 1_200, 1),
    statementsMax: reader.integer('LAKE_PRINCIPAL_STATEMENTS_MAX', 4, 1),
    bytesPerDayMax: reader.integer('LAKE_PRINCIPAL_BYTES_PER_DAY_MAX', Number.POSITIVE_INFINITY, 1),
  }
  return {
    http,
    publicUrl,
    principalsFile,
    oidc,
    quotas,
    audit: readAudit(reader),
    trustedProxies: readProxies(reader),
  }
}

function readAudit(reader: Reader): AuditConfig | undefined {
  const sink = reader.text('LAKE_AUDIT_SINK')
  const sqlMode = reader.choice('LAKE_AUDIT_SQL', ['full', 'hash', 'none'] as const) ?? 'hash'
  if (sink === undefined) {
    if (reader.text('LAKE_AUDIT_SQL') !== undefined) reader.fault('LAKE_AUDIT_SQL', 'needs LAKE_AUDIT_SINK')
    return undefined
  }
  if (sink === 'stdout') return { file: undefined, sqlMode }
  const file = /^file:(.+)$/.exec(sink)?.[1]
  if (file === undefined) reader.fault('LAKE_AUDIT_SINK', 'must be stdout or file:<path>')
  return { file, sqlMode }
}

/** Never a hop count or "all": whoever is believed is named. */
function readProxies(reader: Reader): readonly string[] {
  const proxies = (reader.text('LAKE_TRUSTED_PROXIES') ?? '').split(',').flatMap((part) => part.trim() || [])
  for (const proxy of proxies) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(proxy) ?? []
    const family = isIP(address)
    if (family === 0 || Number(bits ?? 0) > (family === 4 ? 32 : 128))
      reader.fault(
        'LAKE_TRUSTED_PROXIES',
        'must be addresses or networks such as 10.0.0.0/8, parted by commas',
      )
  }
  return proxies
}

function readOidc(reader: Reader): OidcConfig | undefined {
  const issuer = reader.url('LAKE_OIDC_ISSUER')
  const clientId = reader.text('LAKE_OIDC_CLIENT_ID')
  const settings = {
    clientSecret: reader.secret('LAKE_OIDC_CLIENT_SECRET'),
    scope: reader.text('LAKE_OIDC_SCOPE') ?? 'openid profile email',
    nameClaim: reader.text('LAKE_OIDC_NAME_CLAIM') ?? 'email',
    grantsClaim: reader.text('LAKE_OIDC_GRANTS_CLAIM') ?? 'groups',
    grants: readGrants(reader),
    audience: reader.text('LAKE_OIDC_AUDIENCE'),
  }
  if (reader.text('LAKE_OIDC_ISSUER') === undefined) {
    for (const name of VARIABLES.filter((variable) => variable.startsWith('LAKE_OIDC_')))
      if (reader.text(name) !== undefined) reader.fault(name, 'needs LAKE_OIDC_ISSUER')
    return undefined
  }
  if (clientId === undefined) reader.fault('LAKE_OIDC_CLIENT_ID', 'is required with LAKE_OIDC_ISSUER')
  if (!settings.scope.split(' ').includes('openid')) reader.fault('LAKE_OIDC_SCOPE', 'must have openid in it')
  return issuer && clientId !== undefined ? { issuer, clientId, ...settings } : undefined
}

/** A JSON object from values of the claim to grants, as in the principals file. */
function readGrants(reader: Reader): ReadonlyMap<string, readonly Grant[]> {
  const name = 'LAKE_OIDC_GRANTS'
  const text = reader.text(name)
  const fault = (): ReadonlyMap<string, readonly Grant[]> => {
    reader.fault(
      name,
      'must be a JSON object such as {"analysts":["analytics",["models","v2"]],"admins":["*"]}',
    )
    return new Map()
  }
  if (text === undefined) return new Map()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return fault()
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fault()
  const entries = Object.entries(value as Record<string, unknown>)
  if (entries.length > LIMITS.oidcGrantsMax) return fault()
  const grants = new Map<string, readonly Grant[]>()
  for (const [key, written] of entries) {
    const parsed = Array.isArray(written) ? written.map(parseWrittenGrant) : [undefined]
    if (!parsed.every((grant) => grant !== undefined)) return fault()
    grants.set(key, parsed)
  }
  return grants
}

function parseWrittenGrant(written: unknown): Grant | undefined {
  const isLevels = Array.isArray(written) && written.every((level) => typeof level === 'string')
  return typeof written === 'string' || isLevels ? parseGrant(written) : undefined
}
