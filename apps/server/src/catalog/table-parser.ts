// Turns the body of a loadTable answer, or a metadata file, into plain data without holding up the event loop: large ones are
// decoded and parsed in a worker thread, whose result comes back in pieces, since taking over one large object would hold it
// up as well.
import { Worker } from 'node:worker_threads'
import { AppError, type ErrorCode, type ErrorDetails } from '@lake/core/errors.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { raceAbort } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'
import { isGzip, parseMetadataFile, parseTable, type ParsedTable } from './parsed-table.ts'

/** One body for the worker, or that the last piece of it was taken over. */
export type ToTableParser = TableBody | { readonly id: number; readonly kind: 'next' }

export interface TableBody {
  readonly id: number
  readonly kind: 'answer' | 'metadata-file'
  readonly bytes: Uint8Array
  /** Of a metadata file, once it is decompressed. */
  readonly bytesMax: number
}

/** Of table metadata: what grows with its history, so that it is taken over in pieces. */
export const PIECEMEAL = ['schemas', 'snapshots', 'snapshotLog', 'refs', 'partitionSpecs'] as const
export type Piecemeal = (typeof PIECEMEAL)[number]

/** What the worker sends for one body: a head, then parts of lists in order, then the end; or a failure. */
export type FromTableParser =
  | { readonly id: number; readonly kind: 'head'; readonly table: ParsedTable }
  | {
      readonly id: number
      readonly kind: 'piece'
      readonly list: Piecemeal
      readonly items: readonly unknown[]
    }
  | { readonly id: number; readonly kind: 'end' }
  | {
      readonly id: number
      readonly kind: 'failure'
      readonly code: ErrorCode | undefined
      readonly message: string
      readonly details: ErrorDetails | undefined
    }

/** Both take `bytes` over: they are not to be used afterwards. */
export interface TableParser extends AsyncDisposable {
  /** Throws what `parseTable` throws, and CATALOG_UNAVAILABLE when the worker ended. */
  parseAnswer(bytes: Uint8Array, signal: AbortSignal): Promise<ParsedTable>
  /** Throws what `parseMetadataFile` throws, and CATALOG_UNAVAILABLE when the worker ended. */
  parseFile(bytes: Uint8Array, signal: AbortSignal): Promise<TableMetadata>
}

interface Waiting extends PromiseWithResolvers<ParsedTable> {
  table: ParsedTable | undefined
  readonly lists: Record<Piecemeal, unknown[]>
}

export function createTableParser(): TableParser {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let nextId = 1

  const startWorker = (): Worker => {
    const started = new Worker(new URL('table-parser-worker.ts', import.meta.url), { env: {} })
    started.unref()
    started.on('message', (message: FromTableParser) => {
      receive(waiting, message)
      const next: ToTableParser = { id: message.id, kind: 'next' }
      // One piece at a time, or a busy loop would find them all and take them over at once.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      if (message.kind === 'head' || message.kind === 'piece') setImmediate(() => started.postMessage(next))
    })
    const onGone = (): void => {
      if (worker === started) worker = undefined
      for (const { reject } of waiting.values())
        reject(new AppError('CATALOG_UNAVAILABLE', 'The table could not be parsed'))
      waiting.clear()
    }
    started.on('error', onGone)
    started.on('exit', onGone)
    return started
  }

  const parseInThread = async (
    kind: TableBody['kind'],
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<ParsedTable> => {
    worker ??= startWorker()
    const id = nextId
    nextId += 1
    const entry: Waiting = { ...Promise.withResolvers<ParsedTable>(), table: undefined, lists: emptyLists() }
    waiting.set(id, entry)
    // What is part of a larger buffer, such as Node's pool, is copied.
    const { buffer } = bytes
    const isWhole = buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength
    const message: TableBody = { id, kind, bytes, bytesMax: LIMITS.metadataFileBytesMax }
    worker.postMessage(message, isWhole ? [buffer] : [])
    return await raceAbort(entry.promise, signal)
  }

  return {
    async parseAnswer(bytes, signal) {
      if (bytes.byteLength < LIMITS.tableParsedInlineBytesMax) return parseTable(bytes)
      return await parseInThread('answer', bytes, signal)
    },
    async parseFile(bytes, signal) {
      // How long a compressed one takes is not told by its size.
      if (bytes.byteLength < LIMITS.tableParsedInlineBytesMax && !isGzip(bytes)) {
        return parseMetadataFile(bytes, LIMITS.metadataFileBytesMax)
      }
      const { metadata } = await parseInThread('metadata-file', bytes, signal)
      if (metadata) return metadata
      throw new Error('the worker gave no metadata')
    },
    async [Symbol.asyncDispose]() {
      await worker?.terminate()
    },
  }
}

function receive(waiting: Map<number, Waiting>, message: FromTableParser): void {
  const entry = waiting.get(message.id)
  if (!entry) return
  switch (message.kind) {
    case 'head':
      entry.table = message.table
      return
    case 'piece':
      entry.lists[message.list].push(...message.items)
      return
    case 'end': {
      const { table, lists } = entry
      // The lists are those that the worker took out of this metadata.
      const metadata = table?.metadata && ({ ...table.metadata, ...lists } as TableMetadata)
      if (table) entry.resolve({ ...table, metadata })
      break
    }
    case 'failure':
      entry.reject(
        message.code === undefined
          ? new Error(message.message)
          : new AppError(message.code, message.message, message.details ? { details: message.details } : {}),
      )
  }
  waiting.delete(message.id)
}

function emptyLists(): Record<Piecemeal, unknown[]> {
  return { schemas: [], snapshots: [], snapshotLog: [], refs: [], partitionSpecs: [] }
}
