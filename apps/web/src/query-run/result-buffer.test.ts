// A result whose rows are not all in memory: what is looked at comes, what is not goes, and nothing comes shorter.
import { type RecordBatch, RecordBatchReader, RecordBatchStreamWriter, tableFromArrays } from 'apache-arrow'
import { describe, expect, it, vi } from 'vitest'
import { ResultBuffer } from './result-buffer.ts'
import type { LoadRows } from './row-stretch.ts'

const NEVER = new AbortController().signal
const ROWS = 1_000
const HELD_BYTES = 10_000

function batchFrom(start: number, rowCount = ROWS): RecordBatch {
  const values = Int32Array.from({ length: rowCount }, (_, index) => start + index)
  const bytes = RecordBatchStreamWriter.writeAll(tableFromArrays({ n: values })).toUint8Array(true)
  return [...RecordBatchReader.from(bytes)][0]!
}
const byteCount = batchFrom(0).data.byteLength

const shown = (buffer: ResultBuffer, start: number, end: number) =>
  buffer.show(Array.from({ length: end - start }, (_, index) => start + index))

interface Call {
  stretch: number
  signal: AbortSignal
  give: (batches?: RecordBatch[]) => void
  fail: (error: Error) => void
}

/** A result of so many stretches, none in memory, each of which comes when the test gives it. */
function awayResult(stretchCount: number) {
  const buffer = new ResultBuffer({ heldBytesMax: HELD_BYTES })
  const calls: Call[] = []
  for (let stretch = 0; stretch < stretchCount; stretch += 1) {
    const load: LoadRows = (signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        const whole = [batchFrom(stretch * ROWS, 400), batchFrom(stretch * ROWS + 400, 600)]
        calls.push({ stretch, signal, give: (batches = whole) => resolve(batches), fail: reject })
      })
    buffer.appendAway({ rowCount: ROWS, byteCount, load })
  }
  const valueAt = (row: number): unknown => {
    const position = buffer.locate(row)
    return position === null ? null : position.batch.getChildAt(0)?.get(position.index)
  }
  const settled = () => new Promise((resolve) => setTimeout(resolve))
  return { buffer, calls, valueAt, settled }
}

describe('a result buffer whose rows are elsewhere', () => {
  it('[BG5] loads the rows that are looked at, and tells when they are there', async () => {
    const { buffer, calls, valueAt, settled } = awayResult(1_000)
    const told = vi.fn()
    buffer.subscribe(told)
    expect([buffer.rowCount, buffer.byteCount]).toEqual([1_000_000, 0])
    expect([buffer.isAway(999_999), buffer.isAway(1_000_000), buffer.isAway(-1)]).toEqual([
      true,
      false,
      false,
    ])
    shown(buffer, 500_990, 501_010)
    await settled()
    expect(calls.map(({ stretch }) => stretch)).toEqual([500, 501])
    for (const { give } of calls) give()
    await settled()
    expect([valueAt(500_999), valueAt(501_000), valueAt(500_400)]).toEqual([500_999, 501_000, 500_400])
    expect([valueAt(499_999), buffer.isAway(499_999)]).toEqual([null, true])
    expect(told).toHaveBeenCalledTimes(2)
  })

  it('[BG5] gives up what is scrolled past, and asks for it again when it is looked at again', async () => {
    const { buffer, calls, valueAt, settled } = awayResult(100)
    for (let stretch = 0; stretch < 10; stretch += 1) {
      shown(buffer, stretch * ROWS, stretch * ROWS + 20)
      await settled()
    }
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([...Array<boolean>(9).fill(true), false])
    expect(buffer.failure).toBeNull()
    shown(buffer, 0, 20)
    await settled()
    calls.at(-1)?.give()
    await settled()
    expect(valueAt(7)).toBe(7)
  })

  it('[BG5] keeps no more than its bound, and always what is shown', async () => {
    const { buffer, calls, valueAt, settled } = awayResult(200)
    for (let stretch = 0; stretch < 200; stretch += 1) {
      shown(buffer, stretch * ROWS, stretch * ROWS + ROWS)
      await settled()
      calls.at(-1)?.give()
      await settled()
      expect(buffer.byteCount).toBeLessThanOrEqual(HELD_BYTES)
      expect(valueAt(stretch * ROWS + 999)).toBe(stretch * ROWS + 999)
    }
    expect([buffer.isAway(0), buffer.isAway(199_000)]).toEqual([true, false])
    // Rows that cannot be had again stay.
    buffer.append(batchFrom(0))
    shown(buffer, 0, 20)
    await settled()
    calls.at(-1)?.give()
    await settled()
    expect(buffer.isAway(200_000)).toBe(false)
  })

  it('[BG5] brings a row for whoever waits, whatever is shown meanwhile, once for all who do', async () => {
    const { buffer, calls, valueAt, settled } = awayResult(10)
    const gone = new AbortController()
    const first = buffer.bring(2_500, NEVER)
    const second = buffer.bring(2_600, NEVER)
    const third = buffer.bring(2_700, gone.signal)
    shown(buffer, 0, 10)
    await settled()
    shown(buffer, 9_000, 9_010)
    await settled()
    expect(calls.map(({ stretch, signal }) => [stretch, signal.aborted])).toEqual([
      [2, false],
      [0, true],
      [9, false],
    ])
    gone.abort(new Error('gone'))
    await expect(third).rejects.toThrow('gone')
    expect(calls[0]?.signal.aborted).toBe(false)
    calls[0]?.give()
    await Promise.all([first, second])
    expect(valueAt(2_500)).toBe(2_500)
    const alone = new AbortController()
    const waiting = buffer.bring(5_000, alone.signal)
    await settled()
    alone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(calls.at(-1)?.signal.aborted).toBe(true)
  })

  it('[BG5] says why rows are not there, shows none of them, and tries again when asked', async () => {
    const { buffer, calls, valueAt, settled } = awayResult(10)
    const brought = buffer.bring(0, NEVER)
    await settled()
    calls[0]?.fail(new Error('RESULT_CORRUPT'))
    await expect(brought).rejects.toThrow('RESULT_CORRUPT')
    shown(buffer, 0, 10)
    await settled()
    // Too few rows are no rows.
    calls[1]?.give([batchFrom(0, 999)])
    await settled()
    expect([valueAt(0), buffer.isAway(0)]).toEqual([null, true])
    expect(buffer.failure).toEqual(new Error('a stretch came back with other rows'))
    buffer.retry()
    expect(buffer.failure).toBeNull()
    await settled()
    calls[2]?.give()
    await settled()
    expect([valueAt(0), buffer.failure]).toEqual([0, null])
  })
})
