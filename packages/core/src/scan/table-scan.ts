// Scan planning over decoded metadata: which manifests to read, which of their files, and the tasks that result.
// Pure; reading manifests is for the caller. Nothing is skipped that is not proved irrelevant (rules SP in SPEC.md).
// Source: Iceberg table spec, "Scan Planning".
import { AppError } from '../errors.ts'
import { conjunctsOf } from '../expr/conjuncts.ts'
import { projectInclusive } from '../expr/inclusive-projection.ts'
import { mightMatchMetrics } from '../expr/inclusive-metrics-evaluator.ts'
import type { ColumnMetrics } from '../expr/inclusive-metrics-evaluator.ts'
import { mightMatchManifest, mightMatchPartition } from '../expr/manifest-evaluator.ts'
import { typePartitionFields } from '../expr/partition-types.ts'
import type { TypedPartitionField } from '../expr/partition-types.ts'
import { fieldIdsOf } from '../expr/predicate-fields.ts'
import { ALWAYS_TRUE } from '../expr/predicate.ts'
import type { Predicate } from '../expr/predicate.ts'
import type { PositivePredicate } from '../expr/rewrite-not.ts'
import { decodeBound } from '../iceberg/literal.ts'
import type { DataFile, ManifestEntry, ManifestFile } from '../iceberg/manifest.ts'
import { indexFields, primitiveTypeOf } from '../iceberg/schema.ts'
import type { PartitionSpec } from '../iceberg/table-metadata.ts'
import type { PrimitiveType, Schema } from '../iceberg/types.ts'
import { indexDeleteFiles, namesDataFile } from './delete-file-index.ts'
import type { SequencedFile } from './delete-file-index.ts'
import type { FileScanTask } from './file-scan-task.ts'
import { addCounts, prune } from './prune.ts'
import { reservedMetrics } from './reserved-metrics.ts'
import type { KnownColumn } from './reserved-metrics.ts'
import { STEP_ITEMS, stepsOf } from './steps.ts'
import type { Steps } from './steps.ts'

/** Delete files by the lists of data files that they apply to, each list counted once: what planning holds of them. */
const DELETES_LISTED_MAX = 20_000_000

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
  /** By conjunct: those of them that it alone would skip. */
  readonly skippedByConjunct: readonly number[]
}

/** Data files that a level excludes, of those that reach it. */
export interface LevelCount {
  readonly count: number
  /** By conjunct: those that it alone excludes. */
  readonly byConjunct: readonly number[]
}

export interface FileSelection {
  /** Data files that might hold matching rows; empty for a delete manifest. */
  readonly candidates: readonly SequencedFile[]
  /** Delete files that might apply to such rows; empty for a data manifest. */
  readonly deletes: readonly SequencedFile[]
  /** Live data files, and their size. */
  readonly totalCount: number
  readonly bytesTotal: number
  readonly skippedByPartition: LevelCount
  readonly skippedByMetrics: LevelCount
  /** By conjunct: candidates of which the manifest says nothing for any of its fields. */
  readonly withoutMetrics: readonly number[]
}

/** What pruning did, level by level; a file is counted at the first level that excludes it. */
export interface ScanPruning {
  readonly manifests: LevelCount
  readonly partitions: LevelCount
  readonly metrics: LevelCount
  /** By conjunct: planned files without metrics for it. */
  readonly withoutMetrics: readonly number[]
}

export interface ScanPlan {
  /** Parts of the predicate, whose order is that of every account by conjunct. */
  readonly conjuncts: readonly PositivePredicate[]
  /** In the order of manifests and entries. */
  readonly tasks: readonly FileScanTask[]
  readonly manifestsTotal: number
  readonly manifestsRead: number
  readonly filesTotal: number
  readonly filesPlanned: number
  /** Of all live data files in the manifests read. */
  readonly bytesTotal: number
  readonly pruning: ScanPruning
}

export interface TableScan {
  /** Fields whose metrics planning looks at; a manifest may be decoded with those of no others. */
  readonly metricsFieldIds: ReadonlySet<number>
  selectManifests(manifests: readonly ManifestFile[]): Steps<ManifestSelection>
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
  ): Steps<ScanPlan>
}

interface BoundSpec {
  readonly spec: PartitionSpec
  readonly fields: readonly TypedPartitionField[]
  /** By conjunct. */
  readonly projected: readonly Predicate[]
}

