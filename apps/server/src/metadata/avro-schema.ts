// Parsing of Avro schemas as they stand in the header of a container file. Source: Apache Avro specification, "Schema
// Declaration"; Iceberg's attribute `field-id`. Made for hostile schemas: nesting and the number of nodes that one value
// may visit are bounded, and a type that holds itself is refused (Iceberg has none, and it could nest without end).
import { AppError } from '@lake/core/errors.ts'

type AvroPrimitiveKind = 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string'

/** Of the logical type `decimal`. */
export interface AvroDecimal {
  readonly precision: number
  readonly scale: number
}

export interface AvroField {
  readonly name: string
  readonly fieldId: number | undefined
  readonly type: AvroType
}

export type AvroType = (
  | {
      readonly kind: AvroPrimitiveKind
      readonly logicalType: string | undefined
      readonly decimal: AvroDecimal | undefined
    }
  | {
      readonly kind: 'fixed'
      readonly sizeBytes: number
      readonly logicalType: string | undefined
      readonly decimal: AvroDecimal | undefined
    }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  /** With the logical type `map`, an array of records of a key and a value. */
  | { readonly kind: 'array'; readonly items: AvroType; readonly logicalType: string | undefined }
  | { readonly kind: 'map'; readonly values: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | { readonly kind: 'record'; readonly fields: readonly AvroField[] }
) & {
  /** Least encoded size of one value. */
  readonly bytesMin: number
  /** Types visited by one value that holds no array or map items, references followed. */
  readonly nodeCount: number
}

const DEPTH_MAX = 64
const NODES_MAX = 100_000
const FIXED_BYTES_MAX = 1_048_576
const PRIMITIVE_BYTES_MIN: Readonly<Record<AvroPrimitiveKind, number>> = {
  null: 0,
  boolean: 1,
  int: 1,
  long: 1,
  float: 4,
  double: 8,
  bytes: 1,
  string: 1,
}

/** @throws AppError TABLE_CORRUPT naming the file */
export function parseAvroSchema(text: string, path: string): AvroType {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new AppError('TABLE_CORRUPT', `The Avro schema of ${path} is not JSON`, { cause })
  }
  return new SchemaParser(path).parse(json, '', 0)
}

class SchemaParser {
  readonly #path: string
  /** undefined while the type is being parsed: it must not hold itself. */
  readonly #named = new Map<string, AvroType | undefined>()

  constructor(path: string) {
    this.#path = path
  }

  parse(json: unknown, namespace: string, depth: number): AvroType {
    if (depth > DEPTH_MAX) throw this.#corrupt('nests too deep')
    const type = this.#parseUnbounded(json, namespace, depth)
    if (type.nodeCount > NODES_MAX) throw this.#corrupt('is too large')
    return type
  }

