// How the schema of a table came to be what it is: each schema with what it changed, by field id, and since when rows have it.
import { Eye } from 'lucide-react'
import { useMemo } from 'react'
import type { TableResponse } from '@lake/core/api/contract.ts'
import { SCHEMAS_TOLD_MAX } from '../../limits.ts'
import { changeText, type SchemaChange } from '../../schema/schema-changes.ts'
import { countText, instantText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { visibleName } from '../../ui/visible-text.ts'
import { schemaHistory, type SchemaVersion } from './schema-history.ts'

const TONES: Partial<Record<SchemaChange['kind'], string>> = { added: 'added', dropped: 'deleted' }

function Changes({ changes }: { changes: SchemaVersion['changes'] }) {
  if (changes === null) return <span className="faint">the first that is known</span>
  if (changes.length === 0)
    return <span className="faint">columns are the same; their order, words or defaults need not be</span>
  return (
    <ul className="schema-changes">
      {changes.map((change) => (
        <li key={`${change.fieldId} ${change.kind}`}>
          <span className="mono">{visibleName(change.path)}</span>{' '}
          <span className={TONES[change.kind] ?? ''}>{changeText(change)}</span>
          <span className="faint"> · id {change.fieldId}</span>
        </li>
      ))}
    </ul>
  )
}

interface SchemasTableProps {
  table: TableResponse
  onShow: (snapshotId: string) => void
}

export function SchemasTable({ table, onShow }: SchemasTableProps) {
  const newestFirst = useMemo(() => schemaHistory(table).toReversed(), [table])
  const isCut = table.schemas.length > SCHEMAS_TOLD_MAX
  return (
    <section aria-labelledby="schemas-title">
      <h2 id="schemas-title">
        Schemas{' '}
        <span className="h2-note">
          {countText(table.schemas.length)}, newest first{isCut && `; the last ${SCHEMAS_TOLD_MAX} are told`}
        </span>
      </h2>
      <TableFrame label="Table of schemas">
        <thead>
          <tr>
            <th scope="col" className="numeric">
              id
            </th>
            <th scope="col">against the one before</th>
            <th scope="col" className="numeric">
              columns
            </th>
            <th scope="col">first commit with it</th>
          </tr>
        </thead>
        <tbody>
          {newestFirst.map(({ schemaId, changes, columnCount, isCurrent, firstSnapshot }) => (
            <tr key={schemaId}>
              <td className="numeric faint">{schemaId}</td>
              <td>
                <div className="schema-cell">
                  <Changes changes={changes} />
                  {isCurrent && <span className="chip">current</span>}
                </div>
              </td>
              <td className="numeric">{countText(columnCount)}</td>
              <td className="nowrap tabular">
                {firstSnapshot === null ? (
                  <span className="faint">none that the table has</span>
                ) : (
                  <>
                    {instantText(firstSnapshot.committedAtMs)}
                    <IconButton
                      label={`Show the table as of snapshot ${firstSnapshot.snapshotId}, the first with schema ${schemaId}`}
                      className="copy-button"
                      onClick={() => onShow(firstSnapshot.snapshotId)}
                    >
                      <Eye size={14} />
                    </IconButton>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  )
}
