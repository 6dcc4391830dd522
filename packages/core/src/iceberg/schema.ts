// Schemas: parsing from metadata JSON, text of types both ways, and finding fields by id or name.
// Source: Iceberg table spec, "Schemas and Data Types" and appendix C. Column names are compared exactly.
// A type we do not know makes the table unsupported, because a column of it could not be read right.
import { AppError } from '../errors.ts'
import {
  asArray,
  asInteger,
  asObject,
  asString,
  corruptAt,
  listOf,
  optional,
  required,
} from './json-reader.ts'
import type { JsonObject } from './json-reader.ts'
import type { IcebergType, NestedField, PrimitiveType, Schema } from './types.ts'

const DEPTH_MAX = 64
const DECIMAL = /^decimal\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/
const FIXED = /^fixed\[\s*(\d{1,9})\s*\]$/
const GEOMETRY = /^geometry(?:\(\s*([^,()]*?)\s*\))?$/
const GEOGRAPHY = /^geography(?:\(\s*([^,()]*?)\s*(?:,\s*([a-z]+)\s*)?\))?$/
const DEFAULT_CRS = 'OGC:CRS84'
const DEFAULT_ALGORITHM = 'spherical'

const SIMPLE_KINDS = [
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'timestamp_ns',
  'timestamptz_ns',
  'string',
  'uuid',
  'binary',
  'unknown',
  'variant',
] as const

/**
 * Parses the text of a primitive type, such as `decimal(18, 2)`.
 * @throws AppError TABLE_UNSUPPORTED for a type that is not known
 */
export function parsePrimitiveType(text: string): PrimitiveType {
  const simple = SIMPLE_KINDS.find((kind) => kind === text)
  if (simple) return { kind: simple }
  const decimal = DECIMAL.exec(text)
  if (decimal) {
    const [precision, scale] = [Number(decimal[1]), Number(decimal[2])]
    if (precision >= 1 && precision <= 38 && scale <= precision) return { kind: 'decimal', precision, scale }
  }
  const fixed = FIXED.exec(text)
  if (fixed) return { kind: 'fixed', lengthBytes: Number(fixed[1]) }
  const geometry = GEOMETRY.exec(text)
  if (geometry) return { kind: 'geometry', crs: geometry[1] ?? DEFAULT_CRS }
  const geography = GEOGRAPHY.exec(text)
  if (geography) {
    return {
      kind: 'geography',
      crs: geography[1] ?? DEFAULT_CRS,
      algorithm: geography[2] ?? DEFAULT_ALGORITHM,
    }
  }
  throw new AppError('TABLE_UNSUPPORTED', `Type ${JSON.stringify(text)} is not known`, {
    details: { feature: `type ${text}` },
  })
}

/** Iceberg's own text of a type; nested ones as `struct<1: a: int>`, `list<int>`, `map<string, int>`. */
export function formatType(type: IcebergType): string {
  switch (type.kind) {
    case 'struct':
      return `struct<${type.fields.map((field) => `${field.id}: ${field.name}: ${formatType(field.type)}`).join(', ')}>`
    case 'list':
      return `list<${formatType(type.element)}>`
    case 'map':
      return `map<${formatType(type.key)}, ${formatType(type.value)}>`
    case 'decimal':
      return `decimal(${type.precision}, ${type.scale})`
    case 'fixed':
      return `fixed[${type.lengthBytes}]`
    case 'geometry':
      return `geometry(${type.crs})`
    case 'geography':
      return `geography(${type.crs}, ${type.algorithm})`
    default:
      return type.kind
  }
}

/**
 * Parses one schema of the metadata.
 * @param path of the JSON, for messages
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED
 */
export function parseSchema(json: unknown, path: string): Schema {
  const object = asObject(json, path)
  return {
    schemaId: optional(object, 'schema-id', path, asInteger) ?? 0,
    fields: parseFields(object, path, 0),
    identifierFieldIds:
      optional(object, 'identifier-field-ids', path, (value, at) => listOf(value, at, asInteger)) ?? [],
  }
}

