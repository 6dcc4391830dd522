// Scan planning over decoded metadata: which manifests to read, which of their files, and the tasks that result.
// Pure; reading manifests is for the caller. Nothing is skipped that is not proved irrelevant (rules SP in SPEC.md).
// Source: Iceberg table spec, "Scan Planning".
import { AppError } from '../errors.ts'
import { projectInclusive } from '../expr/inclusive-projection.ts'
import { mightMatchMetrics } from '../expr/inclusive-metrics-evaluator.ts'
import type { ColumnMetrics } from '../expr/inclusive-metrics-evaluator.ts'
import { mightMatchManifest, mightMatchPartition } from '../expr/manifest-evaluator.ts'
import { typePartitionFields } from '../expr/partition-types.ts'
import type { TypedPartitionField } from '../expr/partition-types.ts'
import { fieldIdsOf } from '../expr/predicate-fields.ts'
import type { Predicate } from '../expr/predicate.ts'
import { decodeBound } from '../iceberg/literal.ts'
import type { DataFile, ManifestEntry, ManifestFile } from '../iceberg/manifest.ts'
import { indexFields, primitiveTypeOf } from '../iceberg/schema.ts'
import type { PartitionSpec } from '../iceberg/table-metadata.ts'
import type { PrimitiveType, Schema } from '../iceberg/types.ts'
import { indexDeleteFiles } from './delete-file-index.ts'
import type { SequencedFile } from './delete-file-index.ts'
import type { FileScanTask } from './file-scan-task.ts'

/** Turns each level of pruning off, to show that answers do not depend on it. */
export interface PruningSwitches {
  readonly manifests: boolean
  readonly partitions: boolean
  readonly metrics: boolean
  /** Row groups by their statistics and bloom filters; for the reader of data files. */
  readonly rowGroups: boolean
}

export const ALL_PRUNING: PruningSwitches = {
  manifests: true,
  partitions: true,
  metrics: true,
  rowGroups: true,
}
export const NO_PRUNING: PruningSwitches = {
  manifests: false,
  partitions: false,
  metrics: false,
  rowGroups: false,
}

export interface ScanRequest {
  /** Every spec of the table. */
  readonly specs: readonly PartitionSpec[]
  /** The schema that `predicate` is bound to. */
  readonly schema: Schema
  readonly predicate: Predicate
  /** All levels where absent. */
  readonly pruning?: PruningSwitches
}

export interface ManifestSelection {
  /** In the list's order, data and delete manifests. */
  readonly read: readonly ManifestFile[]
  readonly totalCount: number
  /** Live data files of the skipped data manifests, where the list says how many. */
  readonly skippedFilesCount: number
}

export interface FileSelection {
  /** Data files that might hold matching rows; empty for a delete manifest. */
  readonly candidates: readonly SequencedFile[]
  /** Delete files that might apply to such rows; empty for a data manifest. */
  readonly deletes: readonly SequencedFile[]
  /** Live data files, and their size. */
  readonly totalCount: number
  readonly bytesTotal: number
  readonly skippedByPartitionCount: number
  readonly skippedByMetricsCount: number
}

export interface ScanPlan {
  /** In the order of manifests and entries. */
  readonly tasks: readonly FileScanTask[]
  readonly manifestsTotal: number
  readonly manifestsRead: number
  readonly filesTotal: number
  readonly filesPlanned: number
  /** Of all live data files in the manifests read. */
  readonly bytesTotal: number
}

export interface TableScan {
  /** Fields whose metrics planning looks at; a manifest may be decoded with those of no others. */
  readonly metricsFieldIds: ReadonlySet<number>
  selectManifests(manifests: readonly ManifestFile[]): ManifestSelection
  /** The spec that a manifest was written with. Throws TABLE_CORRUPT where the table does not have it. */
  specOf(manifest: ManifestFile): PartitionSpec
  /** @param entries of `manifest`, all or a part of them */
  selectFiles(manifest: ManifestFile, entries: readonly ManifestEntry[]): FileSelection
  /**
   * @param canonicalPath makes paths comparable that name one object
   * @throws AppError TABLE_CORRUPT for a data file that is listed twice, or deletes that break the spec
   */
  planFileScanTasks(
    manifests: ManifestSelection,
    selections: readonly FileSelection[],
    canonicalPath: (path: string) => string,
  ): ScanPlan
}

interface BoundSpec {
  readonly spec: PartitionSpec
  readonly fields: readonly TypedPartitionField[]
  readonly projected: Predicate
}

