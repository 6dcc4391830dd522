// Plans the scan of one pinned table: manifest list → manifests → file scan tasks, each level pruned by what the
// statement needs (metadata/scan-planner.ts), refused whole where something in it is not read.
import { assertDefined } from '@lake/core/assert.ts'
import type { ScanReport } from '@lake/core/flight/receipt.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import type { NameMapping } from '@lake/core/iceberg/name-mapping.ts'
import { nameMappingOf } from '@lake/core/iceberg/table-name-mapping.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import type { SequencedFile } from '@lake/core/scan/delete-file-index.ts'
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import { refuseUnsupported } from '@lake/core/scan/refuse-unsupported.ts'
import { STEP_ITEMS, stepsOf, type Steps } from '@lake/core/scan/steps.ts'
import type { PruningSwitches } from '@lake/core/scan/table-scan.ts'
import { runSteps } from '../concurrency/turns.ts'
import { refuseEncryptedFiles } from '../parquet/encrypted-files.ts'
import { isOfManifest } from '../parquet/reserved-column.ts'
import { planSnapshotScan } from '../metadata/scan-planner.ts'
import type { ScanRequirement } from '../sql/pushdown.ts'
import type { TableStorage } from '../storage/table-storage.ts'
import {
  planEqualityDeletes,
  type EqualityDeleteContext,
  type EqualityDeletePlan,
} from './equality-deletes.ts'
import { describePruning } from './describe-pruning.ts'
import { tableName, type PinnedTable } from './pinned-table.ts'

export interface ScanPlan {
  /** Data files to read; none when `rowsOnly` answers. */
  readonly tasks: readonly FileScanTask[]
  /** Number of rows, where no column is needed: manifests prove it, so no data file is opened. */
  readonly rowsOnly: number | undefined
  /** Bytes of the needed columns of the planned files; whole files where manifests do not say. */
  readonly neededBytes: number
  /** Of the needed columns in one of the planned files. */
  readonly neededBytesOf: (task: FileScanTask) => number
  /** Rows of the planned files, deleted ones included. */
  readonly rowsMax: number
  /** What planning knows of the report; what is read is added while it is read. */
  readonly report: ScanReport
  readonly storage: TableStorage
  readonly nameMapping: NameMapping | undefined
  /** undefined where no equality delete applies to any task. */
  readonly equality?: EqualityDeletePlan | undefined
  /** The spec that a file was written with. */
  specOf(specId: number): PartitionSpec
}

/**
 * @param pruning turns levels of pruning off; answers do not depend on it
 * @throws AppError TABLE_UNSUPPORTED for anything in the scan that is not read, TABLE_CORRUPT, STORAGE_*, OBJECT_MISSING
 */
export async function planScan(
  pinned: PinnedTable,
  requirement: ScanRequirement,
  options: { readonly storage: TableStorage; readonly pruning?: PruningSwitches | undefined },
  signal: AbortSignal,
): Promise<ScanPlan> {
  const { storage } = options
  const { metadata } = pinned.loaded
  const neededIds = neededFieldIds(pinned, requirement)
  const planned = await planSnapshotScan(
    storage,
    {
      metadata,
      snapshot: pinned.snapshot,
      schema: pinned.tableSchema,
      predicate: requirement.predicate,
      metricsFieldIds: neededIds,
      ...(options.pruning ? { pruning: options.pruning } : {}),
    },
    signal,
  )
  const { tasks } = planned
  const { deletes, rowsMax, columnBytes } = await runSteps(summarize(tasks, pinned, neededIds), signal)
  const specOf = (specId: number): PartitionSpec =>
    assertDefined(
      metadata.partitionSpecs.find((spec) => spec.specId === specId),
      'planning has found every spec',
    )
  const equality = deletes.some(({ file }) => file.content === 'equality-deletes')
    ? await runSteps(planEqualityDeletes(deletes, keyContext(pinned, specOf)), signal)
    : undefined
  const isFileRead = needsFiles(pinned, requirement) || equality !== undefined
  const isRowsOnly = requirement.columnIndexes.size === 0 && !equality && deletes.length === 0
  if (isFileRead) {
    const files = tasks.map(({ file }) => file)
    await refuseEncryptedFiles(files, storage, signal)
  }
  const dataBytes = isFileRead ? columnBytes : 0
  return {
    tasks: isRowsOnly ? [] : tasks,
    rowsOnly: isRowsOnly ? rowsMax : undefined,
    rowsMax,
    neededBytesOf: (task) => (isFileRead ? neededBytesOf(task, neededIds) : 0),
    neededBytes: deletes.reduce((sum, { file }) => sum + deleteBytesOf(file), dataBytes),
    report: {
      manifestsTotal: planned.manifestsTotal,
      manifestsRead: planned.manifestsRead,
      filesTotal: planned.filesTotal,
      filesPlanned: planned.filesPlanned,
      filesRead: 0,
      ...(deletes.length > 0 ? { deleteFilesPlanned: deletes.length } : {}),
      rowGroupsTotal: 0,
      rowGroupsRead: 0,
      bytesTotal: planned.bytesTotal,
      bytesRead: 0,
      requests: 0,
      isMetadataOnly: isRowsOnly || tasks.length === 0 || (!isFileRead && deletes.length === 0),
      pruning: describePruning(planned.pruning, planned.conjuncts, requirement.unused, pinned.schema),
    },
    storage,
    nameMapping: nameMappingOf(metadata),
    equality,
    specOf,
  }
}

