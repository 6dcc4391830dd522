// Says in words that a tab reads the past, so that nobody mistakes old rows for new ones.
import { History } from 'lucide-react'
import { instantText, shortId } from '../../ui/format-quantity.ts'
import { tableKey } from '@lake/core/iceberg/identifiers.ts'
import { RetentionNote } from '../../freshness/RetentionNote.tsx'
import type { Tab } from './tabs-state.ts'
import { tabActions } from './tabs-store.ts'
import { tableLabel } from '../../api/table-name.ts'

export function PinStrip({ tab }: { tab: Tab }) {
  if (tab.pins.length === 0) return null
  return (
    <>
      <div className="pin-strip">
        <History size={14} aria-hidden />
        <span className="pin-text">
          {tab.pins.map((pin) => (
            <span key={`${pin.namespace.join('.')}.${pin.table}`} title={`snapshot ${pin.snapshotId}`}>
              {tableLabel(pin)} as of {instantText(pin.committedAtMs)}, snapshot {shortId(pin.snapshotId)}
            </span>
          ))}
        </span>
        <button type="button" className="button button-quiet" onClick={() => tabActions.unpin(tab.id)}>
          Read what is current
        </button>
      </div>
      {tab.pins.map(({ namespace, table, snapshotId }) => (
        <RetentionNote key={tableKey(namespace, table)} {...{ namespace, table, snapshotId }} />
      ))}
    </>
  )
}
