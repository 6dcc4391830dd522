// A stream whose rows outgrow memory: they go to the buffer's store, none is lost or changed, and where the store takes
// no more, the reader is paused.
import { RecordBatchReader, RecordBatchStreamWriter, tableFromArrays, type RecordBatch } from 'apache-arrow'
import { expect, it } from 'vitest'
import { packBatch, unpackBatch } from './packed-batch.ts'
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
      const packed = batches.map((batch) => packBatch(batch)!)
      return Promise.resolve(() =>
        Promise.resolve(packed.map(({ shape, bytes }) => unpackBatch(shape, bytes))),
      )
    },
    close() {
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
