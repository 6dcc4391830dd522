// What the equality deletes of a scan ask of it: which columns are their keys, and where each file stands in the order of
// commits and partitions, which decides what applies to it. Pure; `core/scan/delete-file-index.ts` has the rules.
//
// A key is a column of the table, or a hidden one behind them: a field inside of a struct, or one that the table has lost.
// Hidden columns are read like others and are no columns of the view. Source: Iceberg table spec, "Equality Delete Files".
import { AppError } from '@lake/core/errors.ts'
import { assertDefined } from '@lake/core/assert.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import { isUnpartitioned } from '@lake/core/iceberg/partition-spec.ts'
import { indexFields, isPrimitive, type FoundField } from '@lake/core/iceberg/schema.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import type { NestedField, Schema } from '@lake/core/iceberg/types.ts'
import type { SequencedFile } from '@lake/core/scan/delete-file-index.ts'
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import { partitionKey } from '@lake/core/scan/partition-key.ts'
import { countUpTo } from '@lake/core/scan/sorted-numbers.ts'
import { stepsOf, type Steps } from '@lake/core/scan/steps.ts'
import type { DeletePlace, EqualityKey } from '../engine/engine.ts'
import { duckdbType } from '../sql/duckdb-type.ts'

/** Delete files that share their keys. */
export interface EqualityDeleteSet {
  /** Column i of a delete file's excerpt, read with `keySchema`, is key i. */
  readonly keys: readonly EqualityKey[]
  readonly keySchema: Schema
  /** True where they apply in every partition. */
  readonly isGlobal: boolean
  readonly files: readonly SequencedFile[]
}

export interface EqualityDeletePlan {
  /** The pinned schema, what else the view has, and the hidden columns behind them. */
  readonly schema: Schema
  readonly sets: readonly EqualityDeleteSet[]
  /** Of all delete files, as manifests have it. */
  readonly rowCount: number
  /** Columns that must be read of every data file to which equality deletes apply. */
  readonly keyIndexes: ReadonlySet<number>
  /** undefined for a data file to which none applies. */
  placeOf(task: FileScanTask): DeletePlace | undefined
  placeOfDelete(file: SequencedFile): DeletePlace
}

export interface EqualityDeleteContext {
  readonly schema: Schema
  /** Columns behind those of the schema that are no columns of the table. */
  readonly further?: readonly NestedField[]
  /** Every schema of the table: keys may have been dropped. */
  readonly schemas: readonly Schema[]
  specOf(specId: number): PartitionSpec
}

const isEquality = ({ file }: SequencedFile): boolean => file.content === 'equality-deletes'

/**
 * @param deletes of the scan, each once; those by position are passed over
 * @throws AppError TABLE_UNSUPPORTED for a key whose type cannot be compared, TABLE_CORRUPT for one that never was
 */
export function* planEqualityDeletes(
  deletes: readonly SequencedFile[],
  context: EqualityDeleteContext,
): Steps<EqualityDeletePlan> {
  const columns = createKeyColumns(context)
  const groups = new Map<string, KeyGroup>()
  const sequenceNumbers = new Set<bigint>()
  let rowCount = 0
  for (const step of stepsOf(deletes)) {
    for (const deletion of step.filter(isEquality)) {
      groupOf(deletion, groups, context).files.push(deletion)
      sequenceNumbers.add(deletion.sequenceNumber)
      rowCount += deletion.file.recordCount
    }
    yield
  }
  const sets = [...groups.values()].map(({ isGlobal, ids, files }): EqualityDeleteSet => {
    const keys = ids.map((id) => columns.keyOf(id))
    const fields = keys.map(({ field }) => field)
    const keySchema = { schemaId: context.schema.schemaId, fields, identifierFieldIds: [] }
    return { keys: keys.map(({ key }) => key), keySchema, isGlobal, files }
  })
  return {
    schema: {
      ...context.schema,
      fields: [...context.schema.fields, ...(context.further ?? []), ...columns.hidden],
    },
    sets,
    rowCount,
    keyIndexes: new Set(sets.flatMap(({ keys }) => keys.map(({ columnIndex }) => columnIndex))),
    ...placesAmong(sequenceNumbers, context),
  }
}

interface KeyGroup {
  readonly isGlobal: boolean
  readonly ids: readonly number[]
  readonly files: SequencedFile[]
}

