// Where the reading of a file may end: after so many row groups, or once it has given so many rows. Pure.
import type { LiveRowGroup } from './deleted-column.ts'

export interface WantedRows {
  readonly rowGroupsMax: number
  /** Rows that are not deleted by position. */
  readonly rowsMax: number
}

/** The first row groups that hold as many rows as are wanted, or all where they hold fewer. */
export function takeWanted(
  groups: readonly LiveRowGroup[],
  wanted: WantedRows | undefined,
): readonly LiveRowGroup[] {
  if (wanted === undefined) return groups
  let rowCount = 0
  const end = groups.findIndex(({ group, deletedCount }, index) => {
    rowCount += group.rowCount - deletedCount
    return index + 1 >= wanted.rowGroupsMax || rowCount >= wanted.rowsMax
  })
  return end === -1 ? groups : groups.slice(0, end + 1)
}
