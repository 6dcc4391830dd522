// Where the bytes of an export go until the file is whole: a file in the browser's private file system, so that a large
// one fills the disk and not the tab's memory; memory where the browser has none. Nothing has the person's name for it
// yet, so what is cut has none ever. What an ended tab left behind is removed by the next export.
import { EXPORT_LEFTOVER_MS } from '../../limits.ts'

export interface FileSink {
  write: (bytes: Uint8Array) => Promise<void>
  /** The whole file; nothing is written after it. */
  finish: () => Promise<Blob>
  /** Forgets what was written. */
  discard: () => Promise<void>
}

const FOLDER = 'exports'

export function createMemorySink(): FileSink {
  let parts: BlobPart[] = []
  return {
    write(bytes) {
      parts.push(new Uint8Array(bytes))
      return Promise.resolve()
    },
    finish: () => Promise.resolve(new Blob(parts)),
    discard() {
      parts = []
      return Promise.resolve()
    },
  }
}

async function removeLeftovers(folder: FileSystemDirectoryHandle, nowMs: number): Promise<void> {
  for await (const handle of folder.values()) {
    if (handle.kind !== 'file') continue
    const { lastModified } = await handle.getFile()
    if (nowMs - lastModified > EXPORT_LEFTOVER_MS) await folder.removeEntry(handle.name)
  }
}

async function createDiskSink(nowMs: number): Promise<FileSink> {
  const root = await navigator.storage.getDirectory()
  const folder = await root.getDirectoryHandle(FOLDER, { create: true })
  await removeLeftovers(folder, nowMs)
  const name = crypto.randomUUID()
  const handle = await folder.getFileHandle(name, { create: true })
  const writable = await handle.createWritable()
  return {
    write: (bytes) => writable.write(new Uint8Array(bytes)),
    async finish() {
      await writable.close()
      return await handle.getFile()
    },
    async discard() {
      await writable.abort().catch(() => undefined)
      await folder.removeEntry(name).catch(() => undefined)
    },
  }
}

/** A file on disk where the browser has a private file system that can be written to; else in memory. */
export async function createFileSink(nowMs: number): Promise<FileSink> {
  try {
    return await createDiskSink(nowMs)
  } catch {
    // No secure context, a private window, or a browser without it.
    return createMemorySink()
  }
}
