// Gathers text into chunks of bytes of about one size.
import { LIMITS } from '../limits.ts'

/** Characters whose UTF-8 is about a chunk. */
const CHARS_MAX = LIMITS.exportChunkBytes
const encoder = new TextEncoder()

export interface TextChunks {
  /** Adds text and returns a chunk where one is full. */
  add(text: string): Uint8Array | undefined
  /** What is left; undefined for nothing. */
  flush(): Uint8Array | undefined
}

export function createTextChunks(): TextChunks {
  let gathered = ''
  const flush = (): Uint8Array | undefined => {
    if (gathered === '') return undefined
    const bytes = encoder.encode(gathered)
    gathered = ''
    return bytes
  }
  return {
    add(text) {
      gathered += text
      return gathered.length >= CHARS_MAX ? flush() : undefined
    },
    flush,
  }
}
