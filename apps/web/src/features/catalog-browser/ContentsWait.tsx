// While manifests are read: what there is to read, as the manifest list says, rather than a wheel that turns.
import type { TableName } from '../../api/table-name.ts'
import { bytesText, countedText } from '../../ui/format-quantity.ts'
import { useManifestTotals } from './use-table-contents.ts'

export function ContentsWait({ name, snapshot }: { name: TableName; snapshot: string }) {
  const totals = useManifestTotals(name, snapshot)
  const { data } = totals
  return (
    <output className="page-note">
      {data === undefined
        ? 'reading the manifest list…'
        : `reading ${countedText(data.rowCount, 'manifest')}, ${bytesText(data.bytes)}…`}
    </output>
  )
}
