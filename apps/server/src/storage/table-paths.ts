// The one canonical form of a path in table metadata, used wherever a path is compared, cached or read. Paths are opaque:
// never percent-decoded, never normalised. Leaves to the object stores how a URI becomes a request.
import { AppError } from '@lake/core/errors.ts'
import { isPathPrefix, parseAzureHost, parseAzureUri, parseGcsUri, parseS3Uri } from './object-uri.ts'

export interface TablePaths {
  /**
   * The canonical URI of a path as metadata has it: `s3://bucket/key`, `gs://bucket/key` or
   * `abfss://container@account.dfs.core.windows.net/key`. Two paths name one object exactly when their canonical URIs are
   * equal texts.
   * @throws AppError TABLE_UNSUPPORTED naming the storage scheme, TABLE_CORRUPT for a path that names no object
   */
  canonicalUri(path: string): string
}

const S3_URI = /^s3[an]?:\/\//
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/
const AZURE_URI = /^(?:abfss?|wasbs?):\/\/([^@/]*)@([^/]*)(\/.*)?$/s

/**
 * @param pathMap from prefixes in metadata to the prefixes that hold the files now; the longest one that fits applies. A
 *   prefix without a scheme also fits paths of a file system that have one, and an authority, before it: delete files often
 *   name data files in another form than manifests do (Iceberg table spec, "Paths in Metadata").
 */
export function createTablePaths(pathMap: ReadonlyMap<string, string>): TablePaths {
  const prefixes = [...pathMap.keys()].sort((a, b) => b.length - a.length)
  const mapPath = (path: string): string | undefined => {
    const prefix = prefixes.find((candidate) => isPathPrefix(candidate, path))
    return prefix === undefined ? undefined : `${pathMap.get(prefix) ?? ''}${path.slice(prefix.length)}`
  }
  return {
    canonicalUri(path) {
      const mapped = mapPath(path) ?? mapPath(withoutScheme(path)) ?? path
      return canonical(mapped)
    },
  }
}

function canonical(path: string): string {
  if (S3_URI.test(path)) {
    const uri = path.replace(S3_URI, 's3://')
    parseS3Uri(uri)
    return uri
  }
  if (path.startsWith('gs://')) {
    parseGcsUri(path)
    return path
  }
  const azure = AZURE_URI.exec(path)
  if (!azure) throw unsupportedScheme(path)
  const [, container = '', host = '', key = ''] = azure
  const uri = `abfss://${container}@${parseAzureHost(host).dfsHost}${key}`
  parseAzureUri(uri)
  return uri
}

/** `hdfs://host:8020/a` is `/a`. Other schemes stay: with them, what stands before the path is a bucket. */
function withoutScheme(path: string): string {
  return path.replace(/^(?:file|hdfs|viewfs):(?:\/\/[^/]*)?(?=\/)/, '')
}

/** Stores that tables are on in the field, by the schemes of their paths. */
const FOREIGN_STORES: ReadonlyMap<string | undefined, string> = new Map([
  // As the paths of these are, they name no account.
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
    `${words}: only S3 and stores with its interface are, Google Cloud Storage and Azure Storage. Where the same files are there, the catalog can say so by lake.path-map`,
    { details: { feature } },
  )
}