/** Prepares the planning of one scan; holds no state that changes. */
export function createTableScan(request: ScanRequest): TableScan {
  const { schema, predicate, pruning = ALL_PRUNING } = request
  const fieldIndex = indexFields(schema)
  const typeOf = (fieldId: number): PrimitiveType | undefined => primitiveTypeOf(fieldIndex, fieldId)
  const conjuncts = conjunctsOf(predicate)
  const boundSpecs = bindSpecs(request, conjuncts, typeOf)
  const boundSpecOf = (manifest: ManifestFile): BoundSpec => {
    const bound = boundSpecs.get(manifest.partitionSpecId)
    if (bound) return bound
    throw new AppError(
      'TABLE_CORRUPT',
      `Manifest ${manifest.path} has the partition spec ${manifest.partitionSpecId}, which the table does not have`,
    )
  }
  // A field of the schema is no reserved column, whatever its id.
  const reservedOf = (file: DataFile, id: number): KnownColumn | undefined =>
    fieldIndex.has(id) ? undefined : reservedMetrics(id, file)
  const mightMatchFile = (file: DataFile, conjunct: Predicate): boolean =>
    mightMatchMetrics(
      conjunct,
      (id) => reservedOf(file, id)?.metrics ?? metricsOfFile(file, id, typeOf(id)),
      (id) => reservedOf(file, id)?.type ?? typeOf(id),
    )
  const withoutMetrics = (candidates: readonly ManifestEntry[]): number[] =>
    conjuncts.map((conjunct) => {
      const ids = fieldIdsOf(conjunct)
      return candidates.filter(({ file }) => !ids.some((id) => reservedOf(file, id) ?? hasMetrics(file, id)))
        .length
    })

  return {
    metricsFieldIds: new Set(fieldIdsOf(predicate)),

    specOf: (manifest) => boundSpecOf(manifest).spec,

    selectManifests: (manifests) => selectByLists(manifests, conjuncts, pruning.manifests, boundSpecOf),

    selectFiles(manifest, entries) {
      const { fields, projected } = boundSpecOf(manifest)
      const live = entries.filter(({ status }) => status !== 'deleted')
      const inPartition = prune(live, pruning.partitions ? projected : [], ({ file }, condition) =>
        mightMatchPartition(condition, fields, file.partition),
      )
      if (manifest.content === 'deletes') {
        // Those that name a data file of another partition than theirs are for the index to refuse.
        const named = inPartition.excluded.filter(({ file }) => namesDataFile(file))
        return selectionOf(conjuncts, { deletes: [...inPartition.kept, ...named].map(sequenced) })
      }
      const byMetrics = prune(inPartition.kept, pruning.metrics ? conjuncts : [], ({ file }, conjunct) =>
        mightMatchFile(file, conjunct),
      )
      return selectionOf(conjuncts, {
        candidates: byMetrics.kept.map(sequenced),
        totalCount: live.length,
        bytesTotal: live.reduce((total, { file }) => total + file.fileSizeBytes, 0),
        skippedByPartition: {
          count: inPartition.excluded.length,
          byConjunct: addCounts(zeros(conjuncts), inPartition.excludedBy),
        },
        skippedByMetrics: {
          count: byMetrics.excluded.length,
          byConjunct: addCounts(zeros(conjuncts), byMetrics.excludedBy),
        },
        withoutMetrics: withoutMetrics(byMetrics.kept),
      })
    },

    planFileScanTasks: (manifests, selections, canonicalPath) =>
      planTasks({ specs: request.specs, conjuncts, manifests, selections, canonicalPath }),
  }
}

function* selectByLists(
  manifests: readonly ManifestFile[],
  conjuncts: readonly PositivePredicate[],
  isPruned: boolean,
  boundSpecOf: (manifest: ManifestFile) => BoundSpec,
): Steps<ManifestSelection> {
  const isSearched = (manifest: ManifestFile): boolean =>
    !isPruned || manifest.addedFilesCount !== 0 || manifest.existingFilesCount !== 0
  const mightMatch = (manifest: ManifestFile, index: number): boolean => {
    // It may name data files of other partitions, which only its entries tell.
    if (manifest.content === 'deletes') return true
    const { fields, projected } = boundSpecOf(manifest)
    return mightMatchManifest(projected[index] ?? ALWAYS_TRUE, fields, manifest.partitions)
  }
  const conditions = isPruned ? [...conjuncts.keys()] : []
  const read: ManifestFile[] = []
  let skippedFilesCount = 0
  let skippedByConjunct = zeros(conjuncts)
  for (const step of stepsOf(manifests)) {
    for (const manifest of step) boundSpecOf(manifest)
    const searched = step.filter(isSearched)
    const { kept, excluded, excludedBy } = prune(searched, conditions, mightMatch, dataFilesIn)
    read.push(...kept)
    skippedFilesCount += excluded.reduce((total, manifest) => total + dataFilesIn(manifest), 0)
    skippedByConjunct = addCounts(skippedByConjunct, excludedBy)
    yield
  }
  return { read, totalCount: manifests.length, skippedFilesCount, skippedByConjunct }
}

