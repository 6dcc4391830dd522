// Finds the element of a list and the key and value of a map in all the shapes that Parquet writers have used.
// Source: parquet-format LogicalTypes.md, "Lists" and "Maps", with their backward-compatibility rules.
import type { SchemaNode } from './parquet-metadata.ts'

export interface ListShape {
  readonly element: SchemaNode
  /** True where the repeated node is the element itself (two levels), so no level of its own says that it is null. */
  readonly isElementRepeated: boolean
}

/** undefined where the node is no list. A repeated node outside of a list is a list of itself, never null. */
export function listShape(node: SchemaNode): ListShape | undefined {
  if (node.repetition === 'repeated') return { element: node, isElementRepeated: true }
  if (node.annotation.kind !== 'list' || node.children.length !== 1) return undefined
  const repeated = node.children[0]
  if (repeated?.repetition !== 'repeated') return undefined
  const only = repeated.children.length === 1 ? repeated.children[0] : undefined
  const isElement =
    only === undefined ||
    only.repetition === 'repeated' ||
    repeated.name === 'array' ||
    repeated.name === `${node.name}_tuple`
  return isElement
    ? { element: repeated, isElementRepeated: true }
    : { element: only, isElementRepeated: false }
}

export interface MapShape {
  readonly key: SchemaNode
  readonly value: SchemaNode
}

/** undefined where the node is no map with keys and values. */
export function mapShape(node: SchemaNode): MapShape | undefined {
  if (node.annotation.kind !== 'map' || node.repetition === 'repeated' || node.children.length !== 1) {
    return undefined
  }
  const entry = node.children[0]
  const [key, value, ...more] = entry?.children ?? []
  if (entry?.repetition !== 'repeated' || more.length > 0) return undefined
  if (key === undefined || value === undefined) return undefined
  return key.repetition === 'repeated' || value.repetition === 'repeated' ? undefined : { key, value }
}
