// The number of a LIMIT, which EXPLAIN does not print, from the syntax tree into the plan.

interface LimitModifier {
  readonly type?: string
  readonly limit?: {
    readonly class?: string
    readonly value?: { readonly value?: unknown; readonly is_null?: boolean }
  }
  readonly offset?: unknown
}

function countLimits(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0
  let count = 'type' in node && String(node.type).startsWith('LIMIT_') ? 1 : 0
  for (const child of Object.values(node)) count += countLimits(child)
  return count
}

/** The rows of the statement's only LIMIT, where that is a constant at the top without OFFSET. */
export function constantLimit(tree: unknown): number | undefined {
  const { statements } = tree as {
    statements?: readonly { node?: { modifiers?: readonly LimitModifier[] } }[]
  }
  const limit = statements?.[0]?.node?.modifiers?.find((modifier) => modifier.type === 'LIMIT_MODIFIER')
  if (limit?.limit?.class !== 'CONSTANT' || limit.offset !== null || countLimits(tree) !== 1) return undefined
  const { value, is_null: isNull } = limit.limit.value ?? {}
  return isNull !== true && typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : undefined
}

interface PlanNode {
  readonly name?: string
  readonly children?: readonly PlanNode[]
  readonly extra_info?: Record<string, unknown>
}

/** Adds `Limit` to the plan's limit node, where there is exactly one. */
export function addLimit(plan: unknown, limit: number | undefined): void {
  if (limit === undefined) return
  const found: PlanNode[] = []
  const visit = (node: PlanNode): void => {
    if (node.name === 'LIMIT' || node.name === 'STREAMING_LIMIT') found.push(node)
    for (const child of node.children ?? []) visit(child)
  }
  for (const root of plan as readonly PlanNode[]) visit(root)
  const info = found.length === 1 ? found[0]?.extra_info : undefined
  if (info) info['Limit'] = String(limit)
}