interface PlannedSelections {
  readonly specs: readonly PartitionSpec[]
  readonly conjuncts: readonly PositivePredicate[]
  readonly manifests: ManifestSelection
  readonly selections: readonly FileSelection[]
  readonly canonicalPath: (path: string) => string
}

function* planTasks(planned: PlannedSelections): Steps<ScanPlan> {
  const { specs, conjuncts, manifests, selections, canonicalPath } = planned
  const deletes = selections.flatMap((selection) => selection.deletes)
  const specsById = new Map(specs.map((spec) => [spec.specId, spec]))
  const index = yield* indexDeleteFiles({ deletes, specs: specsById, canonicalPath })
  const refuseDuplicate = createDuplicateCheck(canonicalPath)
  const tasks: FileScanTask[] = []
  const lists = new Set<readonly SequencedFile[]>()
  let listedCount = 0
  for (const step of stepsOf(selections.flatMap((selection) => selection.candidates))) {
    for (const candidate of step) {
      refuseDuplicate(candidate)
      const applicable = index.deletesFor(candidate)
      tasks.push({ ...candidate, deletes: applicable })
      if (lists.has(applicable)) continue
      lists.add(applicable)
      listedCount += applicable.length
      if (listedCount > DELETES_LISTED_MAX) throw tooManyDeletes()
      // Of such lists few make a step.
      if (applicable.length > STEP_ITEMS) yield
    }
    yield
  }
  return {
    tasks,
    manifestsTotal: manifests.totalCount,
    manifestsRead: manifests.read.length,
    filesTotal: selections.reduce((total, { totalCount }) => total + totalCount, manifests.skippedFilesCount),
    filesPlanned: tasks.length,
    bytesTotal: selections.reduce((total, { bytesTotal }) => total + bytesTotal, 0),
    pruning: pruningOf(conjuncts, manifests, selections),
    conjuncts,
  }
}

function pruningOf(
  conjuncts: readonly unknown[],
  { skippedFilesCount, skippedByConjunct }: ManifestSelection,
  selections: readonly FileSelection[],
): ScanPruning {
  const none = { count: 0, byConjunct: zeros(conjuncts) }
  const sum = (left: LevelCount, right: LevelCount): LevelCount => ({
    count: left.count + right.count,
    byConjunct: addCounts(left.byConjunct, right.byConjunct),
  })
  return {
    manifests: { count: skippedFilesCount, byConjunct: skippedByConjunct },
    partitions: selections.map(({ skippedByPartition }) => skippedByPartition).reduce(sum, none),
    metrics: selections.map(({ skippedByMetrics }) => skippedByMetrics).reduce(sum, none),
    withoutMetrics: selections
      .map(({ withoutMetrics }) => withoutMetrics)
      .reduce(addCounts, zeros(conjuncts)),
  }
}

function tooManyDeletes(): AppError {
  return new AppError(
    'SCAN_TOO_LARGE',
    `Delete files and the data files that they apply to make more than ${DELETES_LISTED_MAX} pairs; the table needs compaction`,
  )
}

const zeros = (conjuncts: readonly unknown[]): readonly number[] => conjuncts.map(() => 0)

function bindSpecs(
  { specs }: ScanRequest,
  conjuncts: readonly Predicate[],
  typeOf: (fieldId: number) => PrimitiveType | undefined,
): ReadonlyMap<number, BoundSpec> {
  return new Map(
    specs.map((spec) => {
      const fields = typePartitionFields(spec, typeOf)
      const projected = conjuncts.map((conjunct) => projectInclusive(conjunct, fields))
      return [spec.specId, { spec, fields, projected }]
    }),
  )
}

function selectionOf(conjuncts: readonly unknown[], found: Partial<FileSelection>): FileSelection {
  const none = { count: 0, byConjunct: zeros(conjuncts) }
  return {
    candidates: [],
    deletes: [],
    totalCount: 0,
    bytesTotal: 0,
    skippedByPartition: none,
    skippedByMetrics: none,
    withoutMetrics: none.byConjunct,
    ...found,
  }
}

function sequenced({ file, sequenceNumber }: ManifestEntry): SequencedFile {
  return { file, sequenceNumber }
}

/** Live data files, where the list says how many. */
function dataFilesIn({ content, addedFilesCount, existingFilesCount }: ManifestFile): number {
  return content === 'data' ? (addedFilesCount ?? 0) + (existingFilesCount ?? 0) : 0
}

/** Whether the manifest says anything of a column that could exclude the file. */
function hasMetrics(file: DataFile, fieldId: number): boolean {
  return file.lowerBounds?.has(fieldId) === true || file.nullValueCounts?.has(fieldId) === true
}

/** The spec leaves a file listed twice undefined; its rows must not count double. */
function createDuplicateCheck(canonicalPath: (path: string) => string): (candidate: SequencedFile) => void {
  const seen = new Set<string>()
  return ({ file }) => {
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
