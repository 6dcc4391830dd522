// Results that outlive their page, over a disk that fails at any call: what comes back is what was stored, or nothing.
import { RecordBatchReader, RecordBatchStreamWriter, tableFromArrays, type RecordBatch } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { Computer, type Call, type Window } from './pretend-computer.ts'
import { ResultBuffer } from './result-buffer.ts'
import { encodeRecord, encodeSchema, withoutTickets, type StoredRecord } from './stored-record.ts'

const NEVER = new AbortController().signal
const ROWS = 1_000

function batchFrom(start: number): RecordBatch {
  const n = Int32Array.from({ length: ROWS }, (_, index) => start + index)
  const bytes = RecordBatchStreamWriter.writeAll(tableFromArrays({ n })).toUint8Array(true)
  return [...RecordBatchReader.from(bytes)][0]!
}

const info = { statementId: 's', schema: [], ticket: 'sealed', expiresAtMs: 9, tables: [] }
const receipt = { statementId: 's', tables: [], rowCount: 3_000, elapsedMs: 12, engine: 'e' }

/** Runs something in a tab to its end, and stores it. */
async function runAndStore({ results, newRows }: Window, tabId: string, groupId: string, batchCount = 3) {
  const rows = newRows()
  const buffer = new ResultBuffer({ store: rows })
  for (let i = 0; i < batchCount; i += 1) buffer.append(batchFrom(i * ROWS))
  const isSettled = await buffer.settle()
  const storedAtMs = Number(groupId.slice(1))
  const isStored =
    isSettled &&
    (await results.store(
      rows,
      withoutTickets({
        groupId,
        source: { tabId, sql: 'SELECT 1', startOffset: 0, startLine: 1, pins: [] },
        state: { kind: 'finished' as const, info, receipt },
        startedAtMs: storedAtMs,
        endedAtMs: storedAtMs,
        storedAtMs,
        background: null,
        schema: encodeSchema(batchFrom(0).schema),
      }),
    ))
  return { rows, buffer, isStored }
}

async function valuesOf(window: Window, tabId: string): Promise<number[] | null> {
  const [result] = window.results.of(tabId)
  const buffer = result && (await window.results.load(result, NEVER))
  if (!buffer) return null
  const values: number[] = []
  for (const row of [0, 999, 1_000, 2_999]) {
    await buffer.bring(row, NEVER)
    const { batch, index } = buffer.locate(row)!
    values.push(batch.getChildAt(0)?.get(index) as number)
  }
  return values
}

const THEIRS = [0, 999, 1_000, 2_999]
const TABS = new Set(['tab', 'other'])

async function storedOnce(computer = new Computer()) {
  const first = computer.window('w1')
  await first.results.open('ada', TABS)
  const { isStored, rows } = await runAndStore(first, 'tab', 'g1')
  expect(isStored).toBe(true)
  return { computer, first, rows }
}

async function nextWindow(computer: Computer, principal: string | null = 'ada', tabs = TABS) {
  const window = computer.window('w2')
  await window.results.removeLeftRows()
  await window.results.open(principal, tabs)
  return window
}