function parseFields(object: JsonObject, path: string, depth: number): readonly NestedField[] {
  return required(object, 'fields', path, asArray).map((item, index) =>
    parseField(item, `${path}.fields[${index}]`, depth),
  )
}

function parseField(json: unknown, path: string, depth: number): NestedField {
  const object = asObject(json, path)
  return {
    id: required(object, 'id', path, asInteger),
    name: required(object, 'name', path, asString),
    isRequired: object['required'] === true,
    type: parseType(object['type'], `${path}.type`, depth + 1),
    doc: optional(object, 'doc', path, asString),
    initialDefault: Object.hasOwn(object, 'initial-default')
      ? (object['initial-default'] ?? undefined)
      : undefined,
    ...(object['write-default'] == null ? {} : { writeDefault: object['write-default'] }),
  }
}

function parseType(json: unknown, path: string, depth: number): IcebergType {
  if (depth > DEPTH_MAX) throw corruptAt(path, `within ${DEPTH_MAX} levels of nesting`)
  if (typeof json === 'string') return parsePrimitiveType(json)
  const object = asObject(json, path)
  switch (object['type']) {
    case 'struct':
      return { kind: 'struct', fields: parseFields(object, path, depth) }
    case 'list':
      return {
        kind: 'list',
        elementId: required(object, 'element-id', path, asInteger),
        element: parseType(object['element'], `${path}.element`, depth + 1),
        isElementRequired: object['element-required'] === true,
      }
    case 'map':
      return {
        kind: 'map',
        keyId: required(object, 'key-id', path, asInteger),
        key: parseType(object['key'], `${path}.key`, depth + 1),
        valueId: required(object, 'value-id', path, asInteger),
        value: parseType(object['value'], `${path}.value`, depth + 1),
        isValueRequired: object['value-required'] === true,
      }
    default:
      throw corruptAt(path, 'a type')
  }
}

export function isPrimitive(type: IcebergType): type is PrimitiveType {
  return type.kind !== 'struct' && type.kind !== 'list' && type.kind !== 'map'
}

export interface FoundField {
  readonly type: IcebergType
  /** Names from the top; list elements, map keys and values are `element`, `key`, `value`. */
  readonly path: readonly string[]
  /** True where the path leads through a list or a map, so that a row has any number of such values. */
  readonly isRepeated: boolean
  /** Field ids from the top, its own last. */
  readonly idPath: readonly number[]
}

/** Every field of the schema by id, nested ones too. Where an id occurs twice, the first wins. */
export function indexFields(schema: Schema): ReadonlyMap<number, FoundField> {
  const index = new Map<number, FoundField>()
  const add = (
    id: number,
    name: string,
    type: IcebergType,
    parent: FoundField,
    isRepeated: boolean,
  ): void => {
    const found = {
      type,
      path: [...parent.path, name],
      idPath: [...parent.idPath, id],
      isRepeated: parent.isRepeated || isRepeated,
    }
    if (!index.has(id)) index.set(id, found)
    addChildren(found)
  }
  const addChildren = (parent: FoundField): void => {
    const { type } = parent
    if (type.kind === 'struct') {
      for (const field of type.fields) add(field.id, field.name, field.type, parent, false)
    } else if (type.kind === 'list') {
      add(type.elementId, 'element', type.element, parent, true)
    } else if (type.kind === 'map') {
      add(type.keyId, 'key', type.key, parent, true)
      add(type.valueId, 'value', type.value, parent, true)
    }
  }
  addChildren({
    type: { kind: 'struct', fields: schema.fields },
    path: [],
    idPath: [],
    isRepeated: false,
  })
  return index
}

/** The field of this id, nested ones too. To look up many, keep an `indexFields`. */
export function findField(schema: Schema, fieldId: number): FoundField | undefined {
  return indexFields(schema).get(fieldId)
}

/** The type of the field of this id where it is primitive and has one value per row. */
export function primitiveTypeOf(
  fields: ReadonlyMap<number, FoundField>,
  fieldId: number,
): PrimitiveType | undefined {
  const found = fields.get(fieldId)
  return found && !found.isRepeated && isPrimitive(found.type) ? found.type : undefined
}
