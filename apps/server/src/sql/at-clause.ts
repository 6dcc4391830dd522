// The version that `AT (VERSION => …)` or `AT (TIMESTAMP => …)` asks for, from the engine's syntax tree. Pure.
// Only constants are understood: a literal, or a text cast to a type of time. Times are in UTC where they name no zone.
import type { TableVersion } from '@lake/core/iceberg/snapshot.ts'
import { parseMoment } from '@lake/core/iceberg/civil-time.ts'
import { integerText } from './constant-text.ts'
import { isNode, textOf, type TreeNode } from './syntax-tree.ts'

const INTEGER_IDS: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'])
/** Those that round to seconds or milliseconds are left out. */
const TIME_IDS: ReadonlySet<string> = new Set([
  'DATE',
  'TIMESTAMP',
  'TIMESTAMP_NS',
  'TIMESTAMP WITH TIME ZONE',
])
const MS_PER_DAY = 86_400_000
const NANOS_PER_MS = 1_000_000n
/** Ids of 19 digits just beyond 64 bits occur. */
const SNAPSHOT_ID = /^-?\d{1,19}$/u

interface Constant {
  readonly typeId: string
  readonly value: unknown
}

/** A constant that is not NULL, and the type of its own. */
function constantOf(node: unknown): Constant | undefined {
  if (!isNode(node) || node.class !== 'CONSTANT') return undefined
  const { value } = node
  if (!isNode(value) || value['is_null'] === true || !isNode(value['type'])) return undefined
  return { typeId: String(value['type']['id']), value: value['value'] }
}

/** A text constant, bare or cast; `castId` is the type it is cast to. */
function castTextOf(node: unknown): { text: string; castId: string | undefined } | undefined {
  const isCast = isNode(node) && node.class === 'CAST' && node['try_cast'] !== true
  const constant = constantOf(isCast ? node['child'] : node)
  if (constant?.typeId !== 'VARCHAR' || typeof constant.value !== 'string') return undefined
  if (!isCast) return { text: constant.value, castId: undefined }
  const castType = node['cast_type']
  return { text: constant.value, castId: isNode(castType) ? String(castType['id']) : '' }
}

function versionOf(expression: unknown): TableVersion | undefined {
  const constant = constantOf(expression)
  if (constant === undefined) return undefined
  const { typeId, value } = constant
  if (typeId === 'VARCHAR') return typeof value === 'string' ? { kind: 'ref', name: value } : undefined
  const text = INTEGER_IDS.has(typeId) ? integerText(value) : undefined
  return text !== undefined && SNAPSHOT_ID.test(text)
    ? { kind: 'snapshot', snapshotId: BigInt(text) }
    : undefined
}

function timeOf(expression: unknown): TableVersion | undefined {
  const written = castTextOf(expression)
  if (written === undefined || (written.castId !== undefined && !TIME_IDS.has(written.castId)))
    return undefined
  const moment = parseMoment(written.text)
  if (moment === undefined) return undefined
  const { days, nanosOfDay, offsetSeconds } = moment
  if (written.castId === 'DATE') return { kind: 'time', timestampMs: days * MS_PER_DAY }
  // The engine ignores or applies a zone by the type; where it would ignore one, none may be written.
  const isZoned = written.castId === undefined || written.castId === 'TIMESTAMP WITH TIME ZONE'
  if (offsetSeconds !== undefined && !isZoned) return undefined
  const millis = days * MS_PER_DAY + Number(nanosOfDay / NANOS_PER_MS) - (offsetSeconds ?? 0) * 1_000
  return { kind: 'time', timestampMs: millis }
}

/** undefined where the clause holds anything but a constant that names a version. */
export function parseAtClause(clause: TreeNode): TableVersion | undefined {
  const unit = textOf(clause, 'unit').toUpperCase()
  if (unit === 'VERSION') return versionOf(clause['expr'])
  return unit === 'TIMESTAMP' ? timeOf(clause['expr']) : undefined
}