describe('[RS1] a result that outlives its page', () => {
  it('comes back with its rows and what it was made from, and without a ticket', async () => {
    const { computer, first } = await storedOnce()
    first.end()
    const next = await nextWindow(computer)
    const { state, source, principal, rowCount } = next.results.of('tab')[0]!.record
    expect([state.kind, state.info?.ticket, source.sql, principal, rowCount]).toEqual([
      'finished',
      '',
      'SELECT 1',
      'ada',
      3_000,
    ])
    expect(await valuesOf(next, 'tab')).toEqual(THEIRS)
    expect(new TextDecoder().decode(computer.files.get('w1.1.record'))).not.toContain('sealed')
  })

  it('is kept with no rows too', async () => {
    const computer = new Computer()
    const first = computer.window('w1')
    await first.results.open(null, TABS)
    expect((await runAndStore(first, 'tab', 'g1', 0)).isStored).toBe(true)
    first.end()
    const next = await nextWindow(computer, null)
    expect((await next.results.load(next.results.of('tab')[0]!, NEVER))?.rowCount).toBe(0)
  })

  it.each([
    ['another principal’s', 'bob', TABS],
    ['nobody’s, where somebody is signed in', null, TABS],
    ['of a tab that is gone for good', 'ada', new Set(['other'])],
  ])('is removed where it is %s', async (_what, principal, tabs) => {
    const { computer, first } = await storedOnce()
    first.end()
    const next = await nextWindow(computer, principal, tabs)
    expect(next.results.of('tab')).toEqual([])
    expect([...computer.files.keys()]).toEqual([])
  })

  it('is not removed for tabs that could not be read', async () => {
    const { computer, first } = await storedOnce()
    first.end()
    const next = computer.window('w2')
    await next.results.open('ada', null)
    expect(await valuesOf(next, 'tab')).toEqual(THEIRS)
  })

  it('goes with signing out, whoever shows it, and nothing is kept after', async () => {
    const { computer, first } = await storedOnce()
    const second = await nextWindow(computer)
    expect(await second.results.removeAll(NEVER)).toBe(true)
    expect([...computer.files.keys()]).toEqual([])
    expect((await runAndStore(second, 'tab', 'g2')).isStored).toBe(false)
    expect(await valuesOf(first, 'tab')).toBeNull()
  })

  it('[SI3] signing out takes rows without a record too, but for those that an open window writes', async () => {
    const { computer, first } = await storedOnce()
    await first.newRows().put([batchFrom(0)])
    const second = await nextWindow(computer)
    expect(await second.results.removeAll(NEVER)).toBe(true)
    expect([...computer.files.keys()]).toEqual(['w1.2'])
    first.end()
    expect(await second.results.removeAll(NEVER)).toBe(true)
    expect([...computer.files.keys()]).toEqual([])
  })

  it.each<Call>(['names', 'remove'])(
    '[SI3] signing out knows that rows are left where the disk fails at %s',
    async (call) => {
      const { computer, first } = await storedOnce()
      computer.failing = call
      expect(await first.results.removeAll(NEVER)).toBe(false)
      computer.failing = null
      expect(await first.results.removeAll(NEVER)).toBe(true)
      expect([...computer.files.keys()]).toEqual([])
    },
  )

  it.each<Call>(['names', 'remove'])(
    '[SI3] signing out waits no longer than it is told to where the disk hangs at %s',
    async (call) => {
      const { computer, first } = await storedOnce()
      computer.stuck = call
      const giveUp = new AbortController()
      const removing = first.results.removeAll(giveUp.signal)
      giveUp.abort()
      expect(await removing).toBe(false)
      // The page that comes next has a queue of its own.
      first.end()
      computer.stuck = null
      expect(await computer.window('w2').results.removeAll(NEVER)).toBe(true)
      expect([...computer.files.keys()]).toEqual([])
    },
  )
})

