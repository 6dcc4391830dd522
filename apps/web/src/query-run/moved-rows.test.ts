// A stream whose rows outgrow memory: they go to the buffer's store, none is lost or changed, and where the store takes
// no more, the reader is paused.
import { RecordBatchReader, RecordBatchStreamWriter, tableFromArrays, type RecordBatch } from 'apache-arrow'
import { expect, it } from 'vitest'
import { RESULT_BYTES_ALWAYS_HELD } from '../limits.ts'
import { packBatches, unpackBatches } from './packed-batch.ts'
import { ResultMemory } from './result-memory.ts'
import { ResultBuffer, type RowStore } from './result-buffer.ts'

const ROWS = 1_000
const HELD_BYTES = 10_000
const NEVER = new AbortController().signal

function batchFrom(start: number): RecordBatch {
  const n = Int32Array.from({ length: ROWS }, (_, index) => start + index)
  const bytes = RecordBatchStreamWriter.writeAll(tableFromArrays({ n })).toUint8Array(true)
  return [...RecordBatchReader.from(bytes)][0]!
}

/** Keeps so many batches as the disk would. */
function diskOf(batchesMax: number): RowStore & { batchCount: number; isClosed: boolean } {
  return {
    batchCount: 0,
    isClosed: false,
    put(batches) {
      if (this.batchCount >= batchesMax) return Promise.resolve(null)
      this.batchCount += 1
      const packed = packBatches(batches)!
      return Promise.resolve(() => Promise.resolve(unpackBatches(batches[0]!.schema, packed)))
    },
    close() {
      this.isClosed = true
    },
    putAside() {
      this.isClosed = true
    },
  }
}

async function stream(buffer: ResultBuffer, batchCount: number): Promise<number> {
  let mostBytes = 0
  for (let i = 0; i < batchCount && !buffer.isFull; i += 1) {
    buffer.append(batchFrom(i * ROWS))
    await buffer.moveAway()
    mostBytes = Math.max(mostBytes, buffer.byteCount)
  }
  return mostBytes
}

it('[RW5] holds no more than its bound, and every row is the one that came', async () => {
  const store = diskOf(1_000)
  const buffer = new ResultBuffer({ heldBytesMax: HELD_BYTES, bytesPerStep: 3 * HELD_BYTES, store })
  expect(await stream(buffer, 200)).toBeLessThanOrEqual(HELD_BYTES)
  expect(buffer.rowCount).toBe(200_000)
  expect(buffer.movedByteCount).toBeGreaterThan(190 * 4 * ROWS)
  for (const row of [0, 999, 1_000, 123_456, 198_999, 199_999]) {
    await buffer.bring(row, NEVER)
    const position = buffer.locate(row)
    expect(position?.batch.getChildAt(0)?.get(position.index)).toBe(row)
    expect(buffer.byteCount).toBeLessThanOrEqual(HELD_BYTES)
  }
  buffer.close()
  expect(store.isClosed).toBe(true)
})

it('[RW5] pauses where the disk takes no more, and where enough was moved; both can go on', async () => {
  const full = new ResultBuffer({ heldBytesMax: HELD_BYTES, bytesPerStep: 3 * HELD_BYTES, store: diskOf(5) })
  await stream(full, 200)
  expect([full.isFull, full.rowCount < 20_000, full.movedByteCount > 0]).toEqual([true, true, true])
  full.raiseLimit()
  expect(full.isFull).toBe(false)

  const much = new ResultBuffer({ heldBytesMax: HELD_BYTES, movedBytesPerStep: 40_000, store: diskOf(1_000) })
  await stream(much, 200)
  expect([much.isFull, much.byteCount <= HELD_BYTES]).toEqual([true, true])
  much.raiseLimit()
  await stream(much, 200)
  expect(much.movedByteCount).toBeGreaterThanOrEqual(80_000)
})

/** Finished results of so many batches each, that share what memory there is. */
async function finishedResults(memory: ResultMemory, count: number, store: () => RowStore | null) {
  const buffers: ResultBuffer[] = []
  for (let i = 0; i < count; i += 1) {
    const buffer = new ResultBuffer({ heldBytesMax: HELD_BYTES, store: store(), memory })
    await stream(buffer, 2)
    await buffer.settle()
    buffers.push(buffer)
  }
  return buffers
}
const valueAt = (buffer: ResultBuffer, row: number): unknown => {
  const position = buffer.locate(row)
  return position?.batch.getChildAt(0)?.get(position.index) ?? null
}

it('[RS3] all results together hold no more than their bound; those that are not shown give way first', async () => {
  const memory = new ResultMemory(3 * HELD_BYTES)
  const buffers = await finishedResults(memory, 24, () => diskOf(1_000))
  expect(memory.byteCount).toBeLessThanOrEqual(3 * HELD_BYTES)
  expect(buffers.map((buffer) => buffer.isAway(0)).indexOf(false)).toBeGreaterThan(20)
  // The first one is looked at: it comes back, stays while others come, and goes when it is left.
  buffers[0]!.show([0, 1_999])
  await expect.poll(() => valueAt(buffers[0]!, 1_999)).toBe(1_999)
  for (const buffer of buffers.slice(1)) {
    await buffer.bring(0, NEVER)
    expect(valueAt(buffer, 1_999)).toBe(1_999)
    expect(memory.byteCount).toBeLessThanOrEqual(3 * HELD_BYTES)
  }
  expect(valueAt(buffers[0]!, 1_999)).toBe(1_999)
  buffers[0]!.show([])
  for (const buffer of buffers.slice(1)) await buffer.bring(0, NEVER)
  expect(buffers[0]!.isAway(0)).toBe(true)
  for (const buffer of buffers) buffer.close()
  expect(memory.byteCount).toBe(0)
})

it('[RS3] the rest of a result that is shown gives way after one that is not, whichever was looked at last', () => {
  const batch = batchFrom(0)
  const byteCount = batch.data.byteLength
  const memory = new ResultMemory(4 * byteCount)
  const [shown, other] = [1, 2].map(() => {
    const buffer = new ResultBuffer({ memory })
    for (let i = 0; i < 3; i += 1)
      buffer.appendAway({ rowCount: ROWS, byteCount, load: () => Promise.resolve([batch]) }, [batch])
    return buffer
  })
  shown!.show([0])
  other!.locate(2_500)
  memory.makeRoom()
  const isHere = (buffer: ResultBuffer) => [0, 1_000, 2_000].map((row) => !buffer.isAway(row))
  expect([isHere(shown!), isHere(other!)]).toEqual([
    [true, true, true],
    [false, false, true],
  ])
})

it('[RS3] where rows cannot give way, the next result pauses rather than going over; small ones do not', async () => {
  const memory = new ResultMemory(3 * HELD_BYTES)
  await finishedResults(memory, 4, () => null)
  expect(memory.isOver).toBe(true)
  const small = new ResultBuffer({ memory })
  small.append(batchFrom(0))
  expect(small.isFull).toBe(false)
  const large = new ResultBuffer({ memory, heldBytesMax: HELD_BYTES })
  while (!large.isFull) large.append(batchFrom(large.rowCount))
  expect(large.byteCount).toBeLessThan(RESULT_BYTES_ALWAYS_HELD + 2 * HELD_BYTES)
  large.raiseLimit()
  expect(large.isFull).toBe(false)
})
