// Columns of a schema with their field ids; parts of nested types are rows of their own, indented.
import type { ColumnNode } from '@lake/core/api/contract.ts'

function flatten(columns: readonly ColumnNode[], depth = 0): { column: ColumnNode; depth: number }[] {
  return columns.flatMap((column) => [{ column, depth }, ...flatten(column.children, depth + 1)])
}

export function SchemaTable({ columns }: { columns: readonly ColumnNode[] }) {
  if (columns.length === 0) return <p className="page-note">The schema has no columns.</p>
  const rows = flatten(columns)
  const hasDocs = rows.some(({ column }) => column.doc !== null)
  return (
    <div className="data-table-frame">
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col" className="numeric">
              id
            </th>
            <th scope="col">column</th>
            <th scope="col">type</th>
            <th scope="col">null</th>
            {hasDocs && <th scope="col">doc</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ column, depth }) => (
            <tr key={column.id}>
              <td className="numeric faint">{column.id}</td>
              <th scope="row" style={{ paddingInlineStart: 8 + depth * 16 }} data-nested={depth > 0}>
                {column.name}
              </th>
              <td className="mono">{column.type}</td>
              <td className="faint">{column.isRequired ? 'required' : 'optional'}</td>
              {hasDocs && <td className="doc">{column.doc}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
