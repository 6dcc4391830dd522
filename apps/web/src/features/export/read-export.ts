// Reads an export's stream into a file. The file is given only when the closing message came and its length and SHA-256
// are those of what arrived; whatever else happens, there is none.
import { sha256 } from '@noble/hashes/sha2.js'
import { RecordBatchReader, type RecordBatch } from 'apache-arrow'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import { exportMessage, type ExportMessage } from '@lake/core/api/wire.ts'
import type { ExportReceipt } from '@lake/core/flight/receipt.ts'
import { formatHex } from '@lake/core/iceberg/utf8.ts'
import { ApiError } from '../../api/api-error.ts'
import { READ_SLICE_MS } from '../../limits.ts'
import type { FileSink } from './file-sink.ts'

export interface ExportProgress {
  byteCount: number
  rowCount: number
}

const incomplete = (cause?: unknown) =>
  new ApiError('EXPORT_INCOMPLETE', 'The transfer ended before the file was whole, so nothing was saved.', {
    cause,
  })

function messageOf(batch: RecordBatch): ExportMessage {
  try {
    return exportMessage.parse(JSON.parse(batch.metadata.get(BATCH_METADATA_KEY) ?? ''))
  } catch (cause) {
    throw incomplete(cause)
  }
}

function bytesOf(batch: RecordBatch): Uint8Array | null {
  return batch.numRows === 0 ? null : (batch.getChildAt(0)?.get(0) as Uint8Array | null)
}

const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

/** What arrived, as it is checked against the closing message. */
function createCheck() {
  const hash = sha256.create()
  let byteCount = 0
  return {
    add(bytes: Uint8Array) {
      hash.update(bytes)
      byteCount += bytes.length
    },
    passes: ({ file }: ExportReceipt): boolean =>
      file.byteCount === byteCount && file.sha256 === formatHex(hash.digest()),
  }
}

/** @throws ApiError EXPORT_INCOMPLETE, or what the server says; whatever the sink throws; the signal's reason */
export async function readExport(
  body: ReadableStream<Uint8Array>,
  sink: FileSink,
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
): Promise<ExportReceipt> {
  const check = createCheck()
  let yieldedAtMs = performance.now()
  const reader = await RecordBatchReader.from(body).catch((error: unknown) => {
    throw incomplete(error)
  })
  const batches = reader[Symbol.asyncIterator]()
  for (;;) {
    const next = await batches.next().catch((error: unknown) => {
      signal.throwIfAborted()
      throw incomplete(error)
    })
    signal.throwIfAborted()
    if (next.done === true) throw incomplete()
    const bytes = bytesOf(next.value)
    if (bytes !== null) {
      check.add(bytes)
      await sink.write(bytes)
    }
    const message = messageOf(next.value)
    if (message.kind === 'exported') {
      if (check.passes(message.document)) return message.document
      throw new ApiError(
        'EXPORT_INCOMPLETE',
        'What arrived is not what the server sent, so nothing was saved.',
      )
    }
    if (message.kind === 'failure') {
      const { code, message: text, requestId, details } = message.error
      throw new ApiError(code, text, { requestId, details })
    }
    if (message.kind === 'written') onProgress(message)
    // A fast stream is never out of data, so the page would neither paint nor hear Stop.
    if (performance.now() - yieldedAtMs > READ_SLICE_MS) {
      await nextTask()
      yieldedAtMs = performance.now()
    }
  }
}
