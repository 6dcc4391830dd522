// What the rail says of one commit.
import { countedText, countText, instantText, shortId } from '../../ui/format-quantity.ts'
import type { Rail, RailCommit } from './rail-commits.ts'

/** append +1,204 rows −3, tag q3 */
export function commitText({ operation, addedRows, deletedRows, refs }: RailCommit): string {
  const parts = [operation ?? 'commit']
  if (addedRows !== null && addedRows > 0n) parts.push(`+${countText(addedRows)}`)
  if (deletedRows !== null && deletedRows > 0n) parts.push(`−${countText(deletedRows)}`)
  const rows = parts.length > 1 ? `${parts.join(' ')} rows` : parts.join(' ')
  return refs.length === 0 ? rows : `${rows} · ${refs.join(', ')}`
}

/** Of a snapshot that has no place on the rail. */
export function offRailText({ olderIds, commits }: Rail, snapshotId: string): string {
  const where = olderIds.has(snapshotId)
    ? `older than the ${countedText(commits.length, 'commit')} shown`
    : 'aside of what is current'
  return `snapshot ${shortId(snapshotId)}, ${where}`
}

/** Where the reader stands: `current`, or the time and how many commits lie after it. */
export function standText(commit: RailCommit, commitsAfter: number): string {
  if (commitsAfter === 0) return `current, committed ${instantText(commit.committedAtMs)}`
  return `as of ${instantText(commit.committedAtMs)}, ${countedText(commitsAfter, 'commit')} before current`
}
