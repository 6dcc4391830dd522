// The seam to object storage. Everything above it speaks of `s3://bucket/key` URIs and bytes.

/** Facts about an object that the store told us. */
interface ObjectInfo {
  readonly sizeBytes: number
}

/**
 * Read access to the objects of one table, with the credentials that the catalog gave for them.
 *
 * URIs are canonical (`table-paths.ts`) and never percent-decoded. Every method throws AppError: STORAGE_ACCESS_DENIED,
 * STORAGE_UNAVAILABLE, OBJECT_MISSING, DEADLINE_EXCEEDED, CANCELLED, and TABLE_CORRUPT where a limit is broken.
 */
export interface ObjectStore {
  /** Reads a whole object of at most `bytesMax` bytes. */
  readObject(uri: string, options: { bytesMax: number }, signal: AbortSignal): Promise<Uint8Array>
  /** Reads bytes `[start, end)` in one request; returns exactly `end - start` bytes. */
  readRange(uri: string, range: ByteRange, signal: AbortSignal): Promise<Uint8Array>
  statObject(uri: string, signal: AbortSignal): Promise<ObjectInfo>
}

/** `start` inclusive, `end` exclusive, both from 0. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}