/** Prepares the planning of one scan; holds no state that changes. */
export function createTableScan(request: ScanRequest): TableScan {
  const { schema, predicate, pruning = ALL_PRUNING } = request
  const fieldIndex = indexFields(schema)
  const typeOf = (fieldId: number): PrimitiveType | undefined => primitiveTypeOf(fieldIndex, fieldId)
  const boundSpecs = bindSpecs(request, typeOf)
  const boundSpecOf = (manifest: ManifestFile): BoundSpec => {
    const bound = boundSpecs.get(manifest.partitionSpecId)
    if (bound) return bound
    throw new AppError(
      'TABLE_CORRUPT',
      `Manifest ${manifest.path} has the partition spec ${manifest.partitionSpecId}, which the table does not have`,
    )
  }
  const mightMatchFile = (file: DataFile): boolean =>
    !pruning.metrics || mightMatchMetrics(predicate, (id) => metricsOfFile(file, id, typeOf(id)), typeOf)

  return {
    metricsFieldIds: new Set(fieldIdsOf(predicate)),

    specOf: (manifest) => boundSpecOf(manifest).spec,

    selectManifests(manifests) {
      const isNeeded = (manifest: ManifestFile): boolean => {
        const bound = boundSpecOf(manifest)
        if (!pruning.manifests) return true
        if (manifest.addedFilesCount === 0 && manifest.existingFilesCount === 0) return false
        return mightMatchManifest(bound.projected, bound.fields, manifest.partitions)
      }
      const read = manifests.filter(isNeeded)
      const kept = new Set(read)
      const skipped = manifests.filter((manifest) => manifest.content === 'data' && !kept.has(manifest))
      return { read, totalCount: manifests.length, skippedFilesCount: skipped.reduce(addLiveFiles, 0) }
    },

    selectFiles(manifest, entries) {
      const { fields, projected } = boundSpecOf(manifest)
      const live = entries.filter(({ status }) => status !== 'deleted')
      const inPartition = pruning.partitions
        ? live.filter(({ file }) => mightMatchPartition(projected, fields, file.partition))
        : live
      if (manifest.content === 'deletes') return selectionOf({ deletes: inPartition.map(sequenced) })
      const candidates = inPartition.filter(({ file }) => mightMatchFile(file))
      return selectionOf({
        candidates: candidates.map(sequenced),
        totalCount: live.length,
        bytesTotal: live.reduce((total, { file }) => total + file.fileSizeBytes, 0),
        skippedByPartitionCount: live.length - inPartition.length,
        skippedByMetricsCount: inPartition.length - candidates.length,
      })
    },

    planFileScanTasks(manifests, selections, canonicalPath) {
      const deletes = selections.flatMap((selection) => selection.deletes)
      const specsById = new Map(request.specs.map((spec) => [spec.specId, spec]))
      const index = indexDeleteFiles({ deletes, specs: specsById, canonicalPath })
      const candidates = selections.flatMap((selection) => selection.candidates)
      refuseDuplicates(candidates, canonicalPath)
      const tasks = candidates.map((candidate) => ({ ...candidate, deletes: index.deletesFor(candidate) }))
      return {
        tasks,
        manifestsTotal: manifests.totalCount,
        manifestsRead: manifests.read.length,
        filesTotal: selections.reduce(
          (total, { totalCount }) => total + totalCount,
          manifests.skippedFilesCount,
        ),
        filesPlanned: tasks.length,
        bytesTotal: selections.reduce((total, { bytesTotal }) => total + bytesTotal, 0),
      }
    },
  }
}

function bindSpecs(
  { specs, predicate }: ScanRequest,
  typeOf: (fieldId: number) => PrimitiveType | undefined,
): ReadonlyMap<number, BoundSpec> {
  return new Map(
    specs.map((spec) => {
      const fields = typePartitionFields(spec, typeOf)
      return [spec.specId, { spec, fields, projected: projectInclusive(predicate, fields) }]
    }),
  )
}

function selectionOf(found: Partial<FileSelection>): FileSelection {
  return {
    candidates: [],
    deletes: [],
    totalCount: 0,
    bytesTotal: 0,
    skippedByPartitionCount: 0,
    skippedByMetricsCount: 0,
    ...found,
  }
}

function sequenced({ file, sequenceNumber }: ManifestEntry): SequencedFile {
  return { file, sequenceNumber }
}

function addLiveFiles(total: number, manifest: ManifestFile): number {
  return total + (manifest.addedFilesCount ?? 0) + (manifest.existingFilesCount ?? 0)
}

/** The spec leaves a file listed twice undefined; its rows must not count double. */
function refuseDuplicates(
  candidates: readonly SequencedFile[],
  canonicalPath: (path: string) => string,
): void {
  const seen = new Set<string>()
  for (const { file } of candidates) {
    const path = canonicalPath(file.path)
    if (seen.has(path)) {
      throw new AppError('TABLE_CORRUPT', `Data file ${file.path} is listed twice in the snapshot`)
    }
    seen.add(path)
  }
}

/** What a manifest says of one column of a data file, in the column's present type. */
export function metricsOfFile(
  file: DataFile,
  fieldId: number,
  type: PrimitiveType | undefined,
): ColumnMetrics | undefined {
  // Whatever a file has for a column of unknown type is not read.
  if (!type || type.kind === 'unknown') return undefined
  // Writers order UUIDs as signed or as unsigned numbers, so bounds over several row groups prove nothing.
  const isOrderKnown = type.kind !== 'uuid'
  const lower = isOrderKnown ? file.lowerBounds?.get(fieldId) : undefined
  const upper = isOrderKnown ? file.upperBounds?.get(fieldId) : undefined
  return {
    valueCount: file.valueCounts?.get(fieldId),
    nullCount: file.nullValueCounts?.get(fieldId),
    nanCount: file.nanValueCounts?.get(fieldId),
    lower: lower && decodeBound(type, lower),
    upper: upper && decodeBound(type, upper),
  }
}