interface TaskSummary {
  /** Each once. */
  readonly deletes: readonly SequencedFile[]
  readonly rowsMax: number
  /** Of the needed columns. */
  readonly columnBytes: number
}

/** @throws AppError TABLE_UNSUPPORTED for anything that is not read */
function* summarize(
  tasks: readonly FileScanTask[],
  { loaded }: PinnedTable,
  neededIds: readonly number[],
): Steps<TaskSummary> {
  const deletes = new Set<SequencedFile>()
  /** Tasks share them. */
  const lists = new Set<readonly SequencedFile[]>()
  const checked = new Set<readonly SequencedFile[]>()
  let rowsMax = 0
  let columnBytes = 0
  for (const step of stepsOf(tasks)) {
    refuseUnsupported(step, tableName(loaded), checked)
    for (const task of step) {
      if (!lists.has(task.deletes)) {
        lists.add(task.deletes)
        for (const deletion of task.deletes) deletes.add(deletion)
        if (task.deletes.length > STEP_ITEMS) yield
      }
      rowsMax += task.file.recordCount
      columnBytes += neededBytesOf(task, neededIds)
    }
    yield
  }
  return { deletes: [...deletes], rowsMax, columnBytes }
}

function keyContext(
  { schema, tableSchema, loaded }: PinnedTable,
  specOf: ScanPlan['specOf'],
): EqualityDeleteContext {
  const ownCount = tableSchema.fields.length
  return {
    // As the statement reads its columns.
    schema: { ...tableSchema, fields: schema.fields.slice(0, ownCount) },
    further: schema.fields.slice(ownCount),
    schemas: loaded.metadata.schemas,
    specOf,
  }
}

/** False where all that is needed of a data file stands in its manifest. */
function needsFiles({ reserved }: PinnedTable, { columnIndexes }: ScanRequirement): boolean {
  return [...columnIndexes].some((index) => !isOfManifest(reserved.get(index)))
}

/** Ids of the needed columns and of everything inside them: manifests give sizes by leaf. */
function neededFieldIds({ schema }: PinnedTable, { columnIndexes }: ScanRequirement): readonly number[] {
  return [...columnIndexes].flatMap((index) => {
    const field = schema.fields[index]
    return field ? [field.id, ...nestedIds(field.type)] : []
  })
}

/** Ids of everything inside of a type. */
export function nestedIds(type: IcebergType): number[] {
  switch (type.kind) {
    case 'struct':
      return type.fields.flatMap((field) => [field.id, ...nestedIds(field.type)])
    case 'list':
      return [type.elementId, ...nestedIds(type.element)]
    case 'map':
      return [type.keyId, ...nestedIds(type.key), type.valueId, ...nestedIds(type.value)]
    default:
      return []
  }
}

/** A deletion vector is a part of its file. */
function deleteBytesOf({ contentSizeBytes, fileSizeBytes }: DataFile): number {
  return contentSizeBytes ?? fileSizeBytes
}

/** Bytes of these columns in one file; the whole file where its manifest does not say. */
export function neededBytesOf({ file }: FileScanTask, neededIds: readonly number[]): number {
  const { columnSizes } = file
  if (!columnSizes) return file.fileSizeBytes
  return neededIds.reduce((sum, id) => sum + (columnSizes.get(id) ?? 0), 0)
}
