// Whether a statement moves times between zones: AT TIME ZONE means the opposite for a time and for an instant.
import { isNode, textOf } from './syntax-tree.ts'

/** True where `timezone()`, which AT TIME ZONE stands for, is called anywhere in the tree. */
export function callsTimeZone(tree: unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return false
  if (isNode(tree) && textOf(tree, 'function_name').toLowerCase() === 'timezone') return true
  return Object.values(tree).some(callsTimeZone)
}
