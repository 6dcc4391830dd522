// Bytes of this page that are put on the disk and taken back: the browser's private file system, through a worker. Files
// end with their owner; those of windows that ended without a farewell are removed by the next one.
import { openWindowIds, windowId } from './window-life.ts'
import { SPILL_FOLDER, type SpillAnswer, type SpillRequest } from './spill-protocol.ts'

type Kind = SpillRequest['kind']
type RequestOf<K extends Kind> = Omit<Extract<SpillRequest, { kind: K }>, 'id'>

interface Waiter {
  resolve: (answer: SpillAnswer) => void
  reject: (error: Error) => void
}

let worker: Worker | null = null
let lastId = 0
let fileCount = 0
const waiting = new Map<number, Waiter>()

function startWorker(): Worker {
  const started = new Worker(new URL('./spill-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<SpillAnswer>) => {
    const waiter = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.kind === 'failed') waiter?.reject(new Error(data.message))
    else waiter?.resolve(data)
  })
  started.addEventListener('error', () => {
    for (const { reject } of waiting.values()) reject(new Error('the worker that writes to the disk failed'))
    waiting.clear()
  })
  return started
}

async function ask<K extends Kind>(
  request: RequestOf<K>,
  transfer: ArrayBuffer[] = [],
): Promise<SpillAnswer> {
  worker ??= startWorker()
  const id = (lastId += 1)
  const answer = new Promise<SpillAnswer>((resolve, reject) => waiting.set(id, { resolve, reject }))
  worker.postMessage({ ...request, id }, transfer)
  return await answer
}

/** Where bytes that were put lie in their file. */
export interface SpillPlace {
  offset: number
  byteCount: number
}

interface SpillFile {
  /** Takes the bytes away from the caller. @throws where there is no room, or no disk for this page */
  put: (bytes: Uint8Array<ArrayBuffer>) => Promise<SpillPlace>
  /** May give fewer bytes than were put, where the file was cut. */
  get: (place: SpillPlace) => Promise<Uint8Array<ArrayBuffer>>
  remove: () => void
}

/** A file that comes to be with the first bytes. */
export function createSpillFile(): SpillFile {
  const file = `${windowId}.${(fileCount += 1)}`
  return {
    async put(bytes) {
      const { byteLength: byteCount } = bytes
      const answer = await ask<'put'>({ kind: 'put', file, bytes }, [bytes.buffer])
      if (answer.kind !== 'put') throw new Error('an answer to something else')
      return { offset: answer.offset, byteCount }
    },
    async get({ offset, byteCount }) {
      const answer = await ask<'get'>({ kind: 'get', file, offset, byteCount })
      if (answer.kind !== 'got') throw new Error('an answer to something else')
      return answer.bytes
    },
    remove: () => void ask<'remove'>({ kind: 'remove', file }).catch(() => undefined),
  }
}

/** Removes what windows left that are not open any more. */
export async function removeLeftSpills(): Promise<void> {
  try {
    const root = await navigator.storage.getDirectory()
    const folder = await root.getDirectoryHandle(SPILL_FOLDER)
    const open = await openWindowIds()
    for await (const name of folder.keys())
      if (!open.has(name.split('.')[0] ?? '')) await folder.removeEntry(name)
  } catch {
    // No folder, or no private file system: there is nothing to remove.
  }
}
