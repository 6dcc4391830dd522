// The worker thread of table-parser.ts. Has an empty environment. Bodies are parsed in turn, and each is given back piece by
// piece, the next when the last was taken over.
import { parentPort } from 'node:worker_threads'
import { assertDefined } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import { parseMetadataFile, parseTable, type ParsedTable } from './parsed-table.ts'
import { PIECEMEAL, type FromTableParser, type TableBody, type ToTableParser } from './table-parser.ts'

const port = assertDefined(parentPort, 'this file is the main of a worker thread')
const answers = new Map<number, Iterator<FromTableParser>>()

port.on('message', (message: ToTableParser) => {
  const { id } = message
  if (message.kind !== 'next') answers.set(id, answerTo(message))
  const { value, done } = answers.get(id)?.next() ?? { value: undefined, done: true }
  if (done === true || value.kind === 'end' || value.kind === 'failure') answers.delete(id)
  if (value) port.postMessage(value)
})

function* answerTo(body: TableBody): Generator<FromTableParser, undefined> {
  const { id } = body
  try {
    const table = parse(body)
    const { metadata } = table
    const empty = Object.fromEntries(PIECEMEAL.map((list) => [list, []]))
    yield { id, kind: 'head', table: { ...table, metadata: metadata && { ...metadata, ...empty } } }
    for (const list of PIECEMEAL) {
      for (const items of piecesOf(metadata?.[list] ?? [])) yield { id, kind: 'piece', list, items }
    }
    yield { id, kind: 'end' }
  } catch (error) {
    const { code, details } = error instanceof AppError ? error : { code: undefined, details: undefined }
    const message = error instanceof Error ? error.message : String(error)
    yield { id, kind: 'failure', code, message, details }
  }
}

function parse({ kind, bytes, bytesMax }: TableBody): ParsedTable {
  if (kind === 'answer') return parseTable(bytes)
  const nothing = {
    metadataLocation: undefined,
    config: {},
    storageCredentials: [],
    remoteSigning: undefined,
  }
  return { ...nothing, metadata: parseMetadataFile(bytes, bytesMax) }
}

function* piecesOf(items: readonly unknown[]): Generator<readonly unknown[]> {
  let start = 0
  let weight = 0
  for (const [index, item] of items.entries()) {
    weight += weightOf(item)
    if (weight < LIMITS.parsedPieceValuesMax) continue
    yield items.slice(start, index + 1)
    start = index + 1
    weight = 0
  }
  if (start < items.length) yield items.slice(start)
}

/** How many values there are to take over. */
function weightOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let weight = 1
  for (const inner of Object.values(value)) weight += weightOf(inner)
  return weight
}
