// Values of fields that a file does not have, as SQL expressions. Source: Iceberg table spec, "Default values":
// only the initial default fills missing fields on read; a struct's default is null or takes its fields' own defaults.
import { AppError } from '@lake/core/errors.ts'
import { formatLiteralSql, literalFromJson } from '@lake/core/iceberg/literal.ts'
import type { IcebergType, LiteralValue, NestedField, PrimitiveType } from '@lake/core/iceberg/types.ts'
import { parquetUnsupported } from './thrift.ts'

/**
 * The value of a missing field: its initial default, or NULL.
 * @param path for messages, such as `address.zip`
 * @throws AppError TABLE_CORRUPT for a required field without default, or a default that is no value of its type
 */
export function missingFieldSql(field: NestedField, path: string): string {
  const { initialDefault } = field
  if (field.type.kind === 'unknown') return 'NULL'
  if (initialDefault === undefined || initialDefault === null) {
    if (!field.isRequired) return 'NULL'
    throw new AppError(
      'TABLE_CORRUPT',
      `A data file has no column ${path}, which is required and has no default`,
    )
  }
  return defaultSql(field.type, initialDefault, path)
}

export function hasDefault(field: NestedField): boolean {
  return field.initialDefault !== undefined && field.initialDefault !== null
}

/** A constant of the type that a view has for `type`. @throws AppError TABLE_UNSUPPORTED */
export function literalSql(type: PrimitiveType, value: LiteralValue): string {
  if (type.kind !== 'timestamptz_ns' || type.inMicros !== true) return formatLiteralSql(type, value)
  const nanos = value as bigint
  if (nanos % 1_000n !== 0n)
    throw parquetUnsupported('a timestamptz_ns that is no whole number of microseconds')
  return formatLiteralSql({ kind: 'timestamptz' }, nanos / 1_000n)
}

function defaultSql(type: IcebergType, json: unknown, path: string): string {
  if (type.kind === 'list' || type.kind === 'map') throw parquetUnsupported(`a default of a ${type.kind}`)
  if (type.kind !== 'struct') {
    const value = literalFromJson(type, json)
    if (value === undefined) {
      throw new AppError('TABLE_CORRUPT', `The default of column ${path} is no ${type.kind}`)
    }
    return literalSql(type, value)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new AppError('TABLE_CORRUPT', `The default of column ${path} is no struct`)
  }
  // Appendix C names a struct's values by field id; fields that it leaves out take their own default.
  const values = new Map(Object.entries(json as Record<string, unknown>))
  const fields = type.fields.map((field) => {
    const fieldPath = `${path}.${field.name}`
    const value = values.get(String(field.id))
    const sql =
      value === undefined || value === null
        ? missingFieldSql(value === null ? { ...field, initialDefault: undefined } : field, fieldPath)
        : defaultSql(field.type, value, fieldPath)
    return `${quoteName(field.name)} := ${sql}`
  })
  if (fields.length === 0) throw parquetUnsupported('a struct without fields')
  return `struct_pack(${fields.join(', ')})`
}

/** A name as a quoted SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as a SQL string constant. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
