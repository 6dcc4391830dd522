// Takes exports apart as a client outside the browser would: the file only where the stream says that it is whole.
import { createHash } from 'node:crypto'
import { RecordBatchReader, type RecordBatch } from 'apache-arrow'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import { exportMessage, type ExportMessage } from '@lake/core/api/wire.ts'
import type { ExportReceipt } from '@lake/core/flight/receipt.ts'
import { readFailure, type Failed, type TestClient } from './test-client.ts'

export interface ExportedFile {
  /** undefined unless the stream was closed by `exported` and length and digest agree. */
  readonly file: { readonly bytes: Buffer; readonly document: ExportReceipt } | undefined
  readonly failure:
    { readonly code: string; readonly details?: Record<string, unknown> | undefined } | undefined
  readonly messages: readonly ExportMessage[]
}

/** @param stream all of an export's stream, or what of it arrived */
export async function readExport(stream: Uint8Array | AsyncIterable<Uint8Array>): Promise<ExportedFile> {
  const parts: Uint8Array[] = []
  const messages: ExportMessage[] = []
  try {
    const reader = await RecordBatchReader.from(stream as AsyncIterable<Uint8Array>)
    for await (const batch of reader as AsyncIterable<RecordBatch>) {
      const column = batch.getChildAt(0)
      for (let row = 0; row < batch.numRows; row += 1) parts.push(column?.get(row) as Uint8Array)
      messages.push(exportMessage.parse(JSON.parse(batch.metadata.get(BATCH_METADATA_KEY) ?? '')))
    }
  } catch {
    // What is cut in the middle of a message is cut.
    return { file: undefined, failure: undefined, messages }
  }
  const last = messages.at(-1)
  const bytes = Buffer.concat(parts)
  const isWhole =
    last?.kind === 'exported' &&
    last.document.file.byteCount === bytes.length &&
    last.document.file.sha256 === createHash('sha256').update(bytes).digest('hex')
  return {
    file: isWhole ? { bytes, document: last.document } : undefined,
    failure: last?.kind === 'failure' ? last.error : undefined,
    messages,
  }
}

export interface ExportTargetInput {
  readonly format: string
  readonly options?: Readonly<Record<string, unknown>>
}

export async function postExport(
  client: TestClient,
  ticket: string,
  target: ExportTargetInput,
): Promise<Response> {
  return await client.request('POST', '/export', { ticket, ...target })
}

export async function runExport(
  client: TestClient,
  ticket: string,
  target: ExportTargetInput,
): Promise<ExportedFile | Failed> {
  const response = await postExport(client, ticket, target)
  if (!response.ok) return await readFailure(response)
  return await readExport(new Uint8Array(await response.arrayBuffer()))
}

/** The file of an export that must succeed. */
export async function exportedFile(
  client: TestClient,
  ticket: string,
  target: ExportTargetInput,
): Promise<{ bytes: Buffer; document: ExportReceipt }> {
  const result = await runExport(client, ticket, target)
  if ('status' in result) throw new Error(`${result.code}: ${result.message}`)
  if (!result.file) throw new Error(result.failure?.code ?? 'the stream ended without a file')
  return result.file
}