  #parseUnbounded(json: unknown, namespace: string, depth: number): AvroType {
    if (typeof json === 'string') return this.#resolve(json, namespace, {})
    if (Array.isArray(json)) {
      const branches = json.map((branch) => this.parse(branch, namespace, depth + 1))
      if (branches.length === 0) throw this.#corrupt('has an empty union')
      return { kind: 'union', branches, bytesMin: 1, nodeCount: 1 + sum(branches) }
    }
    if (typeof json !== 'object' || json === null)
      throw this.#corrupt('has a type that is neither text nor object')
    const object = json as Readonly<Record<string, unknown>>
    switch (object['type']) {
      case 'record':
      case 'error':
        return this.#define(object, namespace, (inner) => this.#parseRecord(object, inner, depth))
      case 'fixed':
        return this.#define(object, namespace, () => this.#parseFixed(object))
      case 'enum':
        return this.#define(object, namespace, () => this.#parseEnum(object))
      case 'array': {
        const items = this.parse(object['items'], namespace, depth + 1)
        const logicalType = textOf(object['logicalType'])
        return { kind: 'array', items, logicalType, bytesMin: 1, nodeCount: 1 + items.nodeCount }
      }
      case 'map': {
        const values = this.parse(object['values'], namespace, depth + 1)
        return { kind: 'map', values, bytesMin: 1, nodeCount: 1 + values.nodeCount }
      }
      default:
        return typeof object['type'] === 'string'
          ? this.#resolve(object['type'], namespace, object)
          : this.parse(object['type'], namespace, depth + 1)
    }
  }

  #resolve(name: string, namespace: string, object: Readonly<Record<string, unknown>>): AvroType {
    if (Object.hasOwn(PRIMITIVE_BYTES_MIN, name)) {
      const kind = name as AvroPrimitiveKind
      return { kind, ...logicalTypeOf(object), bytesMin: PRIMITIVE_BYTES_MIN[kind], nodeCount: 1 }
    }
    const fullName = fullNameOf(name, namespace)
    const key = this.#named.has(fullName) ? fullName : name
    const type = this.#named.get(key)
    if (type) return type
    throw this.#corrupt(
      this.#named.has(key) ? `has a type ${name} that holds itself` : `names an unknown type ${name}`,
    )
  }

  #define(
    object: Readonly<Record<string, unknown>>,
    namespace: string,
    parse: (inner: string) => AvroType,
  ): AvroType {
    const name = textOf(object['name'])
    if (name === undefined) throw this.#corrupt('has a named type without a name')
    const fullName = fullNameOf(name, textOf(object['namespace']) ?? namespace)
    this.#named.set(fullName, undefined)
    const type = parse(fullName.slice(0, Math.max(0, fullName.lastIndexOf('.'))))
    this.#named.set(fullName, type)
    return type
  }

  #parseRecord(object: Readonly<Record<string, unknown>>, namespace: string, depth: number): AvroType {
    if (!Array.isArray(object['fields'])) throw this.#corrupt('has a record without fields')
    const fields = object['fields'].map((item: unknown): AvroField => {
      const field = item as Readonly<Record<string, unknown>> | null
      const name = textOf(field?.['name'])
      if (!field || name === undefined) throw this.#corrupt('has a field without a name')
      const id = field['field-id']
      return {
        name,
        fieldId: typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined,
        type: this.parse(field['type'], namespace, depth + 1),
      }
    })
    const types = fields.map(({ type }) => type)
    return {
      kind: 'record',
      fields,
      bytesMin: types.reduce((total, type) => total + type.bytesMin, 0),
      nodeCount: 1 + sum(types),
    }
  }

  #parseFixed(object: Readonly<Record<string, unknown>>): AvroType {
    const sizeBytes = object['size']
    if (
      typeof sizeBytes !== 'number' ||
      !Number.isInteger(sizeBytes) ||
      sizeBytes < 0 ||
      sizeBytes > FIXED_BYTES_MAX
    ) {
      throw this.#corrupt('has a fixed of an impossible size')
    }
    return {
      kind: 'fixed',
      sizeBytes,
      ...logicalTypeOf(object),
      bytesMin: sizeBytes,
      nodeCount: 1,
    }
  }

  #parseEnum(object: Readonly<Record<string, unknown>>): AvroType {
    const symbols = Array.isArray(object['symbols']) ? object['symbols'].map(String) : []
    return { kind: 'enum', symbols, bytesMin: 1, nodeCount: 1 }
  }

  #corrupt(what: string): AppError {
    return new AppError('TABLE_CORRUPT', `The Avro schema of ${this.#path} ${what}`)
  }
}

function logicalTypeOf(object: Readonly<Record<string, unknown>>): {
  logicalType: string | undefined
  decimal: AvroDecimal | undefined
} {
  const logicalType = textOf(object['logicalType'])
  const { precision, scale = 0 } = object
  const isDecimal = logicalType === 'decimal' && isCount(precision) && isCount(scale)
  return { logicalType, decimal: isDecimal ? { precision, scale } : undefined }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function sum(types: readonly AvroType[]): number {
  return types.reduce((total, type) => total + type.nodeCount, 0)
}

function fullNameOf(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
