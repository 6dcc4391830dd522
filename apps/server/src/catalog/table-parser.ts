// Turns the body of a loadTable answer into plain data without holding up the event loop: large ones are parsed in a worker
// thread, whose result comes back in pieces, since taking over one large object would hold it up as well.
import { Worker } from 'node:worker_threads'
import { AppError, type ErrorCode, type ErrorDetails } from '@lake/core/errors.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { raceAbort } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'
import { parseTable, type ParsedTable } from './parsed-table.ts'

/** What the worker sends for one body: a head, then snapshots in order, then the end; or a failure. */
export type FromTableParser =
  | { readonly id: number; readonly kind: 'head'; readonly table: ParsedTable }
  | { readonly id: number; readonly kind: 'snapshots'; readonly snapshots: TableMetadata['snapshots'] }
  | { readonly id: number; readonly kind: 'end' }
  | {
      readonly id: number
      readonly kind: 'failure'
      readonly code: ErrorCode | undefined
      readonly message: string
      readonly details: ErrorDetails | undefined
    }

export interface TableParser extends AsyncDisposable {
  /** Throws what `parseTable` throws, and CATALOG_UNAVAILABLE when the worker ended. */
  parse(text: string, signal: AbortSignal): Promise<ParsedTable>
}

interface Waiting extends PromiseWithResolvers<ParsedTable> {
  table: ParsedTable | undefined
  readonly snapshots: TableMetadata['snapshots'][number][]
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

  return {
    async parse(text, signal) {
      if (text.length < LIMITS.tableParsedInlineCharsMax) return parseTable(text)
      worker ??= startWorker()
      const id = nextId
      nextId += 1
      const entry: Waiting = { ...Promise.withResolvers<ParsedTable>(), table: undefined, snapshots: [] }
      waiting.set(id, entry)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      worker.postMessage({ id, text })
      return await raceAbort(entry.promise, signal)
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
    case 'snapshots':
      entry.snapshots.push(...message.snapshots)
      return
    case 'end': {
      const { table, snapshots } = entry
      if (table) entry.resolve({ ...table, metadata: { ...table.metadata, snapshots } })
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
