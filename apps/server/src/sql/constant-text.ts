// The text of a constant in a plan's filter, where its type is that of the column it is compared with. Pure.
// Filters print a constant as a literal, or as a string cast to the constant's type; another type than the column's would
// mean a comparison after a conversion, which is not understood.
import type { PrimitiveType } from '@lake/core/iceberg/types.ts'
import { formatDecimal } from '@lake/core/iceberg/literal.ts'
import { isNode, type TreeNode } from './syntax-tree.ts'

const INTEGER_IDS: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'])
const NUMERIC_KINDS: ReadonlySet<string> = new Set(['int', 'long', 'float', 'double', 'decimal'])

/** DuckDB's type names that a cast of a string may have, by the column's kind. */
const CAST_IDS: Readonly<Record<string, readonly string[]>> = {
  boolean: ['BOOLEAN'],
  int: ['INTEGER'],
  long: ['BIGINT'],
  float: ['FLOAT'],
  double: ['DOUBLE'],
  decimal: ['DECIMAL'],
  date: ['DATE'],
  time: ['TIME'],
  timestamp: ['TIMESTAMP'],
  timestamptz: ['TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ'],
  timestamp_ns: ['TIMESTAMP_NS'],
  timestamptz_ns: ['TIMESTAMP_NS', 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ'],
  uuid: ['UUID'],
  binary: ['BLOB'],
  fixed: ['BLOB'],
}

/** An integer constant as decimal digits, also one of 128 bits. */
export function integerText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'string') return String(value)
  if (!isNode(value)) return undefined
  // 128 bits in two halves.
  const { upper, lower } = value
  try {
    return String(
      BigInt.asIntN(128, (BigInt(upper as string) << 64n) + BigInt.asUintN(64, BigInt(lower as string))),
    )
  } catch {
    return undefined
  }
}

function plainConstant(node: TreeNode, type: PrimitiveType): string | undefined {
  const constant = node['value']
  if (!isNode(constant) || constant['is_null'] === true || !isNode(constant['type'])) return undefined
  const id = String(constant['type']['id'])
  const { value } = constant
  if (id === 'VARCHAR') return type.kind === 'string' && typeof value === 'string' ? value : undefined
  if (!NUMERIC_KINDS.has(type.kind)) return undefined
  if (INTEGER_IDS.has(id)) return integerText(value)
  if (id === 'DOUBLE')
    return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
  if (id !== 'DECIMAL') return undefined
  const info = constant['type']['type_info']
  const unscaled = integerText(value)
  if (!isNode(info) || unscaled === undefined || !/^-?\d+$/u.test(unscaled)) return undefined
  return formatDecimal(BigInt(unscaled), Number(info['scale']))
}

/** Text for `parseLiteral`; undefined for NULL, for other types, and for anything but a constant. */
export function constantText(node: unknown, type: PrimitiveType): string | undefined {
  if (!isNode(node)) return undefined
  if (node.class === 'CONSTANT') return plainConstant(node, type)
  if (node.class !== 'CAST' || node['try_cast'] === true || !isNode(node['cast_type'])) return undefined
  if (!CAST_IDS[type.kind]?.includes(String(node['cast_type']['id']))) return undefined
  const { child } = node
  const constant = isNode(child) && child.class === 'CONSTANT' ? child['value'] : undefined
  if (!isNode(constant) || constant['is_null'] === true) return undefined
  const { value } = constant
  if (typeof value !== 'string') return undefined
  // The parser writes `true` as the letter alone.
  if (type.kind === 'boolean' && /^[tf]$/u.test(value)) return value === 't' ? 'true' : 'false'
  return value
}
