// The rows of a statement's stream, as the writers of files read it: batches of rows until the closing receipt. Anything
// else at its end is a failure, so no writer ever closes a file over rows that are not all.
import { RecordBatchReader, type RecordBatch, type Schema } from 'apache-arrow'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import { batchMessage, type Failure, type Progress } from '@lake/core/api/wire.ts'
import { assert } from '@lake/core/assert.ts'
import type { EmbeddedReceipt, Receipt } from '@lake/core/flight/receipt.ts'
import { END_OF_STREAM } from '../engine/arrow-messages.ts'

/** The statement ended with a failure of its own. */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed'
  readonly failure: Failure['error']

  constructor(failure: Failure['error']) {
    super(failure.message)
    this.failure = failure
  }
}

export interface RowsPiece {
  readonly batch: RecordBatch
  /** The encapsulated message that the batch came as. */
  readonly bytes: Uint8Array
}

export interface ResultSource {
  readonly schema: Schema
  readonly schemaMessage: Uint8Array
  /** Read once, to its end. Throws StatementFailed. */
  readonly rows: AsyncIterable<RowsPiece>
  /** Known once `rows` has ended. */
  receipt(): EmbeddedReceipt
  /** Of the batches that were given so far. */
  readonly rowCount: number
}

/** @param nextPiece the next encapsulated Arrow message, the schema first; null after the last */
export async function openResult(
  nextPiece: () => Promise<Uint8Array | null>,
  sql: string,
  onProgress: (progress: Progress) => Promise<void>,
): Promise<ResultSource> {
  const schemaMessage = await nextPiece()
  assert(schemaMessage !== null, 'a stream begins with its schema')
  const decode = (piece: Uint8Array): RecordBatch | undefined => {
    const reader = RecordBatchReader.from([schemaMessage, piece, END_OF_STREAM])
    return [...reader][0]
  }
  let receipt: Receipt | undefined
  let rowCount = 0

  async function* readRows(): AsyncGenerator<RowsPiece> {
    for (let piece = await nextPiece(); piece !== null; piece = await nextPiece()) {
      const batch = decode(piece)
      if (batch === undefined) continue
      const text = batch.metadata.get(BATCH_METADATA_KEY)
      if (text === undefined) {
        rowCount += batch.numRows
        if (batch.numRows > 0) yield { batch, bytes: piece }
        continue
      }
      const message = batchMessage.parse(JSON.parse(text))
      if (message.kind === 'failure') throw new StatementFailed(message.error)
      if (message.kind === 'receipt') ({ receipt } = message)
      else await onProgress(message)
    }
    assert(receipt !== undefined, 'a stream ends with a receipt or a failure')
    assert(receipt.rowCount === rowCount, 'the receipt counts the rows of its stream')
  }

  return {
    schema: RecordBatchReader.from([schemaMessage, END_OF_STREAM]).open().schema,
    schemaMessage,
    rows: readRows(),
    receipt() {
      assert(receipt !== undefined, 'the receipt is known after the last row')
      return { ...receipt, sql }
    },
    get rowCount() {
      return rowCount
    },
  }
}
