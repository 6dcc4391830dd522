// The worker of the spill: writes to files of the browser's private file system and reads from them, each file in turn.
// Only a worker may do so without waiting for a copy of the whole file.
import {
  recordNameOf,
  sha256Of,
  SPILL_FOLDER,
  type SpillAnswer,
  type SpillRequest,
} from './spill-protocol.ts'

/** Of the library for workers, whose other types are not those of the page. */
interface SyncAccessHandle {
  read: (into: Uint8Array, options: { at: number }) => number
  write: (bytes: Uint8Array, options: { at: number }) => number
  truncate: (byteCount: number) => void
  flush: () => void
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

function opened(name: string): Promise<OpenFile> {
  const opening = files.get(name) ?? openFile(name)
  files.set(name, opening)
  return opening
}

function writeAll(handle: SyncAccessHandle, bytes: Uint8Array, at: number): void {
  if (handle.write(bytes, { at }) !== bytes.byteLength) throw new Error('there is no more room on the disk')
}

async function remove(name: string): Promise<void> {
  const open = files.get(name)
  files.delete(name)
  if (open !== undefined) (await open).handle.close()
  const folder = await spillFolder()
  // Rows without their record are nobody's; a record without its rows would be looked for.
  for (const entry of [recordNameOf(name), name]) await folder.removeEntry(entry).catch(() => undefined)
}

/** The rows are on the disk before the record says so. */
async function seal(name: string, record: Uint8Array): Promise<void> {
  const { handle } = await opened(name)
  files.delete(name)
  handle.flush()
  handle.close()
  const { handle: recordHandle } = await openFile(recordNameOf(name))
  try {
    recordHandle.truncate(0)
    writeAll(recordHandle, record, 0)
    recordHandle.flush()
  } finally {
    recordHandle.close()
  }
}

async function answerTo(request: SpillRequest): Promise<SpillAnswer> {
  const { id, kind, file: name } = request
  switch (kind) {
    case 'remove':
      await remove(name)
      return { id, kind: 'removed' }
    case 'seal':
      await seal(name, request.record)
      return { id, kind: 'sealed' }
    case 'put': {
      const sha256 = request.isHashed ? await sha256Of(request.bytes) : null
      const file = await opened(name)
      const offset = file.byteCount
      writeAll(file.handle, request.bytes, offset)
      file.byteCount += request.bytes.byteLength
      return { id, kind: 'put', offset, sha256 }
    }
    case 'get': {
      const file = await opened(name)
      const bytes = new Uint8Array(request.byteCount)
      const read = file.handle.read(bytes, { at: request.offset })
      return { id, kind: 'got', bytes: bytes.subarray(0, read) }
    }
  }
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
