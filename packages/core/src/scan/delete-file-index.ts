// Which delete files apply to a data file, by the rules of the Iceberg table spec, "Scan Planning" (rules DF in SPEC.md).
// Reading deletes, and matching their rows, is for others. Paths are compared in the canonical form that the caller gives.
import { AppError } from '../errors.ts'
import type { DataFile } from '../iceberg/manifest.ts'
import { isUnpartitioned } from '../iceberg/partition-spec.ts'
import type { PartitionSpec } from '../iceberg/table-metadata.ts'
import { decodeUtf8 } from '../iceberg/utf8.ts'
import { partitionKey } from './partition-key.ts'
import { createStoresByName, deletesElsewhere } from './stores-by-name.ts'
import { countUpTo } from './sorted-numbers.ts'
import { stepsOf } from './steps.ts'
import type { Steps } from './steps.ts'

/** Reserved field ids of the columns of position delete files: the data file's path, and the position in it. */
export const DELETE_FILE_PATH_ID = 2_147_483_546
export const DELETE_POSITION_ID = 2_147_483_545
/** Bounds may be cut; one that ends like this is a whole path. */
const WHOLE_PATH = /\.(parquet|orc|avro)$/i

/** A live file with its data sequence number. */
export interface SequencedFile {
  readonly file: DataFile
  readonly sequenceNumber: bigint
}

export interface DeleteFileIndex {
  /**
   * The delete files that apply to a data file, in the order they were given. Position deletes are left out where a
   * deletion vector applies. Data files may share one list.
   * @throws AppError TABLE_CORRUPT when two deletion vectors apply, or one that names the file lies in another partition;
   *   TABLE_UNSUPPORTED when deletes are of a file of this name in another store
   */
  deletesFor(dataFile: SequencedFile): readonly SequencedFile[]
}

export interface DeleteFileIndexOptions {
  readonly deletes: readonly SequencedFile[]
  /** Every spec of the table by id. */
  readonly specs: ReadonlyMap<number, PartitionSpec>
  readonly canonicalPath: (path: string) => string
}

/** @throws AppError TABLE_CORRUPT for a delete file that lacks what its kind needs */
export function* indexDeleteFiles({
  deletes,
  specs,
  canonicalPath,
}: DeleteFileIndexOptions): Steps<DeleteFileIndex> {
  const vectors = new Map<string, SequencedFile[]>()
  const byReferencedFile = new Map<string, SequencedFile[]>()
  const positionsByPath = new Map<string, SequencedFile[]>()
  const positionsByPartition = new Map<string, SequencedFile[]>()
  const equalityByPartition = new Map<string, SequencedFile[]>()
  const globalEquality: SequencedFile[] = []
  const keyOf = (file: DataFile): string => partitionKey(specOf(file, specs), file.partition)
  const named = createStoresByName()
  const appendNamed = (files: Map<string, SequencedFile[]>, path: string, sequenced: SequencedFile): void => {
    named.add(path)
    append(files, path, sequenced)
  }

  const add = (sequenced: SequencedFile): void => {
    const { file } = sequenced
    refuseMalformed(file)
    if (file.content === 'equality-deletes') {
      if (isUnpartitioned(specOf(file, specs))) globalEquality.push(sequenced)
      else append(equalityByPartition, keyOf(file), sequenced)
    } else if (file.referencedDataFile === undefined) {
      const path = onlyPathOf(file, canonicalPath)
      if (path === undefined) append(positionsByPartition, keyOf(file), sequenced)
      else appendNamed(positionsByPath, path, sequenced)
    } else {
      const target = isDeletionVector(file) ? vectors : byReferencedFile
      appendNamed(target, canonicalPath(file.referencedDataFile), sequenced)
    }
  }
  for (const step of stepsOf(deletes)) {
    step.forEach(add)
    yield
  }
  const order = new Map(deletes.map((sequenced, index) => [sequenced, index]))
  const inOrder = (...lists: readonly (readonly SequencedFile[])[]): readonly SequencedFile[] =>
    mergeInOrder(lists, order)
  const equalityFor = createEqualityLists(equalityByPartition, globalEquality, inOrder)

  return {
    deletesFor({ file, sequenceNumber }) {
      if (deletes.length === 0) return NONE
      const key = keyOf(file)
      const path = canonicalPath(file.path)
      if (named.isElsewhere(path)) throw deletesElsewhere(file.path)
      const naming = (files: Map<string, SequencedFile[]>): readonly SequencedFile[] => {
        const found = (files.get(path) ?? []).filter((deletion) => deletion.sequenceNumber >= sequenceNumber)
        // The spec has them in one partition; what a reader that scopes by partition would miss is an error.
        if (found.some((deletion) => keyOf(deletion.file) !== key)) {
          throw corrupt(file.path, 'has a delete file of another partition')
        }
        return found
      }
      const applicableVectors = naming(vectors)
      if (applicableVectors.length > 1) throw corrupt(file.path, 'has more than one deletion vector')
      const isNewer = (deletion: SequencedFile): boolean => deletion.sequenceNumber >= sequenceNumber
      const equality = equalityFor(key, sequenceNumber)
      if (applicableVectors.length > 0) return inOrder(applicableVectors, equality)
      const ofPath = (positionsByPath.get(path) ?? []).filter((deletion) => keyOf(deletion.file) === key)
      const ofPartition = positionsByPartition.get(key) ?? []
      return inOrder(naming(byReferencedFile), ofPath.filter(isNewer), ofPartition.filter(isNewer), equality)
    },
  }
}

