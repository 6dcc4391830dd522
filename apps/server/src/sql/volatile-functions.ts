// Whether a statement must give the same answer whenever it reads the same snapshots. Chance and the time of day are what
// makes it differ; a doubt counts as a difference. Pure.
import { isNode, textOf } from './syntax-tree.ts'

/** Functions whose value depends on chance or on when they are called; names that stand for one without brackets too. */
export const VOLATILE_FUNCTIONS: ReadonlySet<string> = new Set([
  'ago',
  'age',
  'current_date',
  'current_localtime',
  'current_localtimestamp',
  'current_time',
  'current_timestamp',
  'error',
  'gen_random_uuid',
  'get_current_time',
  'get_current_timestamp',
  'localtime',
  'localtimestamp',
  'now',
  'random',
  'today',
  'transaction_timestamp',
  'uuid',
  'uuidv4',
  'uuidv7',
])

/** @param tree the engine's syntax tree of the statement */
export function isRepeatable(tree: unknown): boolean {
  if (Array.isArray(tree)) return tree.every(isRepeatable)
  if (!isNode(tree)) return true
  if (VOLATILE_FUNCTIONS.has(textOf(tree, 'function_name').toLowerCase())) return false
  const names = tree['column_names']
  if (Array.isArray(names) && names.length === 1 && VOLATILE_FUNCTIONS.has(String(names[0]).toLowerCase()))
    return false
  // USING SAMPLE and TABLESAMPLE choose rows by chance.
  if (isNode(tree['sample'])) return false
  return Object.values(tree).every(isRepeatable)
}
