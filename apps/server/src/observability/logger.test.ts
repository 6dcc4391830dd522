import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { LIMITS } from '../limits.ts'
import { createLogDestination } from './logger.ts'

it('[OP2] a log whose reader is slow keeps so much, drops the rest, and says how much', () => {
  const taken: string[] = []
  let takeNext: (() => void) | undefined
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString())
      takeNext = done
    },
  })
  const destination = createLogDestination(stream)
  const line = `${'x'.repeat(1_048_575)}\n`
  for (let count = 0; count < 20; count += 1) destination.write(line)
  expect(stream.writableLength).toBe(LIMITS.logWaitingBytesMax)
  while (stream.writableLength > 0) takeNext?.()
  destination.write('last\n')
  while (stream.writableLength > 0) takeNext?.()
  const kept = LIMITS.logWaitingBytesMax / line.length
  expect(taken).toHaveLength(kept + 2)
  expect(JSON.parse(taken.at(-2) ?? '')).toMatchObject({ level: 40, droppedCount: 20 - kept })
  expect(taken.at(-1)).toBe('last\n')
})

it('[OP2] a log whose reader has gone ends nothing', async () => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  const destination = createLogDestination(gone)
  destination.write('one\n')
  await new Promise((resolve) => gone.once('close', resolve))
  destination.write('two\n')
  expect(gone.destroyed).toBe(true)
})
