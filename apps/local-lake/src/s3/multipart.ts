// Multipart uploads. Parts are scratch files; completing joins them into one object. Uploads live in memory and do not
// survive a restart: a client that meets NoSuchUpload begins again.
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../limits.ts'
import type { ObjectFiles } from './object-files.ts'
import { S3Error } from './s3-error.ts'

interface Upload {
  readonly bucket: string
  readonly key: string
  readonly parts: Map<number, { readonly path: string; readonly etag: string }>
}

const UPLOADS_OPEN_MAX = 1_000

export class MultipartUploads {
  readonly #objects: ObjectFiles
  readonly #uploads = new Map<string, Upload>()

  constructor(objects: ObjectFiles) {
    this.#objects = objects
  }

  /** @returns the upload id */
  create(bucket: string, key: string): string {
    this.#objects.path(bucket, key)
    if (this.#objects.bucket(bucket).isReadOnly)
      throw new S3Error('AccessDenied', `Bucket ${bucket} is read-only`)
    if (this.#uploads.size >= UPLOADS_OPEN_MAX)
      throw new S3Error('InvalidArgument', 'Too many uploads are open')
    const uploadId = randomUUID()
    this.#uploads.set(uploadId, { bucket, key, parts: new Map() })
    return uploadId
  }

  /** Takes over a scratch file as a part; a part of the same number is replaced. @returns its ETag */
  async addPart(
    target: readonly [bucket: string, key: string],
    uploadId: string,
    partNumber: number,
    scratch: string,
  ): Promise<string> {
    try {
      const upload = this.#find(target, uploadId)
      if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > LIMITS.uploadPartsMax)
        throw new S3Error('InvalidArgument', 'Part number must be 1 to 10000')
      const replaced = upload.parts.get(partNumber)
      const etag = `"${randomUUID()}"`
      upload.parts.set(partNumber, { path: scratch, etag })
      if (replaced !== undefined) await rm(replaced.path, { force: true })
      return etag
    } catch (error) {
      await rm(scratch, { force: true })
      throw error
    }
  }

  /** Joins the listed parts, which must ascend, into the object. */
  async complete(
    target: readonly [bucket: string, key: string],
    uploadId: string,
    parts: readonly { readonly partNumber: number; readonly etag: string }[],
    options: { readonly ifAbsent: boolean },
  ): Promise<void> {
    const upload = this.#find(target, uploadId)
    const paths = parts.map(({ partNumber, etag }, index) => {
      const part = upload.parts.get(partNumber)
      const isAscending = index === 0 || (parts[index - 1]?.partNumber ?? 0) < partNumber
      if (part === undefined || part.etag.replaceAll('"', '') !== etag.replaceAll('"', '') || !isAscending)
        throw new S3Error(
          'InvalidPart',
          `Part ${partNumber} is missing, not the one uploaded, or out of order`,
        )
      return part.path
    })
    if (paths.length === 0) throw new S3Error('MalformedXML', 'No parts are listed')
    const scratch = await this.#objects.scratchFile()
    for (const path of paths)
      await pipeline(createReadStream(path), createWriteStream(scratch, { flags: 'a' }))
    await stat(scratch)
    await this.#objects.commitFile(scratch, upload.bucket, upload.key, options.ifAbsent)
    await this.#forget(uploadId, upload)
  }

  async abort(target: readonly [bucket: string, key: string], uploadId: string): Promise<void> {
    await this.#forget(uploadId, this.#find(target, uploadId))
  }

  #find([bucket, key]: readonly [string, string], uploadId: string): Upload {
    const upload = this.#uploads.get(uploadId)
    if (upload === undefined || upload.bucket !== bucket || upload.key !== key)
      throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist.')
    return upload
  }

  async #forget(uploadId: string, upload: Upload): Promise<void> {
    this.#uploads.delete(uploadId)
    for (const part of upload.parts.values()) await rm(part.path, { force: true })
  }
}
