// The page's side of the disk that rows lie on, over a worker that does not answer.
import { afterEach, expect, it, vi } from 'vitest'
import { ROWS_CALL_MS_MAX } from '../limits.ts'
import type { SpillRequest } from './spill-protocol.ts'

const sent: SpillRequest[] = []
let tell: (data: unknown) => void = () => undefined

class SilentWorker {
  addEventListener(kind: string, listener: (event: { data: unknown }) => void): void {
    if (kind === 'message') tell = (data) => listener({ data })
  }
  postMessage(request: SpillRequest): void {
    sent.push(request)
  }
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('[RS1] a call that the disk does not answer has failed in time, and a late answer is to nobody', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('Worker', SilentWorker)
  const { spillDisk } = await import('./spill.ts')
  const failed = expect(spillDisk.remove('w.1')).rejects.toThrow('did not answer to remove')
  await vi.advanceTimersByTimeAsync(ROWS_CALL_MS_MAX)
  await failed
  tell({ id: sent[0]?.id, kind: 'removed' })
  const answered = spillDisk.remove('w.2')
  await vi.advanceTimersByTimeAsync(ROWS_CALL_MS_MAX - 1)
  tell({ id: sent[1]?.id, kind: 'removed' })
  await answered
})

it('[RS1] nor does one that the page makes itself wait for ever', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { storage: { getDirectory: async () => await new Promise(() => undefined) } })
  const { spillDisk } = await import('./spill.ts')
  const calls = [
    spillDisk.names(),
    spillDisk.readRecord('w.1'),
    spillDisk.removeRecord('w.1'),
    spillDisk.byteCountOf('w.1'),
    spillDisk.get('sealed.1', { offset: 0, byteCount: 1 }),
  ]
  const failed = Promise.allSettled(calls)
  await vi.advanceTimersByTimeAsync(ROWS_CALL_MS_MAX)
  expect((await failed).map(({ status }) => status)).toEqual(calls.map(() => 'rejected'))
})
