// Where the rows of one running statement go that are too many for memory: a file on this browser's disk. They are the
// rows that came, byte by byte; nothing is read or computed anew to have them again.
import { createSpillFile, type SpillPlace } from '../storage/spill.ts'
import { packBatch, unpackBatch, type BatchShape, type PackedBatch } from './packed-batch.ts'
import type { RowStore } from './result-buffer.ts'

export function createRowStore(): RowStore {
  let file: ReturnType<typeof createSpillFile> | null = null
  let isClosed = false
  return {
    async put(batches) {
      const packed = isClosed
        ? []
        : batches.map(packBatch).filter((batch): batch is PackedBatch => batch !== null)
      if (packed.length < batches.length) return null
      const spill = (file ??= createSpillFile())
      try {
        const stored: { shape: BatchShape; place: SpillPlace }[] = []
        for (const { shape, bytes } of packed) stored.push({ shape, place: await spill.put(bytes) })
        return async () =>
          await Promise.all(
            stored.map(async ({ shape, place }) => unpackBatch(shape, await spill.get(place))),
          )
      } catch {
        return null
      }
    },
    close() {
      isClosed = true
      file?.remove()
    },
  }
}
