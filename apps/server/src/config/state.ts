// Where background statements and their results are kept. Without a place for statements there are none.
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { SecretSetting } from '../catalog/secrets.ts'
import type { Secret } from '../observability/redaction.ts'
import { isLoopbackHost, type Reader } from './reader.ts'

export interface StatementsConfig {
  readonly state: StateConfig
  readonly results: ResultsConfig
  /** Of all results that are kept for one principal. */
  readonly keptBytesMax: number
}

const GIB = 1_073_741_824

export type StateConfig =
  /** SQLite, sealing keys and, by default, results in a folder: for one server. */
  | { readonly kind: 'sqlite'; readonly directory: string }
  /** PostgreSQL, which several servers share. The setting is a connection string with its password. */
  | { readonly kind: 'postgres'; readonly url: SecretSetting }

export type ResultsConfig =
  { readonly kind: 'folder'; readonly directory: string } | ({ readonly kind: 's3' } & ResultsBucket)

export interface ResultsBucket {
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  readonly endpoint: URL | undefined
  readonly region: string
  readonly isPathStyle: boolean
  /** `access-key-id:secret-access-key`; undefined: the identity of the machine or pod. */
  readonly credential: SecretSetting | undefined
}

export function readStatements(reader: Reader): StatementsConfig | undefined {
  const state = readState(reader)
  const results = readResults(reader)
  const keptBytesMax = reader.integer('LAKE_PRINCIPAL_KEPT_BYTES_MAX', 100 * GIB, 1)
  if (state === undefined) {
    if (results) reader.fault('LAKE_RESULTS_URL', 'needs LAKE_STATE_URL')
    const kept = 'LAKE_PRINCIPAL_KEPT_BYTES_MAX'
    if (reader.text(kept) !== undefined) reader.fault(kept, 'needs LAKE_STATE_URL')
    return undefined
  }
  if (state.kind === 'sqlite') {
    const inState = { kind: 'folder', directory: join(state.directory, 'results') } as const
    return { state, results: results ?? inState, keptBytesMax }
  }
  if (reader.rawText('LAKE_TICKET_KEYS') === undefined)
    reader.fault('LAKE_TICKET_KEYS', 'is required, because servers that share statements must share keys')
  if (results) return { state, results, keptBytesMax }
  reader.fault('LAKE_RESULTS_URL', 'is required, because servers that share statements must share results')
  return undefined
}

function readState(reader: Reader): StateConfig | undefined {
  const name = 'LAKE_STATE_URL'
  const setting = reader.secret(name)
  if (setting === undefined) return undefined
  if (setting.kind === 'reference') return { kind: 'postgres', url: setting }
  const directory = folderOf(setting.secret.reveal())
  if (directory !== undefined) return { kind: 'sqlite', directory }
  if (parsePostgresUrl(setting.secret) !== undefined) return { kind: 'postgres', url: setting }
  reader.fault(name, 'must be file:///folder or postgres://user:password@host:port/database')
  return undefined
}

/** Without TLS to numeric loopback only. @returns undefined for what is no such URL */
export function parsePostgresUrl(
  url: Secret,
): { readonly url: Secret; readonly isEncrypted: boolean } | undefined {
  const text = url.reveal()
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  const isPostgres = protocol === 'postgres:' || protocol === 'postgresql:'
  // Parameters could switch encryption or certificates off.
  if (!isPostgres || hostname === '' || pathname.length < 2 || search !== '' || hash !== '') return undefined
  return { url, isEncrypted: !isLoopbackHost(hostname) }
}

function readResults(reader: Reader): ResultsConfig | undefined {
  const name = 'LAKE_RESULTS_URL'
  const text = reader.text(name)
  const isBucket = text?.startsWith('s3://') === true
  if (!isBucket) {
    for (const s3 of [
      'LAKE_RESULTS_S3_ENDPOINT',
      'LAKE_RESULTS_S3_REGION',
      'LAKE_RESULTS_S3_PATH_STYLE',
      'LAKE_RESULTS_S3_CREDENTIAL',
    ] as const)
      if (reader.text(s3) !== undefined) reader.fault(s3, 'needs LAKE_RESULTS_URL=s3://bucket/prefix')
  }
  if (text === undefined) return undefined
  const directory = folderOf(text)
  if (directory !== undefined) return { kind: 'folder', directory }
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/.exec(text)
  if (match?.[1] === undefined) {
    reader.fault(name, 'must be file:///folder or s3://bucket/prefix')
    return undefined
  }
  const credential = reader.secret('LAKE_RESULTS_S3_CREDENTIAL')
  if (credential?.kind === 'inline' && !/^[^:]+:.+$/.test(credential.secret.reveal()))
    reader.fault('LAKE_RESULTS_S3_CREDENTIAL', 'must be access-key-id:secret-access-key')
  return {
    kind: 's3',
    bucket: match[1],
    prefix: (match[2] ?? '').replaceAll(/^\/+|\/+$/g, ''),
    endpoint: reader.url('LAKE_RESULTS_S3_ENDPOINT'),
    region: reader.text('LAKE_RESULTS_S3_REGION') ?? 'us-east-1',
    isPathStyle: reader.boolean('LAKE_RESULTS_S3_PATH_STYLE') ?? false,
    credential,
  }
}

/** Of a `file:` URL without a host; undefined for anything else. */
function folderOf(text: string): string | undefined {
  const url = text.startsWith('file:///') ? URL.parse(text) : null
  if (url === null || url.search !== '' || url.hash !== '') return undefined
  try {
    return fileURLToPath(url)
  } catch {
    // A path with percent signs that stand for nothing.
    return undefined
  }
}
