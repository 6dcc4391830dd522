// The main module of an engine process: one DuckDB, one statement at a time, no credentials, no environment.
// Requests come over the IPC channel and are answered in turn; rows leave as frames over a pipe, one batch at a time:
// the next is not computed before the pipe has taken the last. When the server goes away, so does the process.
import { Socket } from 'node:net'
import duckdb from '@duckdb/node-bindings'
import { ResultReturnType, StatementType, type DuckDBConnection, type DuckDBResult } from '@duckdb/node-api'
import { createChunkEncoder, type ChunkEncoder } from './arrow-encoder.ts'
import { typeText } from './arrow-types.ts'
import { openDatabase, type Database } from './database.ts'
import { quoteString } from './quote.ts'
import { rawEngineError } from './raw-error.ts'
import {
  FRAME_FD,
  FRAME_HEADER_BYTES,
  FRAME_KIND,
  type BindAnswer,
  type EngineRequest,
  type EngineSettings,
  type ExecuteAnswer,
  type FromEngine,
  type ToEngine,
} from './protocol.ts'

const frames = new Socket({ fd: FRAME_FD, readable: false, writable: true })
frames.on('error', () => process.kill(process.pid, 'SIGKILL'))

let settings: EngineSettings | undefined
let database: Database | undefined
/** Since the last `execute`. */
let isInterrupted = false
/** Since the database was opened: what a failure left in it is not known. */
let isSuspect = false

function open(): Database {
  if (!database) throw new Error('The engine process has not been started')
  return database
}

