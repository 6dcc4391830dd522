// What the evaluators need to know of a partition spec's fields: transform, source type and type of the values.
import { parseTransform, transformResultType } from '../iceberg/transform.ts'
import type { Transform } from '../iceberg/transform.ts'
import type { PartitionSpec } from '../iceberg/table-metadata.ts'
import type { PrimitiveType } from '../iceberg/types.ts'

export interface TypedPartitionField {
  readonly fieldId: number
  readonly name: string
  readonly sourceId: number | undefined
  readonly transform: Transform
  readonly sourceType: PrimitiveType | undefined
  /** undefined where nothing is to be concluded from the field's values. */
  readonly resultType: PrimitiveType | undefined
}

/**
 * The spec's fields in its order, typed by the schema that a predicate is bound to. Fields of unknown transforms, of
 * several sources, or whose source the schema no longer has, stay without types.
 */
export function typePartitionFields(
  spec: PartitionSpec,
  typeOf: (fieldId: number) => PrimitiveType | undefined,
): readonly TypedPartitionField[] {
  return spec.fields.map((field) => {
    const sourceId = field.sourceIds.length === 1 ? field.sourceIds[0] : undefined
    const sourceType = sourceId === undefined ? undefined : typeOf(sourceId)
    const transform: Transform =
      sourceId === undefined ? { kind: 'unknown' } : parseTransform(field.transform)
    return {
      fieldId: field.fieldId,
      name: field.name,
      sourceId,
      transform,
      sourceType,
      resultType: sourceType && transformResultType(transform, sourceType),
    }
  })
}
