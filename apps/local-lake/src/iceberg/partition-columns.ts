// The partition specs that tables are written with here, and the columns of their partition tuples, all of which are 32-bit integers.
import { asInt, asObjects, asString } from '../catalog/json.ts'
import type { JsonObject } from '../catalog/json.ts'
import type { PartitionColumn } from './manifest-schemas.ts'

export interface SpecField {
  readonly fieldId: number
  readonly name: string
  readonly sourceId: number
  readonly transform: string
}

export interface SpecInfo {
  readonly specId: number
  readonly fields: readonly SpecField[]
}

/** The default spec: identity (of a date), day, month and bucket, or none. */
export function defaultSpec(metadata: JsonObject): SpecInfo {
  const specId = asInt(metadata['default-spec-id'], 'default-spec-id')
  const spec = asObjects(metadata['partition-specs'], 'partition-specs').find(
    (known) => known['spec-id'] === specId,
  )
  const fields = asObjects(spec?.['fields'] ?? [], 'spec.fields').map((field): SpecField => {
    const transform = asString(field['transform'], 'transform')
    const sourceId = asInt(field['source-id'], 'source-id')
    const isDate = transform !== 'identity' || typeOf(metadata, sourceId) === 'date'
    if (!isDate || !/^(identity|day|month|bucket\[\d+\])$/.test(transform))
      throw new Error(`Tables partitioned by ${transform} of this type are not written here`)
    return {
      fieldId: asInt(field['field-id'], 'field-id'),
      name: asString(field['name'], 'name'),
      sourceId,
      transform,
    }
  })
  return { specId, fields }
}

function typeOf(metadata: JsonObject, fieldId: number): unknown {
  const schemas = asObjects(metadata['schemas'], 'schemas')
  const fields = schemas.flatMap((schema) => asObjects(schema['fields'], 'fields'))
  return fields.find((field) => field['id'] === fieldId)?.['type']
}

export function partitionColumn({ fieldId, name, transform }: SpecField): PartitionColumn {
  const isDate = transform === 'identity' || transform === 'day'
  return { fieldId, name, avroType: isDate ? { type: 'int', logicalType: 'date' } : 'int' }
}