describe('[RS1] nothing is shown that is not whole', () => {
  const edited = (bytes: Uint8Array<ArrayBuffer>, at: number) => {
    const copy = bytes.slice()
    copy[at] = copy[at]! ^ 1
    return copy
  }
  const otherVersion = async (record: Uint8Array<ArrayBuffer>) => {
    const text = new TextDecoder().decode(record).replace('lake.result 1 ', 'lake.result 2 ')
    return new TextEncoder().encode(text)
  }
  const fewerRows = async (record: Uint8Array<ArrayBuffer>) => {
    const body = new TextDecoder().decode(record).split('\n')[1]!
    const parsed = JSON.parse(body) as StoredRecord
    return await encodeRecord({ ...parsed, rowCount: parsed.rowCount + 1 })
  }
  it.each<[string, (files: Map<string, Uint8Array<ArrayBuffer>>) => unknown]>([
    ['a record that was cut', (files) => files.set('w1.1.record', files.get('w1.1.record')!.slice(0, -1))],
    [
      'a record with another byte',
      (files) => files.set('w1.1.record', edited(files.get('w1.1.record')!, 99)),
    ],
    ['an empty record', (files) => files.set('w1.1.record', new Uint8Array())],
    [
      'a record of another version',
      async (files) => files.set('w1.1.record', await otherVersion(files.get('w1.1.record')!)),
    ],
    [
      'a record of other rows',
      async (files) => files.set('w1.1.record', await fewerRows(files.get('w1.1.record')!)),
    ],
    ['rows that are missing', (files) => files.delete('w1.1')],
    ['rows with more behind them', (files) => files.set('w1.1', new Uint8Array([...files.get('w1.1')!, 1]))],
    ['rows that were cut', (files) => files.set('w1.1', files.get('w1.1')!.slice(0, -8))],
    [
      'rows with another byte',
      (files) => files.set('w1.1', edited(files.get('w1.1')!, files.get('w1.1')!.length - 99)),
    ],
    ['rows without a record', (files) => files.delete('w1.1.record')],
  ])('%s', async (_what, damage) => {
    const { computer, first } = await storedOnce()
    first.end()
    await damage(computer.files)
    const next = await nextWindow(computer)
    expect(await valuesOf(next, 'tab')).toBeNull()
    expect(next.results.of('tab')).toEqual([])
    expect([...computer.files.keys()]).toEqual([])
  })

  it('rows that are damaged while they are shown fail, rather than being fewer', async () => {
    const { computer, first } = await storedOnce()
    first.end()
    const next = await nextWindow(computer)
    const buffer = (await next.results.load(next.results.of('tab')[0]!, NEVER))!
    for (const rows of buffer.givable()) buffer.letGo(rows)
    computer.files.set('w1.1', edited(computer.files.get('w1.1')!, 999))
    await expect(buffer.bring(0, NEVER)).rejects.toMatchObject({ code: 'RESULT_CORRUPT', isRetryable: false })
  })
})

describe('[RS1] where the disk fails', () => {
  it.each<Call>(['put', 'seal', 'names'])(
    'at %s nothing is kept, and the rows that are here stay',
    async (call) => {
      const computer = new Computer()
      const first = computer.window('w1')
      await first.results.open('ada', TABS)
      computer.failing = call
      const { buffer, isStored } = await runAndStore(first, 'tab', 'g1')
      computer.failing = null
      expect(isStored).toBe(false)
      await buffer.bring(2_999, NEVER)
      expect(buffer.locate(2_999)?.batch.getChildAt(0)?.get(999)).toBe(2_999)
      first.end()
      expect((await nextWindow(computer)).results.of('tab')).toEqual([])
      expect([...computer.files.keys()]).toEqual([])
    },
  )

  it('and does not remove what a window left, nobody waits for it', async () => {
    const { computer, first } = await storedOnce()
    await first.newRows().put([batchFrom(0)])
    first.end()
    computer.stuck = 'remove'
    const next = computer.window('w2')
    void next.results.removeLeftRows()
    await next.results.open('ada', TABS)
    expect(await valuesOf(next, 'tab')).toEqual(THEIRS)
  })

  it.each<Call>(['get', 'readRecord', 'byteCountOf'])('at %s nothing is shown', async (call) => {
    const { computer, first } = await storedOnce()
    first.end()
    computer.failing = call
    const next = await nextWindow(computer)
    expect(await valuesOf(next, 'tab')).toBeNull()
    expect(next.results.of('tab')).toEqual([])
  })

  it.each<Call>(['remove', 'removeRecord'])('at %s it is not shown either', async (call) => {
    const { computer, first } = await storedOnce()
    first.end()
    computer.failing = call
    expect((await nextWindow(computer, 'bob')).results.of('tab')).toEqual([])
    expect((await nextWindow(computer, 'ada', new Set(['other']))).results.of('other')).toEqual([])
  })

  it('and stops in the middle of the record, that is none', async () => {
    const computer = new Computer()
    const first = computer.window('w1')
    await first.results.open('ada', TABS)
    computer.isTorn = true
    computer.failing = 'removeRecord'
    expect((await runAndStore(first, 'tab', 'g1')).isStored).toBe(false)
    expect(computer.files.has('w1.1.record')).toBe(true)
    computer.failing = null
    // While that window lives it may just be writing.
    expect((await nextWindow(computer)).results.of('tab')).toEqual([])
    expect(computer.files.has('w1.1')).toBe(true)
    first.end()
    expect((await nextWindow(computer)).results.of('tab')).toEqual([])
    expect([...computer.files.keys()]).toEqual([])
  })
})

