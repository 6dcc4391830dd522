// How a table is laid out: partition specs and sort orders as they have changed, and the properties and identity behind them.
import type { TableResponse } from '@lake/core/api/contract.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { layoutRows, orderTerms, specTerms, type LayoutRow } from './layout-changes.ts'

function Change({ row }: { row: LayoutRow }) {
  if (row.added.length + row.removed.length === 0) return null
  return (
    <>
      {row.added.map((term) => (
        <span key={term} className="mono added layout-change">
          + {term}
        </span>
      ))}
      {row.removed.map((term) => (
        <span key={term} className="mono deleted layout-change">
          − {term}
        </span>
      ))}
    </>
  )
}

/** @param none what a layout without terms is called */
function LayoutTable({ label, none, rows }: { label: string; none: string; rows: readonly LayoutRow[] }) {
  return (
    <TableFrame label={`Table of ${label}s`}>
      <thead>
        <tr>
          <th scope="col" className="numeric">
            id
          </th>
          <th scope="col">{label}</th>
          <th scope="col">against the one before</th>
        </tr>
      </thead>
      <tbody>
        {rows.toReversed().map((row) => (
          <tr key={row.id}>
            <td className="numeric faint">{row.id}</td>
            <td className="mono">
              {row.terms.length === 0 ? none : row.terms.join(', ')}
              {row.isDefault && <span className="chip">current</span>}
            </td>
            <td>
              <Change row={row} />
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

export function PartitionsAndOrders({ table }: { table: TableResponse }) {
  const specs = table.partitionSpecs.map((spec) => ({ id: spec.specId, terms: specTerms(spec) }))
  const orders = table.sortOrders.map((order) => ({ id: order.orderId, terms: orderTerms(order) }))
  return (
    <section aria-labelledby="layout-title" className="side-by-side">
      <h2 id="layout-title">
        Partitioning and order <span className="h2-note">newest first</span>
      </h2>
      <LayoutTable
        label="partition spec"
        none="unpartitioned"
        rows={layoutRows(specs, table.defaultSpecId)}
      />
      <LayoutTable label="sort order" none="unsorted" rows={layoutRows(orders, table.defaultSortOrderId)} />
    </section>
  )
}

export function Properties({ table }: { table: TableResponse }) {
  const facts: [string, string][] = [
    ['table uuid', table.tableUuid ?? 'none'],
    ['location', table.location],
    ...Object.entries(table.properties).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]
  return (
    <section aria-labelledby="properties-title">
      <h2 id="properties-title">Identity and properties</h2>
      <TableFrame label="Table of properties">
        <tbody>
          {facts.map(([key, value]) => (
            <tr key={key}>
              <th scope="row" className="property-key">
                {key}
              </th>
              <td className="mono break">
                {value} <CopyButton text={value} label={`Copy ${key}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  )
}
