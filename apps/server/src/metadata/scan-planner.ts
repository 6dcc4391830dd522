// Plans the scan of one snapshot: reads its manifest list and the manifests that may matter, a few at a time, and hands
// their entries to the pure planning of `core/scan/table-scan.ts`. Entries that are pruned are let go manifest by manifest.
import type { Predicate } from '@lake/core/expr/predicate.ts'
import type { Snapshot, TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import type { ManifestEntry, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import { DELETE_FILE_PATH_ID } from '@lake/core/scan/delete-file-index.ts'
import { createTableScan } from '@lake/core/scan/table-scan.ts'
import type { FileSelection, PruningSwitches, ScanPlan, TableScan } from '@lake/core/scan/table-scan.ts'
import { stepsOf, type Steps } from '@lake/core/scan/steps.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { runSteps } from '../concurrency/turns.ts'
import { LIMITS } from '../limits.ts'
import { readManifest, readSnapshotManifests } from './manifest-reader.ts'
import type { ManifestSource } from './manifest-reader.ts'

export interface SnapshotScan {
  readonly metadata: TableMetadata
  /** undefined: the table has no snapshot, so the plan is empty. */
  readonly snapshot: Snapshot | undefined
  /** The schema that `predicate` is bound to. */
  readonly schema: Schema
  readonly predicate: Predicate
  readonly pruning?: PruningSwitches
  /** Further fields whose sizes, counts and bounds the tasks shall have; the predicate's are always there. */
  readonly metricsFieldIds?: Iterable<number>
}

/**
 * Unsupported files are planned like others: callers pass the tasks to `refuseUnsupported`.
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, OBJECT_MISSING, STORAGE_*, CANCELLED, DEADLINE_EXCEEDED
 */
export async function planSnapshotScan(
  source: ManifestSource,
  { metadata, snapshot, schema, predicate, pruning, metricsFieldIds: furtherIds = [] }: SnapshotScan,
  signal: AbortSignal,
): Promise<ScanPlan> {
  const specs = metadata.partitionSpecs
  const scan = createTableScan({ specs, schema, predicate, ...(pruning ? { pruning } : {}) })
  const metricsFieldIds = new Set([...scan.metricsFieldIds, ...furtherIds])
  const manifests = snapshot ? await readSnapshotManifests(source, snapshot, signal) : []
  const selected = await runSteps(scan.selectManifests(manifests), signal)
  const select = async (manifest: ManifestFile, itemSignal: AbortSignal): Promise<FileSelection[]> => {
    const isDeletes = manifest.content === 'deletes'
    const context = {
      spec: scan.specOf(manifest),
      schema,
      metricsFieldIds: isDeletes ? new Set([DELETE_FILE_PATH_ID]) : metricsFieldIds,
    }
    const entries = await readManifest(source, manifest, context, itemSignal)
    return await runSteps(selectInSteps(scan, manifest, entries), itemSignal)
  }
  const selections = await mapConcurrently(selected.read, LIMITS.manifestsReadAtOnceMax, select, signal)
  const canonicalPath = (path: string): string => source.paths.canonicalUri(path)
  return await runSteps(scan.planFileScanTasks(selected, selections.flat(), canonicalPath), signal)
}

function* selectInSteps(
  scan: TableScan,
  manifest: ManifestFile,
  entries: readonly ManifestEntry[],
): Steps<FileSelection[]> {
  const selections: FileSelection[] = []
  for (const step of stepsOf(entries)) {
    selections.push(scan.selectFiles(manifest, step))
    yield
  }
  return selections
}
