// Keeps the rows of one result outside React and finds a row's batch by binary search. Column data stays in Arrow's
// buffers: no row objects.
//
// Rows lie in stretches. A stretch that can be had again (from a stored result, from wherever it was put) need not be in
// memory: it is loaded when somebody looks at it, and let go when there is more than `heldBytesMax`, the one looked at
// longest ago first; so it is where all results together hold too much (result-memory.ts). Other stretches stay, or go to
// the buffer's store where it has one. The buffer is full at its limits, and the reader waits until they are raised by one
// more step.
import type { RecordBatch, Schema } from 'apache-arrow'
import {
  RESULT_BYTES_ALWAYS_HELD,
  RESULT_BYTES_HELD_MAX,
  RESULT_BYTES_PER_STEP_MAX,
  RESULT_MOVED_BYTES_PER_STEP_MAX,
  RESULT_ROWS_PER_STEP_MAX,
  ROW_BLOCK_BYTES,
} from '../limits.ts'
import { resultMemory, type ResultMemory, type RowHolder } from './result-memory.ts'
import { joined, untilAborted, type LoadRows, type Stretch } from './row-stretch.ts'

export interface RowPosition {
  batch: RecordBatch
  /** Row within the batch, from 0. */
  index: number
}

/** Rows that need not be in memory. */
export interface AwayRows {
  rowCount: number
  /** About what they take in memory. */
  byteCount: number
  load: LoadRows
  /** From the buffer's own store. */
  isStored?: boolean
}

interface Loading {
  readonly stretch: Stretch
  readonly abort: AbortController
  /** Resolves when it has ended; never rejects. */
  readonly ended: Promise<LoadFailure | null>
  /** Those that wait for it whatever is shown meanwhile. */
  waiterCount: number
}

interface LoadFailure {
  readonly cause: unknown
}

/** Where rows go that are too many for memory. */
export interface RowStore {
  /** Null where they cannot be stored: no room, no disk for this page, a type that cannot be taken apart. */
  put: (batches: readonly RecordBatch[]) => Promise<LoadRows | null>
  /** Rows that were put cannot be had after it. */
  close: () => void
  /** As `close`, but what outlives the page stays. */
  putAside: () => void
}

interface BufferBounds {
  rowsPerStep?: number
  bytesPerStep?: number
  heldBytesMax?: number
  movedBytesPerStep?: number
  store?: RowStore | null
  /** Shared with other results. */
  memory?: ResultMemory
}

export class ResultBuffer implements RowHolder<Stretch> {
  schema: Schema | null = null
  /** Of all rows, in memory or not. */
  rowCount = 0
  /** In memory. */
  byteCount = 0
  /** In the store. */
  movedByteCount = 0
  /** Why rows that are looked at are not there; null again once they are tried anew. */
  failure: unknown = null
  /** Counts the changes of which rows are in memory. */
  version = 0
  readonly #stretches: Stretch[] = []
  readonly #loading = new Map<Stretch, Loading>()
  readonly #listeners = new Set<() => void>()
  readonly #rowsPerStep: number
  readonly #bytesPerStep: number
  readonly #heldBytesMax: number
  readonly #movedBytesPerStep: number
  #rowsMax: number
  #bytesMax: number
  #movedBytesMax: number
  readonly #store: RowStore | null
  #canMove: boolean
  /** Index of the first stretch that may have to be moved yet. */
  #firstUnmoved = 0
  #unmovedByteCount = 0
  #shown: ReadonlySet<Stretch> = new Set()
  readonly #memory: ResultMemory
  /** What may be held whatever others hold. */
  #ownBytesMax = RESULT_BYTES_ALWAYS_HELD
  #moving: Promise<void> = Promise.resolve()

  constructor(bounds: BufferBounds = {}) {
    const { rowsPerStep, bytesPerStep, heldBytesMax, movedBytesPerStep, store = null } = bounds
    this.#rowsPerStep = this.#rowsMax = rowsPerStep ?? RESULT_ROWS_PER_STEP_MAX
    this.#bytesPerStep = this.#bytesMax = bytesPerStep ?? RESULT_BYTES_PER_STEP_MAX
    this.#heldBytesMax = heldBytesMax ?? RESULT_BYTES_HELD_MAX
    this.#movedBytesPerStep = this.#movedBytesMax = movedBytesPerStep ?? RESULT_MOVED_BYTES_PER_STEP_MAX
    this.#store = store
    this.#canMove = store !== null
    this.#memory = bounds.memory ?? resultMemory
  }

