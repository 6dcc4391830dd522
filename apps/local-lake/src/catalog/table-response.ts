// LoadTableResult as text: the metadata goes in as the text of its file, so that no number of it is rewritten. Also what
// readers of the table need to reach its files: the store's address, and credentials for this table where they ask.
import { createHash } from 'node:crypto'
import { LIMITS } from '../limits.ts'
import type { CredentialIssuer } from '../s3/credentials.ts'
import { asObject, asObjects, asLong, formatJson, parseJson } from './json.ts'
import type { JsonObject } from './json.ts'
import type { LoadedTable } from './catalog.ts'

const REGION = 'us-east-1'

export interface StorageAccess {
  readonly endpoint: string
  readonly issuer: CredentialIssuer
  readonly isVending: boolean
  /** Whether clients are told where the store is; otherwise they must know. */
  readonly isAddressServed: boolean
  readonly clock: () => number
}

/** Properties that lead to the store, without any credential; none where clients must know by themselves. */
function storageConfig(access: StorageAccess): Record<string, string> {
  if (!access.isAddressServed) return {}
  return { 's3.endpoint': access.endpoint, 'client.region': REGION, 's3.path-style-access': 'true' }
}

/** One entry for each prefix of the table; empty when this catalog does not vend. */
export function storageCredentials(table: LoadedTable, access: StorageAccess): JsonObject[] {
  if (!access.isVending) return []
  const expiresAtMs = access.clock() + LIMITS.credentialLifetimeMs
  return table.storagePrefixes.map((storagePrefix) => {
    const [bucket = '', ...rest] = storagePrefix.slice('s3://'.length).split('/')
    const scope = { bucket, prefix: rest.join('/'), isWritable: table.isWritable, expiresAtMs }
    const vended = access.issuer.vend(scope)
    const config = {
      's3.access-key-id': vended.accessKeyId,
      's3.secret-access-key': vended.secretAccessKey,
      's3.session-token': vended.sessionToken,
      's3.session-token-expires-at-ms': String(vended.expiresAtMs),
      ...storageConfig(access),
    }
    return { prefix: storagePrefix, config }
  })
}

/**
 * The body of a load, create or commit. Credentials are also put into `config` when there is one prefix, for clients
 * that do not know `storage-credentials`.
 */
export function tableResponse(table: LoadedTable, access: StorageAccess, isDelegated: boolean): string {
  const credentials = isDelegated ? storageCredentials(table, access) : []
  const only = credentials.length === 1 ? asObject(credentials[0]?.['config'], 'config') : {}
  const config = { ...storageConfig(access), ...table.config, ...only }
  const members = [`"metadata":${table.metadataText}`, `"config":${formatJson(config)}`]
  if (table.metadataLocation !== undefined)
    members.unshift(`"metadata-location":${JSON.stringify(table.metadataLocation)}`)
  if (credentials.length > 0) members.push(`"storage-credentials":${formatJson(credentials)}`)
  return `{${members.join(',')}}`
}

/** The same metadata with only the snapshots that a branch or tag names. */
export function withReferencedSnapshots(table: LoadedTable): LoadedTable {
  const metadata = asObject(parseJson(table.metadataText), 'metadata')
  const refs = Object.values(asObject(metadata['refs'] ?? {}, 'refs'))
  const named = new Set(refs.map((ref) => asLong(asObject(ref, 'ref')['snapshot-id'], 'snapshot-id')))
  metadata['snapshots'] = asObjects(metadata['snapshots'] ?? [], 'snapshots').filter((snapshot) =>
    named.has(asLong(snapshot['snapshot-id'], 'snapshot-id')),
  )
  return { ...table, metadataText: formatJson(metadata) }
}

/** Changes whenever the metadata does; distinct for each snapshot loading mode. */
export function tableEtag(table: LoadedTable, snapshotMode: string): string {
  const identity = `${table.metadataLocation}\n${snapshotMode}`
  return `"${createHash('sha256').update(identity).digest('hex').slice(0, 32)}"`
}