const NONE: readonly SequencedFile[] = []

/** One list of several that are each in order; the one that is not empty as it is. */
function mergeInOrder(
  lists: readonly (readonly SequencedFile[])[],
  order: ReadonlyMap<SequencedFile, number>,
): readonly SequencedFile[] {
  const filled = lists.filter(({ length }) => length > 0)
  if (filled.length < 2) return filled[0] ?? NONE
  return filled
    .flat()
    .map((deletion) => ({ deletion, place: order.get(deletion) ?? 0 }))
    .sort((left, right) => left.place - right.place)
    .map(({ deletion }) => deletion)
}

/**
 * Equality deletes by partition and sequence number. As many newer ones are always the same ones, so data files share
 * their lists, which may be very long.
 */
function createEqualityLists(
  byPartition: ReadonlyMap<string, readonly SequencedFile[]>,
  global: readonly SequencedFile[],
  inOrder: (...lists: readonly (readonly SequencedFile[])[]) => readonly SequencedFile[],
): (key: string, sequenceNumber: bigint) => readonly SequencedFile[] {
  const newerGlobal = createNewerCount(global)
  const newerByPartition = new Map([...byPartition].map(([key, files]) => [key, createNewerCount(files)]))
  const lists = new Map<string, readonly SequencedFile[]>()
  return (key, sequenceNumber) => {
    const ofPartition = newerByPartition.get(key)?.(sequenceNumber) ?? 0
    const place = `${newerGlobal(sequenceNumber)} ${ofPartition} ${ofPartition > 0 ? key : ''}`
    const known = lists.get(place)
    if (known) return known
    const isNewer = (deletion: SequencedFile): boolean => deletion.sequenceNumber > sequenceNumber
    const list = inOrder((byPartition.get(key) ?? []).filter(isNewer), global.filter(isNewer))
    lists.set(place, list)
    return list
  }
}

/** How many of the files have a greater sequence number. */
function createNewerCount(files: readonly SequencedFile[]): (sequenceNumber: bigint) => number {
  const ascending = BigInt64Array.from(files, (file) => file.sequenceNumber).sort()
  return (sequenceNumber) => ascending.length - countUpTo(ascending, sequenceNumber)
}

/** True for deletes of one data file: the spec has them in its partition, but no filter on partitions proves that they are. */
export function namesDataFile(file: DataFile): boolean {
  return file.referencedDataFile !== undefined
}

export function isDeletionVector(file: DataFile): boolean {
  return file.content === 'position-deletes' && file.format === 'puffin'
}

/** The one data file that bounds say all rows of a position delete file name; undefined where they do not say so. */
function onlyPathOf(file: DataFile, canonicalPath: (path: string) => string): string | undefined {
  const lower = file.lowerBounds?.get(DELETE_FILE_PATH_ID)
  const upper = file.upperBounds?.get(DELETE_FILE_PATH_ID)
  if (!lower || !upper) return undefined
  const path = decodeUtf8(lower)
  if (path === undefined || path !== decodeUtf8(upper) || !WHOLE_PATH.test(path)) return undefined
  try {
    return canonicalPath(path)
  } catch {
    // Bounds are hints: no path of this storage says nothing.
    return undefined
  }
}

function refuseMalformed(file: DataFile): void {
  if (file.content === 'equality-deletes' && !file.equalityIds?.length) {
    throw corrupt(file.path, 'is an equality delete file without equality ids')
  }
  if (!isDeletionVector(file)) return
  const { referencedDataFile, contentOffset, contentSizeBytes } = file
  if (referencedDataFile === undefined || contentOffset === undefined || contentSizeBytes === undefined) {
    throw corrupt(file.path, 'is a deletion vector without its data file, offset or size')
  }
}

function specOf(file: DataFile, specs: ReadonlyMap<number, PartitionSpec>): PartitionSpec {
  const spec = specs.get(file.specId)
  if (!spec) throw corrupt(file.path, `has the partition spec ${file.specId}, which the table does not have`)
  return spec
}

function append(map: Map<string, SequencedFile[]>, key: string, file: SequencedFile): void {
  const files = map.get(key)
  if (files) files.push(file)
  else map.set(key, [file])
}

function corrupt(path: string, what: string): AppError {
  return new AppError('TABLE_CORRUPT', `File ${path} ${what}`)
}
