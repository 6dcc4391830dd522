// The contract of what a table holds at one snapshot, from its metadata: files, manifests, statistics of columns.
// Lists are paged and sorted by the server. A snapshot does not change, so neither does a page of it.
import * as z from 'zod'
import { int64String, tableReceipt } from '../flight/receipt.ts'

/** Rows of one page at most. */
export const PAGE_ROWS_MAX = 500

const count = z.number().int().nonnegative()

const pageQuery = z.strictObject({
  /** The current one where it is absent. Pages of one list name it, so that they are of one list. */
  snapshot: int64String.optional(),
  /** Rows whose path or partition holds this text, in any case. */
  find: z.string().max(200).optional(),
  order: z.enum(['asc', 'desc']).default('asc'),
  offset: z.coerce.number().int().min(0).max(100_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_ROWS_MAX).default(100),
})

export const tableFilesQuery = pageQuery.extend({
  content: z.enum(['all', 'data', 'deletes']).default('all'),
  /** Equal ones are in order of path. `sequence`: the commit that added the file. */
  sort: z.enum(['path', 'partition', 'rows', 'bytes', 'sequence']).default('path'),
})
export type TableFilesQuery = z.infer<typeof tableFilesQuery>

export const tableManifestsQuery = pageQuery.extend({
  /** `list`: as the manifest list has them. */
  sort: z.enum(['list', 'path', 'bytes', 'files', 'rows', 'sequence']).default('list'),
})
export type TableManifestsQuery = z.infer<typeof tableManifestsQuery>

export const tableStatisticsQuery = z.strictObject({ snapshot: int64String.optional() })

/** Counts and sizes of the rows that a list has after `find` and `content`, of all pages. */
const listed = {
  /** The snapshot, and what was read of its metadata. */
  table: tableReceipt,
  rowCount: count,
  offset: count,
}

export const tableFile = z.object({
  path: z.string(),
  content: z.enum(['data', 'position-deletes', 'equality-deletes', 'deletion-vector']),
  format: z.string(),
  specId: z.number().int(),
  /** `day = 2026-09-01`; null in an unpartitioned spec. */
  partition: z.string().nullable(),
  /** Rows, or positions and keys that are deleted. */
  recordCount: count,
  /** Of a deletion vector: of its part of the file. */
  bytes: count,
  sequenceNumber: int64String,
  /** The snapshot that added the file; null where the manifest does not say. */
  snapshotId: int64String.nullable(),
  sortOrderId: z.number().int().nullable(),
  /** Row groups by the writer's split offsets; null where it gives none. */
  rowGroupCount: count.nullable(),
  /** Columns whose values are deleted, by name. */
  equalityColumns: z.array(z.string()).nullable(),
  /** The data file that a deletion vector belongs to. */
  referencedDataFile: z.string().nullable(),
})
export type TableFile = z.infer<typeof tableFile>

export const tableFilesResponse = z.object({
  ...listed,
  dataFileCount: count,
  deleteFileCount: count,
  /** Rows of the data files of the list, deleted ones included. */
  recordCount: count,
  /** Of all files of the list. */
  bytes: count,
  files: z.array(tableFile),
})
export type TableFilesResponse = z.infer<typeof tableFilesResponse>

export const tableManifest = z.object({
  path: z.string(),
  content: z.enum(['data', 'deletes']),
  bytes: count,
  specId: z.number().int(),
  sequenceNumber: int64String,
  snapshotId: int64String.nullable(),
  /** By status of the entries; null where the list does not say. */
  addedFiles: count.nullable(),
  existingFiles: count.nullable(),
  deletedFiles: count.nullable(),
  /** Of live files. */
  recordCount: int64String.nullable(),
  /** `day: 2026-09-01 to 2026-09-12`, by field of the spec; null where the list does not say. */
  partitions: z.string().nullable(),
})
export type TableManifest = z.infer<typeof tableManifest>

export const tableManifestsResponse = z.object({
  ...listed,
  dataManifestCount: count,
  deleteManifestCount: count,
  bytes: count,
  manifests: z.array(tableManifest),
})
export type TableManifestsResponse = z.infer<typeof tableManifestsResponse>

/** A sum, and over how many data files: less than all where some do not say. */
const counted = z.object({ count, fileCount: count })

const bound = z.object({
  text: z.string(),
  /** True where writers may have kept only the beginning, so that no value need be this one. */
  mayBeCut: z.boolean(),
  fileCount: count,
})

export const columnStatistics = z.object({
  fieldId: z.number().int(),
  /** Dotted; `element`, `key`, `value` inside of lists and maps. */
  name: z.string(),
  type: z.string(),
  /** As stored. */
  bytes: counted,
  /** NULL and NaN included; elements inside of lists and maps. */
  values: counted,
  nulls: counted,
  /** null for a type without NaN. */
  nans: counted.nullable(),
  lower: bound.nullable(),
  upper: bound.nullable(),
  /** By a sketch of the snapshot, or of the newest one before it that has a sketch: about so many. */
  distinct: z.object({ count: int64String, snapshotId: int64String }).nullable(),
})
export type ColumnStatistics = z.infer<typeof columnStatistics>

export const tableStatisticsResponse = z.object({
  table: tableReceipt,
  dataFileCount: count,
  recordCount: count,
  /** Files of each kind that take rows away: counts then include deleted rows, and bounds may be those of deleted rows. */
  deletes: z.object({
    positionFileCount: count,
    vectorCount: count,
    /** Positions that they name; one may be named twice. */
    positionCount: count,
    equalityFileCount: count,
  }),
  columns: z.array(columnStatistics),
  /** True where the table has more columns than are told. */
  isTruncated: z.boolean(),
})
export type TableStatisticsResponse = z.infer<typeof tableStatisticsResponse>
