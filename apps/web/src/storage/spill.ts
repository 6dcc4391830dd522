// Rows of results that are put on the disk and taken back: the browser's private file system, through a worker while they
// are written. What may stay beyond the page, and what is removed, is decided in query-run/stored-results.ts.
import { ROWS_CALL_MS_MAX } from '../limits.ts'
import { recordNameOf, SPILL_FOLDER, type SpillAnswer, type SpillRequest } from './spill-protocol.ts'
import { windowId } from './window-life.ts'

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
  const { promise: answer, resolve, reject } = Promise.withResolvers<SpillAnswer>()
  waiting.set(id, { resolve, reject })
  worker.postMessage({ ...request, id }, transfer)
  // The worker is left as it is: it has files open, and what it answers late is to nobody.
  return await inTime(request.kind, answer).finally(() => waiting.delete(id))
}

/** Rejects where the disk takes too long; what it still does then is nobody's. */
async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`the disk did not answer to ${what}`)),
    ROWS_CALL_MS_MAX,
  )
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

/** Where bytes that were put lie in their file. */
export interface SpillPlace {
  offset: number
  byteCount: number
}

/** The calls to the disk that rows of results need, by name of their file; each rejects where the disk does not do it, or not in time. */
export interface ResultDisk {
  /** Appends, and takes the bytes away from the caller. `sha256` is null where it was not asked for. */
  put: (
    file: string,
    bytes: Uint8Array<ArrayBuffer>,
    isHashed: boolean,
  ) => Promise<SpillPlace & { sha256: string | null }>
  /** May give fewer bytes than were put, where the file was cut. */
  get: (file: string, place: SpillPlace) => Promise<Uint8Array<ArrayBuffer>>
  /** Ends the writing of the rows and puts their record beside them: with it they outlive the page. */
  seal: (file: string, record: Uint8Array<ArrayBuffer>) => Promise<void>
  /** Rows and record. */
  remove: (file: string) => Promise<void>
  /** The rows go when nobody uses them any more. */
  removeRecord: (file: string) => Promise<void>
  /** Of files and records; none where there is no disk for this page. */
  names: () => Promise<string[]>
  readRecord: (file: string) => Promise<Uint8Array<ArrayBuffer>>
  byteCountOf: (file: string) => Promise<number>
}

const spillFolder = async (): Promise<FileSystemDirectoryHandle> =>
  await (await navigator.storage.getDirectory()).getDirectoryHandle(SPILL_FOLDER)

const fileNamed = async (name: string): Promise<File> =>
  await (await (await spillFolder()).getFileHandle(name)).getFile()

const bytesOf = async (blob: Blob): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await blob.arrayBuffer())

const sealedBytes = async (file: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> =>
  await bytesOf((await fileNamed(file)).slice(start, end))

const removeNamed = async (name: string): Promise<void> => await (await spillFolder()).removeEntry(name)

async function namesInFolder(): Promise<string[]> {
  const names: string[] = []
  const folder = await spillFolder().catch(() => null)
  if (folder !== null) for await (const name of folder.keys()) names.push(name)
  return names
}

/** Files that this page writes to; any other is sealed, and read without the worker: by several windows, if need be. */
const written = new Set<string>()
const sealing = new Map<string, Promise<unknown>>()

/** A name that no window has used. */
export const newSpillFile = (): string => `${windowId}.${(fileCount += 1)}`

export const spillDisk: ResultDisk = {
  async put(file, bytes, isHashed) {
    written.add(file)
    const { byteLength: byteCount } = bytes
    const answer = await ask<'put'>({ kind: 'put', file, bytes, isHashed }, [bytes.buffer])
    if (answer.kind !== 'put') throw new Error('an answer to something else')
    return { offset: answer.offset, byteCount, sha256: answer.sha256 }
  },
  async get(file, { offset, byteCount }) {
    await sealing.get(file)
    if (!written.has(file)) return await inTime('get', sealedBytes(file, offset, offset + byteCount))
    const answer = await ask<'get'>({ kind: 'get', file, offset, byteCount })
    if (answer.kind !== 'got') throw new Error('an answer to something else')
    return answer.bytes
  },
  async seal(file, record) {
    const asked = ask<'seal'>({ kind: 'seal', file, record }, [record.buffer])
    // Whether or not the record will be there, the rows are written no more.
    written.delete(file)
    sealing.set(
      file,
      asked.catch(() => undefined),
    )
    await asked.finally(() => sealing.delete(file))
  },
  async remove(file) {
    await ask<'remove'>({ kind: 'remove', file })
    written.delete(file)
  },
  removeRecord: async (file) => await inTime('remove', removeNamed(recordNameOf(file))),
  names: async () => await inTime('names', namesInFolder()),
  readRecord: async (file) => await inTime('get', fileNamed(recordNameOf(file)).then(bytesOf)),
  byteCountOf: async (file) => (await inTime('get', fileNamed(file))).size,
}

/** Which window wrote a file. */
export const windowOfFile = (file: string): string => file.split('.')[0] ?? ''
