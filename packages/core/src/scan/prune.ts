// One level of pruning: which items every condition lets pass, and how much each condition alone excludes.

/** What is left of a level's items, and the account of what is not. */
export interface Pruned<Item> {
  readonly kept: readonly Item[]
  readonly excluded: readonly Item[]
  /** By condition: the weight of the items that it alone excludes. Several may exclude the same one. */
  readonly excludedBy: readonly number[]
}

/**
 * Keeps the items that might match every condition.
 * @param mightMatch false is a proof that nothing in the item matches
 * @param weightOf what an item counts for in the account: itself by default
 */
export function prune<Item, Condition>(
  items: readonly Item[],
  conditions: readonly Condition[],
  mightMatch: (item: Item, condition: Condition) => boolean,
  weightOf: (item: Item) => number = () => 1,
): Pruned<Item> {
  const kept: Item[] = []
  const excluded: Item[] = []
  const excludedBy = conditions.map(() => 0)
  for (const item of items) {
    let isKept = true
    conditions.forEach((condition, index) => {
      if (mightMatch(item, condition)) return
      isKept = false
      excludedBy[index] = (excludedBy[index] ?? 0) + weightOf(item)
    })
    ;(isKept ? kept : excluded).push(item)
  }
  return { kept, excluded, excludedBy }
}

/** Sums two accounts by condition. */
export function addCounts(left: readonly number[], right: readonly number[]): readonly number[] {
  return left.map((count, index) => count + (right[index] ?? 0))
}
