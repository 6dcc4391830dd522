import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import express from 'express'
import { expect, it } from 'vitest'
import { heldTime } from '../../test/support/held-time.ts'
import { LIMITS } from '../limits.ts'
import { sendArrowPart } from './arrow-response.ts'

const BYTES = 32 * 1_048_576
const MS_MAX = LIMITS.wholeAnswerWaitMs + (BYTES / LIMITS.wholeAnswerBytesPerSecondMin) * 1_000

/** A reader that has asked for a part and taken nothing of it yet. */
async function setUp() {
  const { time, pass, waitCount } = heldTime()
  const part = Buffer.alloc(BYTES)
  const app = express().get('/', (_request, response) => {
    sendArrowPart(response, part, time)
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  let takenBytes = 0
  socket.on('data', (data: Buffer) => (takenBytes += data.byteLength))
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await expect.poll(waitCount).toBe(1)
  return {
    pass,
    waitCount,
    /** Takes all that still comes. @returns how many bytes that was */
    async takeRest() {
      const closed = once(socket, 'close')
      socket.resume()
      await closed
      return takenBytes
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

it('[OV2] a part is cut off from a reader that takes longer than the slowest may', async () => {
  await using reader = await setUp()
  reader.pass(MS_MAX - 1)
  expect(reader.waitCount()).toBe(1)
  reader.pass(1)
  expect(await reader.takeRest()).toBeLessThan(BYTES)
})

it('[OV2] a part is whole for one that takes it just in time', async () => {
  await using reader = await setUp()
  reader.pass(MS_MAX - 1)
  expect(await reader.takeRest()).toBeGreaterThan(BYTES)
  await expect.poll(reader.waitCount).toBe(0)
})
