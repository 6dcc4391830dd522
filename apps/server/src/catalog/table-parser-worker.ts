// The worker thread of table-parser.ts. Has an empty environment and no state; one body at a time.
import { parentPort } from 'node:worker_threads'
import { assertDefined } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import { parseMetadataFile, parseTable, type ParsedTable } from './parsed-table.ts'
import type { FromTableParser, ToTableParser } from './table-parser.ts'

const port = assertDefined(parentPort, 'this file is the main of a worker thread')
const send = (message: FromTableParser): void => {
  port.postMessage(message)
}

/** What a metadata file does not say. */
const NOTHING: Omit<ParsedTable, 'metadata'> = {
  metadataLocation: undefined,
  config: {},
  storageCredentials: [],
  remoteSigning: undefined,
}

port.on('message', ({ id, kind, bytes, bytesMax }: ToTableParser) => {
  try {
    const table =
      kind === 'answer' ? parseTable(bytes) : { ...NOTHING, metadata: parseMetadataFile(bytes, bytesMax) }
    const snapshots = table.metadata?.snapshots ?? []
    const metadata = table.metadata && { ...table.metadata, snapshots: [] }
    send({ id, kind: 'head', table: { ...table, metadata } })
    const size = LIMITS.snapshotsPerMessageMax
    for (let start = 0; start < snapshots.length; start += size) {
      send({ id, kind: 'snapshots', snapshots: snapshots.slice(start, start + size) })
    }
    send({ id, kind: 'end' })
  } catch (error) {
    const { code, details } = error instanceof AppError ? error : { code: undefined, details: undefined }
    send({
      id,
      kind: 'failure',
      code,
      message: error instanceof Error ? error.message : String(error),
      details,
    })
  }
})
