// The head of a column that a list can be sorted by.
import { ArrowDown, ArrowUp } from 'lucide-react'

interface SortHeaderProps<Sort extends string> {
  label: string
  sort: Sort
  present: { sort: Sort; isDescending: boolean }
  onSort: (sort: Sort) => void
  isNumeric?: boolean
}

export function SortHeader<Sort extends string>(props: SortHeaderProps<Sort>) {
  const { label, sort, present, onSort, isNumeric = false } = props
  const isSorted = present.sort === sort
  const Arrow = present.isDescending ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      className={isNumeric ? 'numeric' : ''}
      aria-sort={isSorted ? (present.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button type="button" className="sort-button" onClick={() => onSort(sort)}>
        {label}
        <Arrow size={12} aria-hidden className="sort-arrow" data-shown={isSorted} />
      </button>
    </th>
  )
}
