// The receipt: what a result was made from. It is planned first (which snapshot) and closed last (what was read).
import * as z from 'zod'

/** A 64-bit integer as a decimal string: JSON numbers and JavaScript numbers round it. */
export const int64String = z.string().regex(/^-?\d{1,19}$/)

const count = z.number().int().nonnegative()

/** The pinned state of one table: known when the statement is planned. */
export const tablePin = z.object({
  namespace: z.array(z.string().min(1)).min(1),
  table: z.string().min(1),
  tableUuid: z.string().nullable(),
  /** null: the table has no snapshot, so it has no rows. */
  snapshotId: int64String.nullable(),
})
export type TablePin = z.infer<typeof tablePin>

const filterReport = z.object({
  /** In SQL's words, for people; long values are cut. */
  text: z.string(),
  /** Data files that this filter alone excludes at each level, of those that reach the level. */
  manifests: count,
  partitions: count,
  metrics: count,
  /** Planned files of which the manifests say nothing for its columns. */
  withoutMetrics: count,
})
export type FilterReport = z.infer<typeof filterReport>

/** Why a filter of the statement excludes nothing before rows are read. */
export const unusedReason = z.enum(['function', 'columns', 'nested', 'several-scans', 'other'])
export type UnusedReason = z.infer<typeof unusedReason>

/** Why files are read and others are not. A file is counted at the first level that excludes it. */
export const pruningReport = z.object({
  manifests: count,
  partitions: count,
  metrics: count,
  filters: z.array(filterReport),
  unused: z.array(z.object({ text: z.string(), reason: unusedReason })),
})
export type PruningReport = z.infer<typeof pruningReport>

/** How much was read of what the snapshot has. Zero until the scan is planned. */
export const scanReport = z.object({
  manifestsTotal: count,
  manifestsRead: count,
  filesTotal: count,
  /** Files left after pruning by manifests, partitions and file metrics. */
  filesPlanned: count,
  filesRead: count,
  /** Delete files and deletion vectors that apply to the planned files, and those that were read. */
  deleteFilesPlanned: count.optional(),
  deleteFilesRead: count.optional(),
  rowGroupsTotal: count,
  rowGroupsRead: count,
  /** Sizes of all data files of the snapshot, where manifests were not skipped; of the manifests read otherwise. */
  bytesTotal: count,
  /** Bytes of data and delete files fetched from object storage or the chunk cache for this statement, footers and gaps included. */
  bytesRead: count,
  /** Ranged and whole requests for data and delete files that went to object storage. */
  requests: count,
  /** True when manifests alone answered and no data file was opened. */
  isMetadataOnly: z.boolean(),
  /** Absent for a metadata table. */
  pruning: pruningReport.optional(),
})
export type ScanReport = z.infer<typeof scanReport>

/** What was asked for by `AT (…)`: a snapshot id, a branch or tag, or a time (ISO 8601, UTC). */
export const requestedVersion = z.object({ kind: z.enum(['snapshot', 'ref', 'time']), value: z.string() })
export type RequestedVersion = z.infer<typeof requestedVersion>

export const tableReceipt = tablePin.extend({
  /** Present where the statement asks for a version; one table may then be in a receipt several times. */
  requested: requestedVersion.optional(),
  /** Present where the statement reads a metadata table of `table`: `snapshots`, `files`, … */
  metadataTable: z.string().optional(),
  committedAtMs: z.number().nullable(),
  /** append, overwrite, replace, delete; null where the snapshot does not say. */
  operation: z.string().nullable(),
  schemaId: z.number().int(),
  /** Snapshot summary as written by the committing engine: strings, not checked. */
  summary: z.record(z.string(), z.string()),
  /** Name of the branch or tag that the snapshot is the head of at planning, main first; null for none. */
  ref: z.string().nullable(),
  /** True when the snapshot was the table's current one at planning. */
  isCurrent: z.boolean(),
  /** Age of the catalog's answer at planning; above the fresh limit only when the catalog could not be reached. */
  metadataAgeMs: z.number().nonnegative(),
  isStale: z.boolean(),
  /** null at planning; filled in the closing receipt. */
  scan: scanReport.nullable(),
})
export type TableReceipt = z.infer<typeof tableReceipt>

/** The closing message of a result stream. A stream without it is a failed stream. */
export const receipt = z.object({
  statementId: z.string(),
  tables: z.array(tableReceipt),
  rowCount: count,
  /** From the redeeming of the ticket to the last row. */
  elapsedMs: z.number().nonnegative(),
  engine: z.string(),
  /** True where the reading ended after one row group, so that the rows are some of the answer's. */
  isPreview: z.boolean().optional(),
})
export type Receipt = z.infer<typeof receipt>

/** Key under which Parquet and Arrow files hold their `embeddedReceipt`, as JSON text. */
export const FILE_RECEIPT_KEY = 'lake.receipt'

/** What an exported file was made from: inside of the file, where its format has a place for it. */
export const embeddedReceipt = receipt.extend({
  /** The statement as submitted. */
  sql: z.string(),
})
export type EmbeddedReceipt = z.infer<typeof embeddedReceipt>

/** As `embeddedReceipt`, beside the file: with what proves that the file is whole. */
export const exportReceipt = embeddedReceipt.extend({
  file: z.object({
    format: z.string(),
    options: z.record(z.string(), z.unknown()),
    byteCount: count,
    /** Of all bytes of the file, in hexadecimal. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
})
export type ExportReceipt = z.infer<typeof exportReceipt>
