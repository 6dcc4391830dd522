// Objects as files: DATA/<bucket>/<key>, each segment of the key escaped so that it can be nothing but a file name. Used
// by the S3 server, by the catalog for metadata files and by the writer of the demo tables. Writes are atomic: a file
// appears whole under its name or not at all. Knows nothing of permissions.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { Dirent, Stats } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../limits.ts'
import { S3Error } from './s3-error.ts'

export interface ObjectInfo {
  readonly key: string
  readonly sizeBytes: number
  readonly modifiedMs: number
  /** Quoted. Opaque: not an MD5. */
  readonly etag: string
}

export interface Bucket {
  readonly name: string
  readonly folder: string
  readonly isReadOnly: boolean
  /** 'escaped': our own files. 'literal': keys are file names as they are, for folders made by others. */
  readonly naming: 'escaped' | 'literal'
}

export class ObjectFiles {
  readonly #buckets = new Map<string, Bucket>()
  readonly #scratch: string

  /** @param scratch a folder of the same file system, for files that are not whole yet */
  constructor(buckets: readonly Bucket[], scratch: string) {
    for (const bucket of buckets) this.#buckets.set(bucket.name, bucket)
    this.#scratch = scratch
  }

  bucketNames(): string[] {
    return [...this.#buckets.keys()].sort()
  }

  /** @throws S3Error NoSuchBucket */
  bucket(name: string): Bucket {
    const bucket = this.#buckets.get(name)
    if (bucket === undefined) throw new S3Error('NoSuchBucket', `No such bucket: ${name}`)
    return bucket
  }

  /**
   * The path of an object's file, whether or not it exists. Always inside the bucket's folder.
   * @throws S3Error NoSuchBucket, KeyTooLongError, InvalidArgument
   */
  path(bucketName: string, key: string): string {
    const bucket = this.bucket(bucketName)
    if (key === '' || Buffer.byteLength(key) > LIMITS.objectKeyBytesMax)
      throw new S3Error('KeyTooLongError', 'A key has 1 to 1024 bytes')
    const segments = key.split('/')
    if (bucket.naming === 'escaped') return join(bucket.folder, ...segments.map(escapeSegment))
    if (
      segments.some(
        (segment) => segment === '' || segment === '.' || segment === '..' || segment.includes('\0'),
      )
    )
      throw new S3Error('NoSuchKey', 'No such key')
    return join(bucket.folder, ...segments)
  }

  /** @throws S3Error NoSuchKey, NoSuchBucket */
  async info(bucketName: string, key: string): Promise<ObjectInfo> {
    const stats = await stat(this.path(bucketName, key)).catch(() => undefined)
    if (stats === undefined || !stats.isFile()) throw new S3Error('NoSuchKey', 'No such key')
    return toInfo(key, stats)
  }

  /** The whole object. For metadata; data files are streamed. */
  async read(bucketName: string, key: string): Promise<Buffer> {
    await this.info(bucketName, key)
    return readFile(this.path(bucketName, key))
  }

  /** A new empty place for a file that is being written; `commitFile` gives it its name. */
  async scratchFile(): Promise<string> {
    await mkdir(this.#scratch, { recursive: true })
    return join(this.#scratch, randomUUID())
  }

  /** Writes a whole object. @throws S3Error PreconditionFailed when `ifAbsent` and it exists */
  async write(bucketName: string, key: string, bytes: Uint8Array, ifAbsent = false): Promise<void> {
    const scratch = await this.scratchFile()
    const file = await open(scratch, 'wx')
    try {
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
    await this.commitFile(scratch, bucketName, key, ifAbsent)
  }

  /** Streams a body into a scratch file. The caller commits or discards it. */
  async writeScratch(body: Readable, signal: AbortSignal): Promise<string> {
    const scratch = await this.scratchFile()
    try {
      await pipeline(body, createWriteStream(scratch, { flags: 'wx' }), { signal })
    } catch (error) {
      await rm(scratch, { force: true })
      throw error
    }
    return scratch
  }

  /** Gives a scratch file the name of an object, replacing what was there unless `ifAbsent`. */
  async commitFile(scratch: string, bucketName: string, key: string, ifAbsent = false): Promise<void> {
    try {
      const bucket = this.bucket(bucketName)
      if (bucket.isReadOnly) throw new S3Error('AccessDenied', `Bucket ${bucketName} is read-only`)
      const path = this.path(bucketName, key)
      await mkdir(dirname(path), { recursive: true })
      if (ifAbsent) {
        await link(scratch, path)
        await unlink(scratch)
      } else {
        await rename(scratch, path)
      }
    } catch (error) {
      await rm(scratch, { force: true })
      throw toS3Error(error)
    }
  }

  /** Removes an object; removing what is not there is no error, as in S3. */
  async remove(bucketName: string, key: string): Promise<void> {
    if (this.bucket(bucketName).isReadOnly)
      throw new S3Error('AccessDenied', `Bucket ${bucketName} is read-only`)
    await unlink(this.path(bucketName, key)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EISDIR' && errorCode(error) !== 'ENOTDIR')
        throw error
    })
  }

  /** Removes everything below `folderKey + '/'`. */
  async removeFolder(bucketName: string, folderKey: string): Promise<void> {
    if (this.bucket(bucketName).isReadOnly)
      throw new S3Error('AccessDenied', `Bucket ${bucketName} is read-only`)
    await rm(this.path(bucketName, folderKey), { recursive: true, force: true })
  }

  /** All objects whose key starts with `prefix`, sorted by key in UTF-8 order. */
  async list(bucketName: string, prefix: string): Promise<ObjectInfo[]> {
    const bucket = this.bucket(bucketName)
    const unescape = bucket.naming === 'escaped' ? unescapeSegment : (name: string): string => name
    const folderKey = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const folder = folderKey === '' ? bucket.folder : this.path(bucketName, folderKey.slice(0, -1))
    const found: ObjectInfo[] = []
    const walk = async (path: string, keyPrefix: string): Promise<void> => {
      for (const entry of await readFolder(path)) {
        const key = keyPrefix + unescape(entry.name)
        if (!key.startsWith(prefix.slice(0, key.length))) continue
        if (entry.isDirectory()) await walk(join(path, entry.name), `${key}/`)
        else if (entry.isFile() && key.startsWith(prefix))
          found.push(toInfo(key, await stat(join(path, entry.name))))
      }
    }
    await walk(folder, folderKey)
    return found.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
  }
}

async function readFolder(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    throw error
  }
}

const EMPTY_SEGMENT = '%_'

/** Everything but a safe set is escaped; `.`, `..` and the empty segment can never come out. */
function escapeSegment(segment: string): string {
  if (segment === '') return EMPTY_SEGMENT
  const escaped = encodeURIComponent(segment.toWellFormed())
    .replace(/%(3D|2B|40|2C)/g, (match) => decodeURIComponent(match))
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const name = /^\.+$/.test(escaped) ? escaped.replaceAll('.', '%2E') : escaped
  if (name.length > 255)
    throw new S3Error('KeyTooLongError', 'A segment of the key is too long for this store')
  return name
}

function unescapeSegment(name: string): string {
  return name === EMPTY_SEGMENT ? '' : decodeURIComponent(name)
}

function toInfo(key: string, stats: Stats): ObjectInfo {
  const version = `${stats.size.toString(16)}-${Math.round(stats.mtimeMs * 1_000).toString(16)}-${stats.ino.toString(16)}`
  return { key, sizeBytes: stats.size, modifiedMs: Math.floor(stats.mtimeMs), etag: `"${version}"` }
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}

function toS3Error(error: unknown): unknown {
  const code = errorCode(error)
  if (code === 'EEXIST') return new S3Error('PreconditionFailed', 'The object already exists')
  if (code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENOTEMPTY')
    return new S3Error('InvalidArgument', 'Another key is a folder of this one, which this store cannot hold')
  return error
}
