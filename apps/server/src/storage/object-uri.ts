// What the canonical URIs of `table-paths.ts` name, by the kind of their store. Keys stay as they are written: doubled
// slashes, dot segments and percent signs are part of them.
import { AppError } from '@lake/core/errors.ts'

export interface S3Location {
  readonly bucket: string
  /** As written, without the slash after the bucket. */
  readonly key: string
}

/** A blob of Azure Storage, whichever of its two services a path names. */
export interface AzureLocation extends S3Location {
  /** The container. */
  readonly bucket: string
  readonly account: string
  /** `dfs` host of the account, which stands in canonical URIs, and its twin. */
  readonly dfsHost: string
  readonly blobHost: string
}

/** Of stores, 1,024 bytes; some allow more. */
const KEY_CHARS_MAX = 4_096
/** Wider than today's rules for new buckets, since old and S3-compatible stores allow more; never a URL delimiter. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/
/** Containers, with `$root` and `$web`, and workspaces of OneLake. */
const CONTAINER = /^[A-Za-z0-9$][A-Za-z0-9._ -]{0,254}$/
/** Account, zone of the newer hosts, service, domain. */
const AZURE_HOST =
  /^([a-z0-9][a-z0-9-]{0,62})(\.z[0-9]{1,3})?\.(?:dfs|blob)\.(core\.windows\.net|core\.chinacloudapi\.cn|core\.usgovcloudapi\.net|storage\.azure\.net|fabric\.microsoft\.com)$/

/**
 * Splits a canonical URI.
 * @throws AppError TABLE_CORRUPT when there is no usable bucket or no key
 */
export function parseS3Uri(uri: string): S3Location {
  return parseBucketUri(uri, 's3://')
}

/** As `parseS3Uri`, for `gs://bucket/key`. */
export function parseGcsUri(uri: string): S3Location {
  return parseBucketUri(uri, 'gs://')
}

function parseBucketUri(uri: string, scheme: string): S3Location {
  const rest = uri.startsWith(scheme) ? uri.slice(scheme.length) : ''
  const slash = rest.indexOf('/')
  const bucket = slash < 0 ? rest : rest.slice(0, slash)
  const key = slash < 0 ? '' : rest.slice(slash + 1)
  if (!BUCKET.test(bucket) || key === '') throw namesNoObject()
  return { bucket, key: wellFormed(key) }
}

/**
 * Splits `abfss://container@account.dfs.core.windows.net/key`.
 * @throws AppError TABLE_CORRUPT, and TABLE_UNSUPPORTED for a host that is not one of Azure's
 */
export function parseAzureUri(uri: string): AzureLocation {
  const [, bucket = '', host = '', key = ''] = /^abfss:\/\/([^/@]*)@([^/]*)\/(.+)$/s.exec(uri) ?? []
  if (!CONTAINER.test(bucket) || key === '') throw namesNoObject()
  return { bucket, key: wellFormed(key), ...parseAzureHost(host) }
}

/**
 * @param host in any case, of either service
 * @throws AppError TABLE_UNSUPPORTED for a host that is not one of Azure's: what is vended must go to no other
 */
export function parseAzureHost(host: string): Omit<AzureLocation, keyof S3Location> {
  const [, account = '', zone = '', domain = ''] = AZURE_HOST.exec(host.toLowerCase()) ?? []
  if (account === '') {
    throw new AppError(
      'TABLE_UNSUPPORTED',
      'A path of the table names a host that is not one of Azure Storage',
      {
        details: { feature: 'storage host that is not one of Azure' },
      },
    )
  }
  const hostOf = (service: 'dfs' | 'blob'): string => `${account}${zone}.${service}.${domain}`
  return { account, dfsHost: hostOf('dfs'), blobHost: hostOf('blob') }
}

function wellFormed(key: string): string {
  if (key.length > KEY_CHARS_MAX) throw namesNoObject()
  if (key.isWellFormed()) return key
  throw new AppError('TABLE_CORRUPT', 'A path of the table is not well-formed Unicode')
}

function namesNoObject(): AppError {
  return new AppError('TABLE_CORRUPT', 'A path of the table names no object of a bucket')
}

/** Whole segments only: `s3://b/t1` is no prefix of `s3://b/t10/x`. */
export function isPathPrefix(prefix: string, path: string): boolean {
  if (!path.startsWith(prefix)) return false
  return prefix.endsWith('/') || path.length === prefix.length || path[prefix.length] === '/'
}
