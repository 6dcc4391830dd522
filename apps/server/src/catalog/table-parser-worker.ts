// The worker thread of table-parser.ts. Has an empty environment and no state; one body at a time.
import { parentPort } from 'node:worker_threads'
import { assertDefined } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import { parseTable } from './parsed-table.ts'
import type { FromTableParser } from './table-parser.ts'

const port = assertDefined(parentPort, 'this file is the main of a worker thread')
const send = (message: FromTableParser): void => {
  port.postMessage(message)
}

port.on('message', ({ id, text }: { id: number; text: string }) => {
  try {
    const table = parseTable(text)
    const { snapshots } = table.metadata
    send({ id, kind: 'head', table: { ...table, metadata: { ...table.metadata, snapshots: [] } } })
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
