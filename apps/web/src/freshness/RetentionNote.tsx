// Says that a snapshot which is read or shared will be removed soon by the table's own rules, and how its owner keeps it.
import { useTable } from '../api/queries.ts'
import { RETENTION_TOLD_MS } from '../limits.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { instantText, shortId } from '../ui/format-quantity.ts'
import { useNow } from '../ui/use-now.ts'
import { removableFromMs, tagStatement } from './retention.ts'

interface RetentionNoteProps {
  namespace: readonly string[]
  table: string
  snapshotId: string
}

export function RetentionNote({ namespace, table, snapshotId }: RetentionNoteProps) {
  const { data } = useTable(namespace, table)
  const now = useNow(60_000)
  const fromMs = data === undefined ? null : removableFromMs(data, snapshotId)
  if (fromMs === null || fromMs - now > RETENTION_TOLD_MS) return null
  const name = [...namespace, table].join('.')
  const statement = tagStatement({ namespace, table }, snapshotId)
  return (
    <p className="retention-note">
      {fromMs <= now
        ? `The table’s rules allow to remove snapshot ${shortId(snapshotId)} of ${name} since ${instantText(fromMs)}.`
        : `The table’s rules allow to remove snapshot ${shortId(snapshotId)} of ${name} from ${instantText(fromMs)} on.`}{' '}
      Its owner keeps it with <code>{statement}</code>{' '}
      <CopyButton text={statement} label="Copy the statement that keeps it" />
    </p>
  )
}
