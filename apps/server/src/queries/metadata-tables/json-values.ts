// Values of metadata tables as JSON that the engine reads exactly: integers as digits, never as a double; what JSON has
// no form for as text that the engine casts to the column's type.
import { AppError } from '@lake/core/errors.ts'
import { formatLiteral } from '@lake/core/iceberg/literal-display.ts'
import type { IcebergType, LiteralValue, PrimitiveType } from '@lake/core/iceberg/types.ts'
import { quoteIdentifier } from '../../engine/quote.ts'

/** The DuckDB type to read the JSON as. Casting it to the type of the column gives exactly the value. */
export function jsonType(type: IcebergType): string {
  switch (type.kind) {
    case 'boolean':
      return 'BOOLEAN'
    case 'int':
      return 'INTEGER'
    case 'long':
      return 'BIGINT'
    case 'struct': {
      const fields = type.fields.map((field) => `${quoteIdentifier(field.name)} ${jsonType(field.type)}`)
      return `STRUCT(${fields.join(', ')})`
    }
    case 'list':
      return `${jsonType(type.element)}[]`
    case 'map':
      // Keys of JSON objects are texts.
      return `MAP(VARCHAR, ${jsonType(type.value)})`
    default:
      return 'VARCHAR'
  }
}

/**
 * JSON text of a value: a record for a struct, an array for a list, a `Map` for a map, else a literal; integers may be
 * numbers. undefined is null.
 * @throws AppError TABLE_UNSUPPORTED for an integer beyond 64 bits
 */
export function toJson(type: IcebergType, value: unknown): string {
  if (value === null || value === undefined) return 'null'
  switch (type.kind) {
    case 'boolean':
    case 'int':
      return scalarText(value as boolean | number | bigint)
    case 'long':
      return longText(value as number | bigint)
    case 'struct': {
      const record = value as Readonly<Record<string, unknown>>
      const members = type.fields.map(
        ({ name, type }) =>
          `${JSON.stringify(name)}:${toJson(type, Object.hasOwn(record, name) ? record[name] : null)}`,
      )
      return `{${members.join(',')}}`
    }
    case 'list':
      return `[${(value as readonly unknown[]).map((item) => toJson(type.element, item)).join(',')}]`
    case 'map': {
      const entries = [...(value as ReadonlyMap<LiteralValue, unknown>)]
      const members = entries.map(
        ([key, item]) =>
          `${JSON.stringify(formatLiteral(type.key as PrimitiveType, key))}:${toJson(type.value, item)}`,
      )
      return `{${members.join(',')}}`
    }
    default:
      return JSON.stringify(formatLiteral(type, value as LiteralValue))
  }
}

const scalarText = (value: boolean | number | bigint): string => String(value)

/** Some writers have ids of 64 bits without a sign, which the column's type does not hold. */
function longText(value: number | bigint): string {
  if (typeof value === 'number' || BigInt.asIntN(64, value) === value) return String(value)
  throw new AppError('TABLE_UNSUPPORTED', `The metadata holds ${value}, which is no 64-bit integer`, {
    details: { feature: 'integers beyond 64 bits' },
  })
}
