// How Iceberg types and columns appear in SQL.
import { assertNever } from '@lake/core/assert.ts'
import type { IcebergType, Schema } from '@lake/core/iceberg/types.ts'
import { quoteIdentifier } from '../engine/quote.ts'

/**
 * The DuckDB type that holds every value of an Iceberg type exactly; undefined where there is none yet, and a column of
 * that type is refused when a statement needs it.
 */
export function duckdbType(type: IcebergType): string | undefined {
  switch (type.kind) {
    case 'boolean':
      return 'BOOLEAN'
    case 'int':
      return 'INTEGER'
    case 'long':
      return 'BIGINT'
    case 'float':
      return 'FLOAT'
    case 'double':
      return 'DOUBLE'
    case 'decimal':
      return `DECIMAL(${type.precision},${type.scale})`
    case 'date':
      return 'DATE'
    case 'time':
      return 'TIME'
    case 'timestamp':
      return 'TIMESTAMP'
    case 'timestamptz':
      return 'TIMESTAMP WITH TIME ZONE'
    case 'timestamp_ns':
      return 'TIMESTAMP_NS'
    case 'timestamptz_ns':
      // The engine has no instants in nanoseconds: it has their time in UTC, which is its time zone here.
      return type.inMicros === true ? 'TIMESTAMP WITH TIME ZONE' : 'TIMESTAMP_NS'
    case 'string':
      return 'VARCHAR'
    case 'uuid':
      return 'UUID'
    case 'fixed':
    case 'binary':
      return 'BLOB'
    case 'struct': {
      const fields = type.fields.map((field) => ({ name: field.name, sqlType: duckdbType(field.type) }))
      if (fields.length === 0 || fields.some(({ sqlType }) => sqlType === undefined)) return undefined
      return `STRUCT(${fields.map(({ name, sqlType }) => `${quoteIdentifier(name)} ${sqlType}`).join(', ')})`
    }
    case 'list': {
      const element = containedType(type.element)
      return element === undefined ? undefined : `${element}[]`
    }
    case 'map': {
      const key = containedType(type.key)
      const value = containedType(type.value)
      return key === undefined || value === undefined ? undefined : `MAP(${key}, ${value})`
    }
    case 'variant':
      return 'JSON'
    case 'geometry':
    case 'geography':
      return 'GEOMETRY'
    case 'unknown':
      // What the engine takes a bare NULL for.
      return 'INTEGER'
    default:
      return assertNever(type)
  }
}

/** Without a column in the file nothing says how many elements there are. */
function containedType(type: IcebergType): string | undefined {
  return type.kind === 'unknown' ? undefined : duckdbType(type)
}

/**
 * Column names of a table in SQL, in schema order. SQL ignores case where Iceberg does not, so of names that differ in
 * case alone the first keeps its name and the later ones get `_1`, `_2`, … appended.
 */
export function sqlColumnNames(schema: Schema): string[] {
  const taken = new Set<string>()
  return schema.fields.map(({ name }) => {
    let candidate = name
    for (let suffix = 1; taken.has(candidate.toLowerCase()); suffix += 1) candidate = `${name}_${suffix}`
    taken.add(candidate.toLowerCase())
    return candidate
  })
}