  get isFull(): boolean {
    return (
      this.rowCount >= this.#rowsMax ||
      this.byteCount >= this.#bytesMax ||
      this.movedByteCount >= this.#movedBytesMax ||
      (this.byteCount > this.#ownBytesMax && this.#memory.isOver)
    )
  }

  get isShown(): boolean {
    return this.#shown.size > 0
  }

  raiseLimit(): void {
    this.#rowsMax = this.rowCount + this.#rowsPerStep
    this.#bytesMax = this.byteCount + this.#bytesPerStep
    this.#movedBytesMax = this.movedByteCount + this.#movedBytesPerStep
    this.#ownBytesMax = this.byteCount + this.#heldBytesMax
  }

  /**
   * Moves rows to the store, the first ones first, until those that are nowhere else take half of what may be in memory:
   * the other half is for what is looked at. All of them, where results together hold too much. Never rejects.
   */
  async moveAway(): Promise<void> {
    await this.#move(() => this.#unmovedByteCount > (this.#memory.isOver ? 0 : this.#heldBytesMax / 2))
  }

  /**
   * Moves all rows to the store, in their order; those that can be had from elsewhere too, while they are here.
   * @returns whether all are there
   */
  async settle(): Promise<boolean> {
    await this.#move(() => this.#firstUnmoved < this.#stretches.length)
    return this.#stretches.every(({ isStored }) => isStored)
  }

  /** The rows are not looked at any more; those in the store are gone. */
  close(): void {
    this.#end()
    this.#store?.close()
  }

  /** As `close`, but what outlives the page stays. */
  putAside(): void {
    this.#end()
    this.#store?.putAside()
  }

  givable(): readonly Stretch[] {
    return this.#stretches.filter(
      (stretch) => stretch.load !== null && stretch.batches !== null && !this.#shown.has(stretch),
    )
  }

  letGo(stretch: Stretch): void {
    if (stretch.batches === null) return
    stretch.batches = null
    this.byteCount -= stretch.byteCount
  }

  /** Told when rows have come into memory, have left it, or could not be had. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  getVersion = (): number => this.version

  /** Rows that stay in memory. */
  append(batch: RecordBatch): void {
    if (batch.numRows === 0) return
    this.#add({ rowCount: batch.numRows, byteCount: batch.data.byteLength, batches: [batch], load: null })
  }

  /**
   * Rows that are loaded when they are looked at.
   * @param batches the rows, where they are at hand now
   */
  appendAway(
    { rowCount, byteCount, load, isStored = false }: AwayRows,
    batches: readonly RecordBatch[] | null = null,
  ): void {
    if (rowCount > 0) this.#add({ rowCount, byteCount, batches, load }, isStored)
  }

  /** Where row `row` (from 0) lies; null outside of the result and while it is away. */
  locate(row: number): RowPosition | null {
    const stretch = this.#find(row)
    if (stretch === undefined || stretch.batches === null) return null
    stretch.lookedAt = this.#memory.nextLook()
    let index = row - stretch.rowStart
    for (const batch of stretch.batches) {
      if (index < batch.numRows) return { batch, index }
      index -= batch.numRows
    }
    return null
  }

  /** Whether the row is one of the result's that is not in memory. */
  isAway(row: number): boolean {
    return this.#find(row)?.batches === null
  }

  /** The rows that come and go together with this one; none for a row outside of the result. */
  stretchOf(row: number): { rowStart: number; rowEnd: number } {
    const { rowStart = 0, rowCount = 0 } = this.#find(row) ?? {}
    return { rowStart, rowEnd: rowStart + rowCount }
  }