function writeFrame(kind: number, rowCount: number, payload: Uint8Array): Promise<void> {
  const header = Buffer.alloc(FRAME_HEADER_BYTES)
  header.writeUInt32LE(kind, 0)
  header.writeUInt32LE(rowCount, 4)
  header.writeUInt32LE(payload.byteLength, 8)
  return new Promise((resolve, reject) => {
    frames.write(header)
    frames.write(payload, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}

async function firstValue(connection: DuckDBConnection, sql: string, text: string): Promise<string> {
  const reader = await connection.runAndReadAll(sql, [text])
  return String(reader.getRows()[0]?.[0])
}

const serialize = (text: string): Promise<string> =>
  firstValue(open().connection, 'SELECT json_serialize_sql(?::VARCHAR)', text)

async function serializeAll(texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return []
  const rows = texts.map((text, index) => `(${index}, ${quoteString(`SELECT ${text}`)})`)
  const sql = `SELECT json_serialize_sql(x) FROM (VALUES ${rows.join(', ')}) v(i, x) ORDER BY i`
  const reader = await open().connection.runAndReadAll(sql)
  return reader.getRows().map(([value]) => String(value))
}

/** Also a second line of defence: what is not one query does not run, whoever asks. */
async function prepareQuery(connection: DuckDBConnection, sql: string) {
  const extracted = await connection.extractStatements(sql)
  if (extracted.count !== 1) throw new Error('Parser Error: Exactly one statement is expected')
  const prepared = await extracted.prepare(0)
  if (prepared.statementType !== StatementType.SELECT) throw new Error('Parser Error: Only queries run here')
  return prepared
}

async function bind(request: EngineRequest & { kind: 'bind' }): Promise<BindAnswer> {
  const { connection } = open()
  for (const macro of request.macros) await connection.run(macro)
  await connection.run('BEGIN TRANSACTION')
  try {
    for (const statement of request.ddl) await connection.run(statement)
    const prepared = await prepareQuery(connection, request.sql)
    const columns = Array.from({ length: prepared.columnCount }, (_, index) => ({
      name: prepared.columnName(index),
      type: typeText(prepared.columnType(index)),
    }))
    prepared.destroySync()
    // Empty statements before the first, which EXPLAIN would not skip.
    const sql = request.sql.replace(/^[\s;]+/, (empty) => ' '.repeat(empty.length))
    const explained = await connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`)
    const treeText = await serialize(request.sql)
    return { columns, treeText, planText: String(explained.getRows()[0]?.[1]) }
  } finally {
    // An open transaction would spoil every later statement; the pool replaces a process that ends.
    await connection.run('ROLLBACK').catch(() => process.kill(process.pid, 'SIGKILL'))
  }
}

/** A stream that fails ends like one that is exhausted; only the result's kind, then invalid, tells them apart. */
function hasFailed(result: DuckDBResult): boolean {
  return result.returnType !== ResultReturnType.QUERY_RESULT
}

/**
 * Why a stream failed. The bindings keep the engine's words to themselves, so the statement runs again with every row
 * folded into one value; what fails then is the reason. A failure stays a failure where the second run finds none.
 */
async function streamError(sql: string): Promise<Error> {
  if (isInterrupted) return new Error('Interrupt Error: Interrupted')
  const prefix = 'SELECT max(hash(q)) FROM ('
  try {
    await open().connection.run(`${prefix}${sql.replace(/[;\s]+$/u, '')}\n) AS q`)
  } catch (error) {
    const raw = rawEngineError(error)
    if (!['Parser', 'Binder', 'Catalog'].includes(raw.type)) {
      const position = raw.position === undefined ? undefined : raw.position - prefix.length
      return Object.assign(new Error(raw.message), { raw: { ...raw, position } })
    }
  }
  return new Error('Unknown Error: The statement failed while its rows were read')
}

async function pump(
  result: DuckDBResult,
  encoder: ChunkEncoder,
  request: EngineRequest & { kind: 'execute' },
): Promise<void> {
  let rowsLeft = request.rowsMax
  try {
    while (rowsLeft > 0) {
      const chunk = await result.fetchChunk()
      if (!chunk || chunk.rowCount === 0) break
      const rowCount = Math.min(chunk.rowCount, rowsLeft)
      rowsLeft -= rowCount
      for (const batch of encoder.add(chunk, rowCount)) {
        await writeFrame(FRAME_KIND.batch, batch.rowCount, batch.bytes)
      }
    }
    if (hasFailed(result)) throw await streamError(request.sql)
    const last = encoder.flush()
    if (last) await writeFrame(FRAME_KIND.batch, last.rowCount, last.bytes)
    await writeFrame(FRAME_KIND.end, 0, new Uint8Array())
  } catch (error) {
    isSuspect = true
    await writeFrame(FRAME_KIND.error, 0, Buffer.from(JSON.stringify(rawEngineError(error))))
  }
}

async function execute(
  request: EngineRequest & { kind: 'execute' },
  onEnd: () => void,
): Promise<ExecuteAnswer> {
  isInterrupted = false
  const { connection } = open()
  const prepared = await prepareQuery(connection, request.sql)
  const result = await prepared.stream()
  const columns = Array.from({ length: result.columnCount }, (_, index) => ({
    name: result.columnName(index),
    type: result.columnType(index),
    instants: request.instants[index] ?? [],
  }))
  const limits = settings as EngineSettings
  const encoder = createChunkEncoder(columns, limits)
  // The answer goes first; the frames follow by themselves and end with a frame that says how it went.
  setImmediate(() => void pump(result, encoder, request).finally(onEnd))
  return {
    columns: columns.map((column) => ({ name: column.name, type: typeText(column.type) })),
    schemaMessageBase64: Buffer.from(encoder.schemaMessage).toString('base64'),
  }
}

/** Settles when the last run has written its last frame. */
let running: Promise<void> = Promise.resolve()

async function reset(isWhole: boolean): Promise<void> {
  if (!isWhole && !isSuspect) return await open().renew()
  open().close()
  database = await openDatabase(settings as EngineSettings)
  isSuspect = false
}

async function handle(request: EngineRequest): Promise<unknown> {
  switch (request.kind) {
    case 'start':
      settings = request.settings
      database = await openDatabase(settings)
      return { version: duckdb.library_version() }
    case 'reset':
      // Frames of an old run must not be taken for those of the next.
      await running
      await reset(request.isWhole)
      return null
    case 'define':
      for (const statement of request.statements) await open().connection.run(statement)
      return null
    case 'parse':
      return serialize(request.sql)
    case 'expressions':
      return serializeAll(request.texts)
    case 'bind':
      return bind(request)
    case 'execute': {
      const { promise, resolve } = Promise.withResolvers<void>()
      running = promise
      try {
        return await execute(request, resolve)
      } catch (error) {
        resolve()
        throw error
      }
    }
    default:
      throw new Error('Unknown request')
  }
}

function answer(message: FromEngine): void {
  process.send?.(message)
}

async function serve(id: number, request: EngineRequest): Promise<void> {
  try {
    answer({ id, ok: true, value: await handle(request) })
  } catch (error) {
    isSuspect = true
    answer({ id, ok: false, error: rawEngineError(error) })
  }
}

process.on('message', (message: ToEngine) => {
  if ('interrupt' in message) {
    isInterrupted = true
    isSuspect = true
    database?.connection.interrupt()
  } else void serve(message.id, message.request)
})
// `exit` would wait for native threads that may be busy for minutes.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
