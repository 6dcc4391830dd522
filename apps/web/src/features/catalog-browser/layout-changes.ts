// What each partition spec and sort order changed against the one before it.
import type { TableResponse } from '@lake/core/api/contract.ts'

type PartitionSpec = TableResponse['partitionSpecs'][number]
type SortOrder = TableResponse['sortOrders'][number]

const termText = ({ transform, source }: { transform: string; source: string }): string =>
  transform === 'identity' ? source : `${transform}(${source})`

const isVoid = ({ transform }: { transform: string }): boolean => transform === 'void'

/** Fields that partition nothing any more stand in old tables as `void`; they are left out. */
export const specTerms = ({ fields }: PartitionSpec): string[] =>
  fields.filter((field) => !isVoid(field)).map(termText)

export const orderTerms = ({ fields }: SortOrder): string[] =>
  fields.map((field) => `${termText(field)} ${field.direction} ${field.nullOrder}`)

export interface LayoutRow {
  id: number
  terms: string[]
  isDefault: boolean
  /** `+ bucket[16](id)`, `− day(ts)`; empty for the first, and where only the order differs. */
  added: string[]
  removed: string[]
}

/** By id, which is the order in which they were made. */
export function layoutRows(
  layouts: readonly { id: number; terms: string[] }[],
  defaultId: number,
): LayoutRow[] {
  const sorted = layouts.toSorted((left, right) => left.id - right.id)
  return sorted.map(({ id, terms }, index) => {
    const before = sorted[index - 1]?.terms
    return {
      id,
      terms,
      isDefault: id === defaultId,
      added: before === undefined ? [] : terms.filter((term) => !before.includes(term)),
      removed: before === undefined ? [] : before.filter((term) => !terms.includes(term)),
    }
  })
}