  /** What is looked at now: those rows are loaded, and loading others that nobody waits for ends. */
  show(rows: Iterable<number>): void {
    this.#shown = new Set(Array.from(rows).flatMap((row) => this.#find(row) ?? []))
    for (const { stretch, abort, waiterCount } of this.#loading.values())
      if (waiterCount === 0 && !this.#shown.has(stretch)) abort.abort()
    for (const stretch of this.#shown) {
      stretch.lookedAt = this.#memory.nextLook()
      if (stretch.batches === null) this.#start(stretch)
    }
  }

  /** Tries again for the rows that are looked at. */
  retry(): void {
    this.failure = null
    for (const stretch of this.#shown) if (stretch.batches === null) this.#start(stretch)
    this.#tell()
  }

  /** Brings a row into memory, with its stretch. Rejects with what loading it failed with, or was aborted with. */
  async bring(row: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    for (let stretch = this.#find(row); stretch?.batches === null; stretch = this.#find(row)) {
      const loading = this.#start(stretch)
      loading.waiterCount += 1
      const failure = await untilAborted(loading.ended, signal)
      loading.waiterCount -= 1
      if (loading.waiterCount === 0 && signal.aborted && !this.#shown.has(stretch)) loading.abort.abort()
      signal.throwIfAborted()
      // Where it was given up, it was by somebody else.
      if (failure !== null && !loading.abort.signal.aborted) throw failure.cause
    }
  }

  #add(rows: Pick<Stretch, 'rowCount' | 'byteCount' | 'batches' | 'load'>, isStored = false): void {
    this.#memory.add(this)
    this.#stretches.push({ ...rows, isStored, rowStart: this.rowCount, lookedAt: this.#memory.nextLook() })
    this.rowCount += rows.rowCount
    if (rows.batches !== null) this.byteCount += rows.byteCount
    if (rows.load === null) this.#unmovedByteCount += rows.byteCount
  }

  #end(): void {
    this.#canMove = false
    this.#memory.remove(this)
  }

  /** One after another: a stop may come while the reader waits for the disk. */
  async #move(isWanted: () => boolean): Promise<void> {
    const before = this.#moving
    const moveBlocks = async () => {
      await before
      while (this.#canMove && isWanted() && (await this.#moveBlock()));
      this.#letGo(null)
    }
    this.#moving = moveBlocks()
    await this.#moving
  }

  /** Moves the next stretches, as many as make a block, which are one stretch then. Returns whether there may be more. */
  async #moveBlock(): Promise<boolean> {
    const start = this.#firstUnmoved
    const first = this.#stretches[start]
    if (first?.isStored === true) {
      this.#firstUnmoved += 1
      return true
    }
    if (first === undefined || first.batches === null) return false
    let { byteCount } = first
    let end = start + 1
    for (let next = this.#stretches[end]; next !== undefined; next = this.#stretches[(end += 1)]) {
      byteCount += next.byteCount
      if (byteCount > ROW_BLOCK_BYTES || next.batches === null || next.isStored) break
    }
    const taken = this.#stretches.slice(start, end)
    const batches = taken.flatMap((stretch) => stretch.batches ?? [])
    const load = (await this.#store?.put(batches)) ?? null
    // What cannot be stored once is not tried again: the buffer fills, and says so.
    if (load === null) {
      this.#canMove = false
      return false
    }
    const moved = joined(taken, batches, load)
    this.#stretches.splice(start, taken.length, moved)
    if (taken.some((stretch) => this.#shown.has(stretch))) this.#shown = new Set([...this.#shown, moved])
    this.#firstUnmoved += 1
    this.movedByteCount += moved.byteCount
    for (const { load: other, byteCount: bytes } of taken) if (other === null) this.#unmovedByteCount -= bytes
    return true
  }

  #find(row: number): Stretch | undefined {
    return row < 0 || row >= this.rowCount ? undefined : this.#stretches[this.#indexOf(row)]
  }

  /** Of the stretch that holds the row, or of the first or last one where none does. */
  #indexOf(row: number): number {
    let low = 0
    let high = this.#stretches.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#stretches[middle]?.rowStart ?? 0) <= row) low = middle
      else high = middle - 1
    }
    return low
  }

  #start(stretch: Stretch): Loading {
    const running = this.#loading.get(stretch)
    if (running !== undefined) return running
    const abort = new AbortController()
    const ended = this.#load(stretch, abort.signal)
    const loading = { stretch, abort, ended, waiterCount: 0 }
    this.#loading.set(stretch, loading)
    return loading
  }

  async #load(stretch: Stretch, signal: AbortSignal): Promise<LoadFailure | null> {
    // Not before it is known as loading.
    await Promise.resolve()
    try {
      const batches = (await stretch.load?.(signal)) ?? []
      const rowCount = batches.reduce((sum, batch) => sum + batch.numRows, 0)
      if (rowCount !== stretch.rowCount) throw new Error('a stretch came back with other rows')
      stretch.batches = batches
      stretch.byteCount = batches.reduce((sum, batch) => sum + batch.data.byteLength, 0)
      this.byteCount += stretch.byteCount
      this.failure = null
      this.#letGo(stretch)
      return null
    } catch (cause) {
      if (!signal.aborted) this.failure = cause
      return { cause }
    } finally {
      this.#loading.delete(stretch)
      this.#tell()
    }
  }

  #tell(): void {
    this.version += 1
    for (const listener of this.#listeners) listener()
  }

  /** Lets go of what was looked at longest ago, until there is room. What is shown stays, and `newest`. */
  #letGo(newest: Stretch | null): void {
    if (newest !== null) newest.lookedAt = this.#memory.nextLook()
    if (this.byteCount > this.#heldBytesMax) {
      const others = this.givable()
        .filter((stretch) => stretch !== newest)
        .sort((a, b) => a.lookedAt - b.lookedAt)
      for (const stretch of others) {
        if (this.byteCount <= this.#heldBytesMax) break
        this.letGo(stretch)
      }
    }
    this.#memory.makeRoom(newest)
  }
}