function groupOf(
  { file }: SequencedFile,
  groups: Map<string, KeyGroup>,
  context: EqualityDeleteContext,
): KeyGroup {
  const isGlobal = isUnpartitioned(context.specOf(file.specId))
  const ids = [...new Set(file.equalityIds)].sort((a, b) => a - b)
  const name = JSON.stringify([isGlobal, ids])
  const group = groups.get(name) ?? { isGlobal, ids, files: [] }
  groups.set(name, group)
  return group
}

/** Commits are numbered from 1 by the sequence numbers of the deletes, partitions as they come. */
function placesAmong(
  sequenceNumbers: Iterable<bigint>,
  context: EqualityDeleteContext,
): Pick<EqualityDeletePlan, 'placeOf' | 'placeOfDelete'> {
  const ascending = BigInt64Array.from(sequenceNumbers).sort()
  const partitions = new Map<string, number>()
  const partitionOf = (file: DataFile): number => {
    const key = partitionKey(context.specOf(file.specId), file.partition)
    const known = partitions.get(key) ?? partitions.size
    partitions.set(key, known)
    return known
  }
  const placeOf = ({ file, sequenceNumber }: SequencedFile): DeletePlace => ({
    commitOrder: countUpTo(ascending, sequenceNumber),
    partition: partitionOf(file),
  })
  return {
    placeOf: (task) => (task.deletes.some(isEquality) ? placeOf(task) : undefined),
    placeOfDelete: placeOf,
  }
}

interface KeyColumn {
  readonly key: EqualityKey
  /** The top-level field to read of a delete file, with nothing inside but the key. */
  readonly field: NestedField
}

function createKeyColumns({ schema, further = [], schemas }: EqualityDeleteContext): {
  readonly hidden: readonly NestedField[]
  keyOf(fieldId: number): KeyColumn
} {
  const newestFirst = schemas.toSorted((a, b) => b.schemaId - a.schemaId)
  const hidden: NestedField[] = []
  const known = new Map<number, KeyColumn>()
  const make = (fieldId: number): KeyColumn => {
    const { found, fields, isLive } = locate(fieldId, schema, newestFirst)
    const field = narrow(fields, found.idPath)
    const columnType = duckdbType(field.type)
    if (!isPrimitive(found.type) || found.isRepeated || columnType === undefined) {
      throw unsupportedKey(found)
    }
    const liveIndex =
      isLive && found.path.length === 1 ? schema.fields.findIndex(({ id }) => id === fieldId) : -1
    const columnIndex = liveIndex >= 0 ? liveIndex : schema.fields.length + further.length + hidden.length
    if (liveIndex < 0) hidden.push(field)
    return { field, key: { columnIndex, columnType, path: found.path.slice(1) } }
  }
  return {
    hidden,
    keyOf(fieldId) {
      const column = known.get(fieldId) ?? make(fieldId)
      known.set(fieldId, column)
      return column
    },
  }
}

/** In the pinned schema, else in the newest one that has the field. */
function locate(
  fieldId: number,
  pinned: Schema,
  others: readonly Schema[],
): { found: FoundField; fields: readonly NestedField[]; isLive: boolean } {
  for (const schema of [pinned, ...others]) {
    const found = indexFields(schema).get(fieldId)
    if (found) return { found, fields: schema.fields, isLive: schema === pinned }
  }
  throw new AppError('TABLE_CORRUPT', `Equality deletes name the field ${fieldId}, which the table never had`)
}

/** Missing values of keys are NULL or the default, never an error. */
function narrow(fields: readonly NestedField[], idPath: readonly number[]): NestedField {
  const field = assertDefined(
    fields.find(({ id }) => id === idPath[0]),
    'a path of ids leads through the fields',
  )
  const optional = { ...field, isRequired: false }
  if (idPath.length === 1 || field.type.kind !== 'struct') return optional
  return { ...optional, type: { kind: 'struct', fields: [narrow(field.type.fields, idPath.slice(1))] } }
}

function unsupportedKey({ type, path }: FoundField): AppError {
  const feature = `equality deletes by ${path.join('.')} of type ${type.kind}`
  return new AppError('TABLE_UNSUPPORTED', `The table uses ${feature}, which is not read`, {
    details: { feature },
  })
}
