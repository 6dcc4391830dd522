// Results that outlive their page, in the browser's private file system: rows in the file that the run wrote, and a record
// beside it that is written last. Nothing counts without a whole record of this version and of who is signed in; what is
// none is removed. Bounded in bytes and in number, the one looked at longest ago goes first.
//
// Windows share the store. A window holds a lock on each result that it shows: another one may take the record, so that the
// result ends with that window, but never its rows. Where anything fails, nothing is kept.
import type { Schema } from 'apache-arrow'
import {
  RESULT_BYTES_ALWAYS_HELD,
  STORED_RESULT_BYTES_MAX,
  STORED_RESULTS_BYTES_MAX,
  STORED_RESULTS_MAX,
} from '../limits.ts'
import { windowOfFile, type ResultDisk } from '../storage/spill.ts'
import { fileOfRecord, recordNameOf } from '../storage/spill-protocol.ts'
import { ResultBuffer } from './result-buffer.ts'
import { FileRowStore, loaderOf, type RowBlock } from './row-store.ts'
import { decodeRecord, decodeSchema, encodeRecord, type StoredRecord } from './stored-record.ts'

/** Locks on the rows of a file, shared between windows. */
export interface RowLocks {
  /** Until the returned function is called, or the window ends. */
  hold: (file: string) => Promise<() => Promise<void>>
  /** Where nobody holds it; returns whether that was so. */
  ifFree: (file: string, action: () => Promise<void>) => Promise<boolean>
  openWindowIds: () => Promise<ReadonlySet<string>>
}

export interface StoredResult {
  readonly file: string
  readonly record: StoredRecord
}

interface StoredBounds {
  bytesMax: number
  allBytesMax: number
  countMax: number
}

interface StoredResultsInput {
  disk: ResultDisk
  locks: RowLocks
  /** When somebody has looked at a result last. */
  lookedAtMs: (record: StoredRecord) => number
  bounds?: StoredBounds
}

type WithDigest = RowBlock & { sha256: string }

export class StoredResults {
  readonly #disk: ResultDisk
  readonly #locks: RowLocks
  readonly #lookedAtMs: (record: StoredRecord) => number
  readonly #bounds: StoredBounds
  readonly #known = new Map<string, StoredRecord>()
  readonly #releases = new Map<string, () => Promise<void>>()
  /** Of whom results are kept; null: of nobody. */
  #owner: { readonly principal: string | null } | null = null
  #changing: Promise<unknown> = Promise.resolve()

