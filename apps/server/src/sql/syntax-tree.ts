// The engine's syntax tree as plain JSON: what all of its nodes have in common.
import { nameEnd, tokenEnd, utf16Offset } from '../engine/text-offsets.ts'

export interface TreeNode {
  /** Expressions have a class; tables, query nodes and modifiers only a type. */
  readonly class?: string
  readonly type?: string
  /** In UTF-8 bytes; beyond the text, or a string of digits, where the engine does not know. */
  readonly query_location?: number | string
  readonly [key: string]: unknown
}

export function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text of the node, or the empty text. */
export function textOf(node: TreeNode, key: string): string {
  const value = node[key]
  return typeof value === 'string' ? value : ''
}

/** Where the node's token, or its whole dotted name, stands in the text; undefined where the engine does not say. */
export function locate(
  node: TreeNode,
  sql: string,
  isName: boolean,
): { startOffset: number; endOffset: number } | undefined {
  const position = node.query_location
  if (typeof position !== 'number' || position > Buffer.byteLength(sql)) return undefined
  const startOffset = utf16Offset(sql, position)
  return { startOffset, endOffset: isName ? nameEnd(sql, startOffset) : tokenEnd(sql, startOffset) }
}
