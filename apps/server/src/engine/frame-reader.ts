// Reads the frames of an engine process from its pipe, one when asked: what is not asked for stays in the pipe, which
// stops the engine.
import type { Readable } from 'node:stream'
import { LIMITS } from '../limits.ts'
import { FRAME_HEADER_BYTES } from './protocol.ts'

export interface Frame {
  readonly kind: number
  readonly rowCount: number
  readonly payload: Buffer
}

/** @returns the next frame, or undefined when the pipe ended or carries no frame that we would send */
export type ReadFrame = () => Promise<Frame | undefined>

/** At most one reader at a time. */
export function createFrameReader(stream: Readable): ReadFrame {
  let rest: Buffer = Buffer.alloc(0)
  let hasEnded = false
  let wake: () => void = () => undefined
  stream.on('error', () => undefined)
  stream.on('readable', () => {
    wake()
  })
  for (const event of ['end', 'close']) {
    stream.on(event, () => {
      hasEnded = true
      wake()
    })
  }

  const readExactly = async (byteCount: number): Promise<Buffer | undefined> => {
    const bytes = Buffer.allocUnsafeSlow(byteCount)
    let filled = 0
    while (filled < byteCount) {
      if (rest.length === 0) {
        const chunk = stream.read() as Buffer | null
        if (chunk !== null) {
          rest = chunk
        } else {
          if (hasEnded) return undefined
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        continue
      }
      const copied = rest.copy(bytes, filled)
      filled += copied
      rest = rest.subarray(copied)
    }
    return bytes
  }

  return async () => {
    const header = await readExactly(FRAME_HEADER_BYTES)
    if (!header) return undefined
    const payloadBytes = header.readUInt32LE(8)
    if (payloadBytes > LIMITS.engineFrameBytesMax) return undefined
    const payload = await readExactly(payloadBytes)
    if (!payload) return undefined
    return { kind: header.readUInt32LE(0), rowCount: header.readUInt32LE(4), payload }
  }
}
