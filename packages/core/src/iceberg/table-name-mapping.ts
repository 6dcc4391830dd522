// The name mapping that a table's files without field ids are read by: the property's, unless it contradicts the schemas.
// Some migrations numbered the mapping by themselves, so that its ids name other fields of the schema. A field never
// changes its parent, so an id that stands under another one than in the schemas proves that the mapping is not theirs.
// Then the names in the schemas serve, as where a mapping is made from a schema, and what they do not settle is refused.
import { NAME_MAPPING_PROPERTY, parseNameMapping } from './name-mapping.ts'
import type { MappedField, NameMapping } from './name-mapping.ts'
import { indexFields } from './schema.ts'
import type { TableMetadata } from './table-metadata.ts'
import type { IcebergType, Schema } from './types.ts'

/**
 * undefined where the table has no mapping.
 * @throws AppError TABLE_CORRUPT
 */
export function nameMappingOf(
  metadata: Pick<TableMetadata, 'properties' | 'schemas'>,
): NameMapping | undefined {
  const text = metadata.properties[NAME_MAPPING_PROPERTY]
  if (text === undefined) return undefined
  const mapping = parseNameMapping(text)
  if (!contradicts(mapping, metadata.schemas)) return mapping
  return mappingOfSchemas(metadata.schemas)
}

function contradicts(mapping: NameMapping, schemas: readonly Schema[]): boolean {
  const parents = new Map<number, number | undefined>()
  for (const schema of schemas) {
    for (const [id, { idPath }] of indexFields(schema)) parents.set(id, idPath.at(-2))
  }
  const differs = (fields: readonly MappedField[], parentId: number | undefined): boolean =>
    fields.some(({ fieldId, fields: nested }) => {
      if (fieldId === undefined) return false
      return (parents.has(fieldId) && parents.get(fieldId) !== parentId) || differs(nested, fieldId)
    })
  return differs(mapping.fields, undefined)
}

interface NamedField {
  readonly id: number
  readonly names: Set<string>
  readonly types: IcebergType[]
}

/** Every name that a field has had. Ambiguous where one name has meant two fields of one parent. */
function mappingOfSchemas(schemas: readonly Schema[]): NameMapping {
  let isAmbiguous = false
  const merge = (types: readonly IcebergType[]): readonly MappedField[] => {
    const byId = new Map<number, NamedField>()
    for (const { id, name, type } of types.flatMap(childrenOf)) {
      const field = byId.get(id) ?? { id, names: new Set(), types: [] }
      byId.set(id, field)
      field.names.add(name)
      field.types.push(type)
    }
    const fields = [...byId.values()]
    const names = fields.flatMap((field) => [...field.names])
    if (new Set(names).size < names.length) isAmbiguous = true
    return fields.map((field) => ({
      fieldId: field.id,
      names: [...field.names],
      fields: merge(field.types),
    }))
  }
  const fields = merge(schemas.map((schema) => ({ kind: 'struct', fields: schema.fields })))
  return { fields, origin: isAmbiguous ? 'ambiguous' : 'schemas' }
}

function childrenOf(type: IcebergType): { id: number; name: string; type: IcebergType }[] {
  switch (type.kind) {
    case 'struct':
      return [...type.fields]
    case 'list':
      return [{ id: type.elementId, name: 'element', type: type.element }]
    case 'map':
      return [
        { id: type.keyId, name: 'key', type: type.key },
        { id: type.valueId, name: 'value', type: type.value },
      ]
    default:
      return []
  }
}
