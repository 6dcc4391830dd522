// How a table is laid out: partition specs, sort orders, and the properties and identity behind them.
import type { TableResponse } from '@lake/core/api/contract.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'

function specText(fields: TableResponse['partitionSpecs'][number]['fields']): string {
  if (fields.length === 0) return 'unpartitioned'
  return fields
    .map((field) => (field.transform === 'identity' ? field.source : `${field.transform}(${field.source})`))
    .join(', ')
}

function orderText(fields: TableResponse['sortOrders'][number]['fields']): string {
  if (fields.length === 0) return 'unsorted'
  return fields
    .map((field) => {
      const term = field.transform === 'identity' ? field.source : `${field.transform}(${field.source})`
      return `${term} ${field.direction} ${field.nullOrder}`
    })
    .join(', ')
}

interface LayoutRow {
  id: number
  text: string
  isDefault: boolean
}

function LayoutTable({ label, rows }: { label: string; rows: readonly LayoutRow[] }) {
  return (
    <div className="data-table-frame">
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col" className="numeric">
              id
            </th>
            <th scope="col">{label}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td className="numeric faint">{row.id}</td>
              <td className="mono">
                {row.text}
                {row.isDefault && <span className="chip">current</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function PartitionsAndOrders({ table }: { table: TableResponse }) {
  return (
    <section aria-labelledby="layout-title" className="side-by-side">
      <h2 id="layout-title">Layout</h2>
      <LayoutTable
        label="partition spec"
        rows={table.partitionSpecs.map((spec) => ({
          id: spec.specId,
          text: specText(spec.fields),
          isDefault: spec.specId === table.defaultSpecId,
        }))}
      />
      <LayoutTable
        label="sort order"
        rows={table.sortOrders.map((order) => ({
          id: order.orderId,
          text: orderText(order.fields),
          isDefault: order.orderId === table.defaultSortOrderId,
        }))}
      />
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
      <div className="data-table-frame">
        <table className="data-table">
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
        </table>
      </div>
    </section>
  )
}
