// Partitions of files and manifests in words, and in the order of their values. Pure.
import { typePartitionFields, type TypedPartitionField } from '@lake/core/expr/partition-types.ts'
import { formatLiteral, formatPartitionValue } from '@lake/core/iceberg/literal-display.ts'
import { compareLiterals, decodeBound } from '@lake/core/iceberg/literal.ts'
import type { DataFile, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import { indexFields, primitiveTypeOf } from '@lake/core/iceberg/schema.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { LiteralValue, Schema } from '@lake/core/iceberg/types.ts'
import { withDroppedColumns } from '../metadata-tables/partition-struct.ts'

/** One partition of one spec. */
export interface Partition {
  readonly specId: number
  /** null in a spec without fields. */
  readonly text: string | null
  readonly values: readonly (LiteralValue | null)[]
}

export interface PartitionWords {
  /** Files of one partition get one object. */
  readonly partitionOf: (file: DataFile) => Partition
  /** What the manifest list says of a manifest's partitions. */
  readonly boundsOf: (manifest: ManifestFile) => string | null
}

export function createPartitionWords(metadata: TableMetadata, tableSchema: Schema): PartitionWords {
  const index = indexFields(withDroppedColumns(metadata, tableSchema))
  const fieldsBySpec = new Map(
    metadata.partitionSpecs.map((spec) => [
      spec.specId,
      typePartitionFields(spec, (id) => primitiveTypeOf(index, id)).filter(
        ({ transform }) => transform.kind !== 'void',
      ),
    ]),
  )
  const known = new Map<string, Partition>()
  return {
    partitionOf({ specId, partition }) {
      const fields = fieldsBySpec.get(specId) ?? []
      const values = fields.map(({ fieldId }) => partition.get(fieldId) ?? null)
      const text =
        fields.length === 0
          ? null
          : fields.map((field, at) => `${field.name} = ${wordsOf(field, values[at] ?? null)}`).join(', ')
      const key = `${specId} ${text}`
      const made = known.get(key) ?? { specId, text, values }
      known.set(key, made)
      return made
    },
    boundsOf({ partitionSpecId, partitions }) {
      const specFields =
        metadata.partitionSpecs.find(({ specId }) => specId === partitionSpecId)?.fields ?? []
      const fields = fieldsBySpec.get(partitionSpecId) ?? []
      const texts = (partitions ?? []).flatMap(({ lowerBound, upperBound, containsNull }, position) => {
        const field = fields.find(({ fieldId }) => fieldId === specFields[position]?.fieldId)
        const [lower, upper] = [decoded(field, lowerBound), decoded(field, upperBound)]
        if (field === undefined || lower === undefined || upper === undefined) return []
        const range = lower === upper ? lower : `${lower} to ${upper}`
        return [`${field.name}: ${range}${containsNull ? ' and NULL' : ''}`]
      })
      return texts.length === 0 ? null : texts.join(', ')
    },
  }
}

function wordsOf({ transform, resultType }: TypedPartitionField, value: LiteralValue | null): string {
  if (value === null) return 'NULL'
  if (resultType !== undefined) return formatPartitionValue(transform, resultType, value)
  return value instanceof Uint8Array ? formatLiteral({ kind: 'binary' }, value) : String(value)
}

function decoded(field: TypedPartitionField | undefined, bytes: Uint8Array | undefined): string | undefined {
  if (field?.resultType === undefined || bytes === undefined) return undefined
  const value = decodeBound(field.resultType, bytes)
  return value === undefined ? undefined : formatPartitionValue(field.transform, field.resultType, value)
}

/** By spec, then value by value, NULL first. */
export function comparePartitions(left: Partition, right: Partition): number {
  if (left.specId !== right.specId) return left.specId - right.specId
  for (const [at, value] of left.values.entries()) {
    const other = right.values[at] ?? null
    if (value === null || other === null) {
      if (value !== other) return value === null ? -1 : 1
    } else {
      // Values of a type that is not known any more may be of several.
      const order = typeof value === typeof other ? compareLiterals(value, other) : 0
      if (order !== 0) return order
    }
  }
  return 0
}
