// A thread that writes one file (export-in-thread.ts). Formatting millions of values would keep the server from
// everything else; here it keeps nobody, and its heap is bounded.
import { createHash } from 'node:crypto'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { assert } from '@lake/core/assert.ts'
import { isAppError } from '@lake/core/errors.ts'
import type { ExportJob, FromExportThread, ToExportThread } from './export-protocol.ts'
import { openResult, StatementFailed } from './result-source.ts'
import { writeFile } from './write-file.ts'

/**
 * One message at a time, in turns: a writer whose output runs beside its input says two things at once, and the second
 * waits for the answer to the first.
 */
function createTurns(port: MessagePort) {
  let take: (message: ToExportThread) => void = () => undefined
  port.on('message', (message: ToExportThread) => {
    take(message)
  })
  const heard = (): Promise<ToExportThread> =>
    new Promise((resolve) => {
      take = resolve
    })
  let turn: Promise<unknown> = Promise.resolve()
  return {
    heard,
    /** Says something and waits for the answer. */
    say(message: FromExportThread, transfer: ArrayBuffer[] = []): Promise<ToExportThread> {
      const answer = turn.then(async () => {
        const answered = heard()
        port.postMessage(message, transfer)
        return await answered
      })
      turn = answer
      return answer
    },
  }
}

type Turns = ReturnType<typeof createTurns>

async function write(job: ExportJob, turns: Turns): Promise<FromExportThread> {
  const nextPiece = async (): Promise<Uint8Array | null> => {
    const answer = await turns.say({ kind: 'need' })
    assert(answer.kind === 'piece', 'a need is answered by a piece')
    return answer.bytes
  }
  const source = await openResult(nextPiece, job.sql, async (progress) => {
    await turns.say({ kind: 'progress', progress })
  })
  const hash = createHash('sha256')
  let byteCount = 0
  for await (const part of writeFile(job.target, source, job.issuedAtMs)) {
    if (part.length === 0) continue
    hash.update(part)
    byteCount += part.length
    // A copy is handed over: what a writer gave may be needed by it again.
    const bytes = new Uint8Array(part)
    await turns.say({ kind: 'chunk', bytes, byteCount, rowCount: source.rowCount }, [bytes.buffer])
  }
  const { format, options } = job.target
  const file = { format, options: { ...options }, byteCount, sha256: hash.digest('hex') }
  return { kind: 'done', document: { ...source.receipt(), file } }
}

async function main(port: MessagePort): Promise<void> {
  const turns = createTurns(port)
  await turns.heard()
  try {
    port.postMessage(await write(workerData as ExportJob, turns))
  } catch (error) {
    if (error instanceof StatementFailed) {
      port.postMessage({ kind: 'statementFailed', error: error.failure } satisfies FromExportThread)
    } else if (isAppError(error)) {
      const { code, message, details } = error
      port.postMessage({ kind: 'refused', code, message, details } satisfies FromExportThread)
    } else {
      throw error
    }
  } finally {
    port.close()
  }
}

assert(parentPort !== null, 'it runs as a thread')
await main(parentPort)
