// Where the rows of one statement go that are too many for memory, or are to outlive the page: a file on this browser's
// disk. They are the rows that came, byte by byte; nothing is read or computed anew to have them again.
import type { RecordBatch, Schema } from 'apache-arrow'
import { ApiError } from '../api/api-error.ts'
import { STORED_RESULT_BYTES_MAX } from '../limits.ts'
import { newSpillFile, spillDisk, type ResultDisk } from '../storage/spill.ts'
import { sha256Of } from '../storage/spill-protocol.ts'
import { packBatches, unpackBatches } from './packed-batch.ts'
import type { RowStore } from './result-buffer.ts'
import type { LoadRows } from './row-stretch.ts'

/** Rows that lie together in the file. */
export interface RowBlock {
  readonly offset: number
  readonly byteCount: number
  readonly rowCount: number
  /** About what they take in memory. */
  readonly heldByteCount: number
  /** In hexadecimal; null where the file has grown too large to be kept beyond the page. */
  readonly sha256: string | null
}

/** Rows of a block, none unless its bytes are those that were written. */
export function loaderOf(disk: ResultDisk, file: string, schema: Schema, block: RowBlock): LoadRows {
  return async () => {
    try {
      const bytes = await disk.get(file, block)
      const isWhole =
        bytes.byteLength === block.byteCount &&
        (block.sha256 === null || (await sha256Of(bytes)) === block.sha256)
      if (!isWhole) throw new RangeError('stored rows are not those that were written')
      return unpackBatches(schema, bytes)
    } catch (cause) {
      throw new ApiError('RESULT_CORRUPT', 'Rows that this browser has stored cannot be read any more.', {
        cause,
      })
    }
  }
}

/** What becomes of rows that have a record, once this page does not show them any more. */
export interface SealedRows {
  /** They stay for a later look. */
  putAside: () => void
  forget: () => void
}

export class FileRowStore implements RowStore {
  readonly file: string
  readonly blocks: RowBlock[] = []
  isClosed = false
  /** Null while the rows last as long as this page. */
  sealed: SealedRows | null = null
  readonly #disk: ResultDisk
  #byteCount = 0

  constructor(disk: ResultDisk = spillDisk, file = newSpillFile()) {
    this.#disk = disk
    this.file = file
  }

  get byteCount(): number {
    return this.#byteCount
  }

  async put(batches: readonly RecordBatch[]): Promise<LoadRows | null> {
    const schema = batches[0]?.schema
    const bytes = this.isClosed ? null : packBatches(batches)
    if (bytes === null || schema === undefined) return null
    this.#byteCount += bytes.byteLength
    const isHashed = this.#byteCount <= STORED_RESULT_BYTES_MAX
    try {
      const { offset, byteCount, sha256 } = await this.#disk.put(this.file, bytes, isHashed)
      const rowCount = batches.reduce((sum, batch) => sum + batch.numRows, 0)
      const heldByteCount = batches.reduce((sum, batch) => sum + batch.data.byteLength, 0)
      const block = { offset, byteCount, rowCount, heldByteCount, sha256 }
      this.blocks.push(block)
      return loaderOf(this.#disk, this.file, schema, block)
    } catch {
      return null
    }
  }

  close(): void {
    this.#end((sealed) => sealed.forget())
  }

  putAside(): void {
    this.#end((sealed) => sealed.putAside())
  }

  #end(end: (sealed: SealedRows) => void): void {
    if (this.isClosed) return
    this.isClosed = true
    if (this.sealed !== null) end(this.sealed)
    else if (this.#byteCount > 0) void this.#disk.remove(this.file).catch(() => undefined)
  }
}
