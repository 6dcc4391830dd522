// The one canonical form of a path in table metadata, used wherever a path is compared, cached or read. Paths are opaque:
// never percent-decoded, never normalised. Leaves to `s3-object-store.ts` how a URI becomes a request.
import { AppError } from '@lake/core/errors.ts'

export interface TablePaths {
  /**
   * The canonical URI (`s3://bucket/key`) of a path as metadata has it. Two paths name one object exactly when their
   * canonical URIs are equal texts.
   * @throws AppError TABLE_UNSUPPORTED naming the storage scheme, TABLE_CORRUPT for a path that names no object
   */
  canonicalUri(path: string): string
}

export interface S3Location {
  readonly bucket: string
  /** As written, without the slash after the bucket. */
  readonly key: string
}

const S3_URI = /^s3[an]?:\/\//
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/
/** Wider than today's rules for new buckets, since old and S3-compatible stores allow more; never a URL delimiter. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/

/**
 * @param pathMap from prefixes in metadata to the prefixes that hold the files now; the longest one that fits applies. A
 *   prefix without a scheme also fits paths of a file system that have one, and an authority, before it: delete files often
 *   name data files in another form than manifests do (Iceberg table spec, "Paths in Metadata").
 */
export function createTablePaths(pathMap: ReadonlyMap<string, string>): TablePaths {
  const prefixes = [...pathMap.keys()].sort((a, b) => b.length - a.length)
  const mapPath = (path: string): string | undefined => {
    const prefix = prefixes.find((candidate) => isPrefix(candidate, path))
    return prefix === undefined ? undefined : `${pathMap.get(prefix) ?? ''}${path.slice(prefix.length)}`
  }
  return {
    canonicalUri(path) {
      const mapped = mapPath(path) ?? mapPath(withoutScheme(path)) ?? path
      if (!S3_URI.test(mapped)) throw unsupportedScheme(mapped)
      const uri = mapped.replace(S3_URI, 's3://')
      parseS3Uri(uri)
      return uri
    },
  }
}

/**
 * Splits a canonical URI. The key keeps doubled slashes, dot segments and percent signs as they are.
 * @throws AppError TABLE_CORRUPT when there is no usable bucket or no key
 */
export function parseS3Uri(uri: string): S3Location {
  const rest = uri.startsWith('s3://') ? uri.slice(5) : ''
  const slash = rest.indexOf('/')
  const bucket = slash < 0 ? rest : rest.slice(0, slash)
  const key = slash < 0 ? '' : rest.slice(slash + 1)
  if (!BUCKET.test(bucket) || key === '') {
    throw new AppError('TABLE_CORRUPT', 'A path of the table names no object of a bucket')
  }
  if (!key.isWellFormed()) {
    throw new AppError('TABLE_CORRUPT', 'A path of the table is not well-formed Unicode')
  }
  return { bucket, key }
}

/** `hdfs://host:8020/a` is `/a`. Other schemes stay: with them, what stands before the path is a bucket. */
function withoutScheme(path: string): string {
  return path.replace(/^(?:file|hdfs|viewfs):(?:\/\/[^/]*)?(?=\/)/, '')
}

/** Whole segments only: `s3://b/t1` is no prefix of `s3://b/t10/x`. */
function isPrefix(prefix: string, path: string): boolean {
  if (!path.startsWith(prefix)) return false
  return prefix.endsWith('/') || path.length === prefix.length || path[prefix.length] === '/'
}

/** Stores that tables are on in the field, by the schemes of their paths. */
const FOREIGN_STORES: ReadonlyMap<string | undefined, string> = new Map([
  ['gs', 'Google Cloud Storage'],
  ['abfs', 'Azure Data Lake Storage'],
  ['abfss', 'Azure Data Lake Storage'],
  ['wasb', 'Azure Blob Storage'],
  ['wasbs', 'Azure Blob Storage'],
  ['oss', 'Alibaba Cloud OSS'],
  ['hdfs', 'HDFS'],
  ['file', 'a local disk'],
])

function unsupportedScheme(path: string): AppError {
  const scheme = SCHEME.exec(path)?.[1]?.toLowerCase()
  const feature = scheme === undefined ? 'storage path without a scheme' : `storage scheme ${scheme}`
  const place = FOREIGN_STORES.get(scheme)
  const words =
    place === undefined
      ? `The table uses a ${feature}, which is not read`
      : `The table is on ${place} (${scheme ?? ''}:), which is not read`
  return new AppError(
    'TABLE_UNSUPPORTED',
    `${words}: only S3 and stores with its interface are. Where the same files are there, the catalog can say so by lake.path-map`,
    { details: { feature } },
  )
}
