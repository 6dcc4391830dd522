// What scan planning hands to reading: one data file with the delete files that apply to it.
import type { DataFile } from '../iceberg/manifest.ts'
import type { SequencedFile } from './delete-file-index.ts'

export interface FileScanTask {
  readonly file: DataFile
  readonly sequenceNumber: bigint
  /** Delete files that apply to `file` by the spec's rules (scope, sequence number, partition). */
  readonly deletes: readonly SequencedFile[]
}
