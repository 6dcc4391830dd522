// The worker of the spill: writes to files of the browser's private file system and reads from them, each file in turn.
// Only a worker may do so without waiting for a copy of the whole file.
import { SPILL_FOLDER, type SpillAnswer, type SpillRequest } from './spill-protocol.ts'

/** Of the library for workers, whose other types are not those of the page. */
interface SyncAccessHandle {
  read: (into: Uint8Array, options: { at: number }) => number
  write: (bytes: Uint8Array, options: { at: number }) => number
  close: () => void
}
type WritableFile = FileSystemFileHandle & { createSyncAccessHandle: () => Promise<SyncAccessHandle> }

interface OpenFile {
  handle: SyncAccessHandle
  byteCount: number
}

const files = new Map<string, Promise<OpenFile>>()

async function spillFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  return await root.getDirectoryHandle(SPILL_FOLDER, { create: true })
}

async function openFile(name: string): Promise<OpenFile> {
  const file = (await (await spillFolder()).getFileHandle(name, { create: true })) as WritableFile
  return { handle: await file.createSyncAccessHandle(), byteCount: 0 }
}

async function answerTo(request: SpillRequest): Promise<SpillAnswer> {
  const { id, kind, file: name } = request
  if (kind === 'remove') {
    const open = files.get(name)
    files.delete(name)
    if (open !== undefined) {
      const { handle } = await open
      handle.close()
      await (await spillFolder()).removeEntry(name)
    }
    return { id, kind: 'removed' }
  }
  const opening = files.get(name) ?? openFile(name)
  files.set(name, opening)
  const file = await opening
  if (kind === 'put') {
    const offset = file.byteCount
    const written = file.handle.write(request.bytes, { at: offset })
    if (written !== request.bytes.byteLength) throw new Error('there is no more room on the disk')
    file.byteCount += written
    return { id, kind: 'put', offset }
  }
  const bytes = new Uint8Array(request.byteCount)
  const read = file.handle.read(bytes, { at: request.offset })
  return { id, kind: 'got', bytes: bytes.subarray(0, read) }
}

addEventListener('message', ({ data }: MessageEvent<SpillRequest>) => {
  answerTo(data).then(
    (answer) => postMessage(answer, { transfer: answer.kind === 'got' ? [answer.bytes.buffer] : [] }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      postMessage({ id: data.id, kind: 'failed', message } satisfies SpillAnswer)
    },
  )
})
