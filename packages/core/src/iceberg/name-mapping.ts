// Name mapping: field ids for data files that were written without them. Source: Iceberg table spec, "Column Projection"
// and "Name Mapping Serialization". Names match exactly; a dot in a name is a letter like any other.
// Applies only to a file without any field id; whether that is so is for the reader of the file.
import { AppError } from '../errors.ts'
import { asInteger, asObject, asString, listOf, optional, required } from './json-reader.ts'
import { parseLosslessJson } from './lossless-json.ts'

/** Table property that holds the mapping's JSON. */
export const NAME_MAPPING_PROPERTY = 'schema.name-mapping.default'

const DEPTH_MAX = 64

export interface MappedField {
  /** undefined: the names are listed without an id, so the column is not read. */
  readonly fieldId: number | undefined
  readonly names: readonly string[]
  readonly fields: readonly MappedField[]
}

export interface NameMapping {
  /** Where it is not the property's: made from the schemas, or from schemas that contradict each other. */
  readonly origin?: 'schemas' | 'ambiguous'
  readonly fields: readonly MappedField[]
}

/**
 * Parses the mapping's JSON text.
 * @throws AppError TABLE_CORRUPT
 */
export function parseNameMapping(text: string): NameMapping {
  let json: unknown
  try {
    json = parseLosslessJson(text)
  } catch (cause) {
    throw new AppError('TABLE_CORRUPT', `Table property ${NAME_MAPPING_PROPERTY} is not JSON`, { cause })
  }
  return { fields: parseFields(json, NAME_MAPPING_PROPERTY, 0) }
}

function parseFields(json: unknown, path: string, depth: number): readonly MappedField[] {
  if (depth > DEPTH_MAX) {
    throw new AppError('TABLE_CORRUPT', `Name mapping nests deeper than ${DEPTH_MAX} levels`)
  }
  return listOf(json, path, (item, itemPath) => {
    const object = asObject(item, itemPath)
    return {
      fieldId: optional(object, 'field-id', itemPath, asInteger),
      names: required(object, 'names', itemPath, (names, at) => listOf(names, at, asString)),
      fields: optional(object, 'fields', itemPath, (fields, at) => parseFields(fields, at, depth + 1)) ?? [],
    }
  })
}

/**
 * Field id of the column at a path of names from the top (`element`, `key` and `value` for lists and maps);
 * undefined where the mapping does not have it.
 */
export function findMappedFieldId(mapping: NameMapping, path: readonly string[]): number | undefined {
  let fields = mapping.fields
  let found: MappedField | undefined
  for (const name of path) {
    found = fields.find((field) => field.names.includes(name))
    if (!found) return undefined
    fields = found.fields
  }
  return found?.fieldId
}
