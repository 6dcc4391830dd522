// What rides in the custom metadata of Arrow record batches, under the one key below, as JSON text.
// Rows and messages share a stream: a message sits on a batch of its own with zero rows, after the rows it speaks of.
import * as z from 'zod'
import { exportReceipt, receipt } from '../flight/receipt.ts'

export const ARROW_STREAM_MEDIA_TYPE = 'application/vnd.apache.arrow.stream'

export const progress = z.object({
  kind: z.literal('progress'),
  phase: z.enum(['planning', 'reading', 'executing']),
  filesRead: z.number().int(),
  filesPlanned: z.number().int(),
  bytesRead: z.number().int(),
  /** Of data and delete files, as planned; more is read by footers and gaps, and less where a LIMIT ends the reading. */
  bytesPlanned: z.number().int(),
  /** Rows sent before this message. */
  rowCount: z.number().int(),
  elapsedMs: z.number(),
})
export type Progress = z.infer<typeof progress>

export const failure = z.object({
  kind: z.literal('failure'),
  error: z.object({
    code: z.string(),
    message: z.string(),
    requestId: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
})
export type Failure = z.infer<typeof failure>

export const closing = z.object({ kind: z.literal('receipt'), receipt })
export type Closing = z.infer<typeof closing>

/** `receipt` and `failure` end a stream: nothing follows them. */
export const batchMessage = z.discriminatedUnion('kind', [progress, closing, failure])
export type BatchMessage = z.infer<typeof batchMessage>

/** Name of the one column of an export's stream: the bytes of the file, in order. */
export const FILE_COLUMN = 'file'

/** How far an export has come, on the batch that holds the bytes up to there. */
export const written = z.object({
  kind: z.literal('written'),
  byteCount: z.number().int(),
  rowCount: z.number().int(),
})

export const exported = z.object({ kind: z.literal('exported'), document: exportReceipt })

/** Messages of an export's stream. `exported` and `failure` end it: a file without `exported` is not whole. */
export const exportMessage = z.discriminatedUnion('kind', [progress, written, exported, failure])
export type ExportMessage = z.infer<typeof exportMessage>