  constructor({ disk, locks, lookedAtMs, bounds }: StoredResultsInput) {
    this.#disk = disk
    this.#locks = locks
    this.#lookedAtMs = lookedAtMs
    this.#bounds = bounds ?? {
      bytesMax: STORED_RESULT_BYTES_MAX,
      allBytesMax: STORED_RESULTS_BYTES_MAX,
      countMax: STORED_RESULTS_MAX,
    }
  }

  /** Of windows that are not open any more, and without a record: nobody's, so nothing waits for it. */
  async removeLeftRows(): Promise<void> {
    try {
      for (const file of await this.#leftFiles()) await this.#removeIfFree(file)
    } catch {
      // The next start tries again.
    }
  }

  /**
   * Takes up what is there for who is signed in, and removes what is damaged, or another's.
   * @param tabIds those that results may belong to; null where they are not known
   */
  async open(principal: string | null, tabIds: ReadonlySet<string> | null): Promise<void> {
    await this.#quietly(async () => {
      this.#owner = { principal }
      await this.#refresh()
      for (const { file, record } of this.#all())
        if (tabIds !== null && !tabIds.has(record.source.tabId)) await this.#forgetIfFree(file)
    })
  }

  /** Of the tab, in the order of their runs. */
  of(tabId: string): readonly StoredResult[] {
    return this.#all()
      .filter(({ record }) => record.source.tabId === tabId)
      .sort((a, b) => a.record.startedAtMs - b.record.startedAtMs)
  }

  /**
   * Keeps the rows of a run that has ended, which are all in its file.
   * @returns whether they are kept
   */
  async store(
    rows: FileRowStore,
    described: Omit<StoredRecord, 'principal' | 'blocks' | 'byteCount' | 'rowCount'>,
  ): Promise<boolean> {
    const blocks = rows.blocks.filter((block): block is WithDigest => block.sha256 !== null)
    const byteCount = rows.blocks.reduce((sum, block) => sum + block.byteCount, 0)
    if (blocks.length < rows.blocks.length || byteCount > this.#bounds.bytesMax) return false
    const rowCount = blocks.reduce((sum, block) => sum + block.rowCount, 0)
    let isKept = false
    await this.#quietly(async () => {
      if (this.#owner === null || rows.isClosed) return
      const { principal } = this.#owner
      await this.#seal(rows, { ...described, principal, blocks, byteCount, rowCount })
      isKept = true
    })
    return isKept
  }

  /**
   * The rows of a result, each block of them checked. They are in memory where they are few.
   * @returns null where they are not those that were stored; then the result is removed
   */
  async load({ file, record }: StoredResult, signal: AbortSignal): Promise<ResultBuffer | null> {
    const store = new FileRowStore(this.#disk, file)
    store.sealed = this.#sealed(file)
    try {
      await this.#hold(file)
      const schema = decodeSchema(record.schema)
      const buffer = new ResultBuffer({ store })
      buffer.schema = schema
      await this.#loadBlocks(buffer, file, record, schema, signal)
      return buffer
    } catch {
      await this.#quietly(async () => {
        await this.#release(file)
        if (!signal.aborted) await this.#forget(file)
      })
      return null
    }
  }

  async removeTab(tabId: string): Promise<void> {
    await this.#quietly(async () => {
      for (const { file } of this.of(tabId)) await this.#forget(file)
    })
  }

  /**
   * Of everybody, and nothing is kept after it. Rows that an open window still writes go with that.
   * @returns whether nothing is left; false, too, where `signal` ends the wait before that is known
   */
  async removeAll(signal: AbortSignal): Promise<boolean> {
    this.#owner = null
    const { promise: hasEnded, resolve } = Promise.withResolvers<false>()
    if (signal.aborted) resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
    const removing = this.#quietly(async () => {
      this.#known.clear()
      const files = [...(await this.#recordedFiles()), ...(await this.#leftFiles())]
      for (const file of files) await this.#disk.remove(file)
      const there = new Set(await this.#disk.names())
      if (files.some((file) => there.has(file) || there.has(recordNameOf(file))))
        throw new Error('rows that were removed are still there')
    })
    return await Promise.race([removing, hasEnded])
  }

  async #seal(rows: FileRowStore, record: StoredRecord): Promise<void> {
    const { file } = rows
    await this.#refresh()
    await this.#makeRoom(record.byteCount)
    await this.#hold(file)
    try {
      await this.#disk.seal(file, await encodeRecord(record))
    } catch (error) {
      await this.#release(file)
      await this.#disk.removeRecord(file)
      throw error
    }
    this.#known.set(file, record)
    rows.sealed = this.#sealed(file)
    if (rows.isClosed) rows.sealed.forget()
    for (const other of this.of(record.source.tabId))
      if (other.record.groupId !== record.groupId) await this.#forgetIfFree(other.file)
  }

  #all(): StoredResult[] {
    return [...this.#known].map(([file, record]) => ({ file, record }))
  }

  async #recordedFiles(): Promise<string[]> {
    return (await this.#disk.names()).flatMap((name) => fileOfRecord(name) ?? [])
  }

  /** Rows that windows left which are not open any more, and that have no record. */
  async #leftFiles(): Promise<string[]> {
    const names = await this.#disk.names()
    const recorded = new Set(names.map(fileOfRecord))
    const open = await this.#locks.openWindowIds()
    const isLeft = (name: string) =>
      fileOfRecord(name) === null && !recorded.has(name) && !open.has(windowOfFile(name))
    return names.filter(isLeft)
  }

  /** Takes up what other windows have stored or removed. */
  async #refresh(): Promise<void> {
    const files = new Set(await this.#recordedFiles())
    for (const file of this.#known.keys()) if (!files.has(file)) this.#known.delete(file)
    const open = await this.#locks.openWindowIds()
    for (const file of files) {
      if (this.#known.has(file)) continue
      const record = await this.#read(file)
      const isOwn = record?.principal === this.#owner?.principal
      if (record !== null && isOwn) this.#known.set(file, record)
      // A record that another window is just writing is not whole yet.
      else if (record !== null || !open.has(windowOfFile(file))) await this.#disk.remove(file)
    }
  }

  /** Null where it is no record, or its rows are cut. */
  async #read(file: string): Promise<StoredRecord | null> {
    try {
      const record = await decodeRecord(await this.#disk.readRecord(file))
      return record !== null && (await this.#disk.byteCountOf(file)) === record.byteCount ? record : null
    } catch {
      return null
    }
  }

  async #loadBlocks(
    buffer: ResultBuffer,
    file: string,
    { blocks, byteCount }: StoredRecord,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<void> {
    for (const [index, block] of blocks.entries()) {
      signal.throwIfAborted()
      const load = loaderOf(this.#disk, file, schema, block)
      const batches = await load(signal)
      const rowCount = batches.reduce((sum, batch) => sum + batch.numRows, 0)
      if (rowCount !== block.rowCount) throw new RangeError('stored rows are of another number')
      const isHeld = index === 0 || byteCount <= RESULT_BYTES_ALWAYS_HELD
      const away = { rowCount, byteCount: block.heldByteCount, load, isStored: true }
      buffer.appendAway(away, isHeld ? batches : null)
    }
  }

  async #makeRoom(byteCount: number): Promise<void> {
    const oldest = this.#all().sort((a, b) => this.#lookedAtMs(a.record) - this.#lookedAtMs(b.record))
    let bytes = oldest.reduce((sum, { record }) => sum + record.byteCount, byteCount)
    for (const { file, record } of oldest) {
      if (bytes <= this.#bounds.allBytesMax && this.#known.size < this.#bounds.countMax) return
      bytes -= record.byteCount
      await this.#forget(file)
    }
  }

  #sealed(file: string) {
    return {
      putAside: () => void this.#release(file),
      forget: () =>
        void this.#quietly(async () => {
          await this.#release(file)
          await this.#forget(file)
        }),
    }
  }

  async #hold(file: string): Promise<void> {
    if (!this.#releases.has(file)) this.#releases.set(file, await this.#locks.hold(file))
  }

  async #release(file: string): Promise<void> {
    const release = this.#releases.get(file)
    this.#releases.delete(file)
    await release?.()
  }

  async #removeIfFree(file: string): Promise<boolean> {
    return await this.#locks.ifFree(file, () => this.#disk.remove(file))
  }

  /** Where a window shows it, this one included, its rows stay until that ends. */
  async #forget(file: string): Promise<void> {
    this.#known.delete(file)
    if (!(await this.#removeIfFree(file))) await this.#disk.removeRecord(file)
  }

  async #forgetIfFree(file: string): Promise<void> {
    if (await this.#removeIfFree(file)) this.#known.delete(file)
  }

  /** One change after another. What the disk does not do is not kept; nobody is to be told of it. */
  async #quietly(change: () => Promise<void>): Promise<boolean> {
    const changing = this.#changing.then(change).then(
      () => true,
      () => false,
    )
    this.#changing = changing
    return await changing
  }
}