describe('[RS1] results are bounded', () => {
  it('in bytes of one, in number, and the one looked at longest ago goes first', async () => {
    const computer = new Computer()
    const window = computer.window('w1', { bytesMax: 20_000, allBytesMax: 1_000_000, countMax: 3 })
    await window.results.open('ada', null)
    expect((await runAndStore(window, 'large', 'g0', 6)).isStored).toBe(false)
    for (const [tab, group] of [
      ['a', 'g1'],
      ['b', 'g2'],
      ['c', 'g3'],
    ] as const)
      await runAndStore(window, tab, group)
    window.lookedAt.set('g1', 9)
    await runAndStore(window, 'd', 'g4')
    const kept = ['a', 'b', 'c', 'd'].filter((tab) => window.results.of(tab).length > 0)
    expect(kept).toEqual(['a', 'c', 'd'])
    // The rows are still shown here: they go when that ends, and are not taken up again.
    expect([computer.files.has('w1.3'), computer.files.has('w1.3.record')]).toEqual([true, false])
  })

  it('in bytes of all', async () => {
    const computer = new Computer()
    const window = computer.window('w1', { bytesMax: 20_000, allBytesMax: 30_000, countMax: 9 })
    await window.results.open('ada', null)
    for (let i = 1; i <= 5; i += 1) await runAndStore(window, `t${i}`, `g${i}`)
    expect([1, 2, 3, 4, 5].filter((i) => window.results.of(`t${i}`).length > 0)).toEqual([4, 5])
  })
})

describe('[RS1] windows do not take each other’s rows', () => {
  it('a result that another window shows keeps its rows when it is replaced', async () => {
    const { computer, rows } = await storedOnce()
    const second = await nextWindow(computer)
    const shown = (await second.results.load(second.results.of('tab')[0]!, NEVER))!
    for (const held of shown.givable()) shown.letGo(held)
    rows.close()
    await expect.poll(() => computer.files.has('w1.1.record')).toBe(false)
    await shown.bring(2_999, NEVER)
    expect(shown.locate(2_999)?.batch.getChildAt(0)?.get(999)).toBe(2_999)
    // They go with the last one that shows them.
    shown.close()
    await expect.poll(() => [...computer.files.keys()]).toEqual([])
  })

  it('what another window runs in the tab stands beside what this one shows, and replaces what none does', async () => {
    const { computer, first } = await storedOnce()
    const second = computer.window('w2')
    await second.results.open('ada', TABS)
    await runAndStore(second, 'tab', 'g2')
    expect(second.results.of('tab').map(({ record }) => record.groupId)).toEqual(['g1', 'g2'])
    first.end()
    await runAndStore(second, 'tab', 'g3')
    expect(second.results.of('tab').map(({ record }) => record.groupId)).toEqual(['g2', 'g3'])
  })

  it('a tab that is closed and may be reopened keeps its result, one that is gone does not', async () => {
    const { computer, first, rows } = await storedOnce()
    rows.putAside()
    expect(await valuesOf(first, 'tab')).toEqual(THEIRS)
    first.end()
    const next = await nextWindow(computer)
    await next.results.removeTab('tab')
    expect([...computer.files.keys()]).toEqual([])
  })
})
