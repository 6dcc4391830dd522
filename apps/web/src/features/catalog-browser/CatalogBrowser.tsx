// The catalog feature's side bar: configured namespaces, their tables, and a box that filters them or opens a table
// by its full name.
import { Search } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { useNamespaces, useSession } from '../../api/queries.ts'
import { parseTableName, type TableName } from '../../api/table-name.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { CatalogTree } from './CatalogTree.tsx'
import type { TreeActions } from './tree-menu.ts'
import { useTree } from './use-tree.ts'

interface CatalogBrowserProps extends TreeActions {
  selected: TableName | null
}

const NO_NAMESPACES: string[][] = []

export function CatalogBrowser({ selected, ...actions }: CatalogBrowserProps) {
  const session = useSession()
  const namespaces = useNamespaces()
  const [text, setText] = useState('')
  const [isRefused, setRefused] = useState(false)
  const canList = session.data?.discovery === 'list'
  const known = namespaces.data?.namespaces ?? NO_NAMESPACES
  const tree = useTree(known, canList, text.includes('.') ? '' : text.trim())

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const name = parseTableName(text, known)
    setRefused(name === null && text.trim() !== '')
    if (name === null) return
    setText('')
    actions.onOpenTable(name)
  }

  return (
    <nav className="catalog" aria-label="Catalog">
      <search>
        <form className="search-field catalog-search" onSubmit={submit}>
          <Search size={14} aria-hidden />
          <input
            aria-label={
              canList ? 'Filter tables, or open one by its full name' : 'Open a table by its full name'
            }
            aria-invalid={isRefused}
            placeholder={canList ? 'Filter, or iceberg.ns.table' : 'iceberg.namespace.table'}
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => {
              setText(event.target.value)
              setRefused(false)
            }}
          />
        </form>
      </search>
      {isRefused && (
        <p className="catalog-hint" role="alert">
          A full name looks like <code>iceberg.namespace.table</code>; press Enter to open it.
        </p>
      )}
      <div className="catalog-body">
        {namespaces.isPending && <p className="catalog-hint">loading namespaces…</p>}
        {namespaces.isError && (
          <ErrorNotice error={namespaces.error} onRetry={() => void namespaces.refetch()} />
        )}
        {namespaces.isSuccess && known.length === 0 && (
          <p className="catalog-hint">
            No namespace is configured for you. Whoever runs this workbench names the ones that may be read.
          </p>
        )}
        {known.length > 0 && (
          <CatalogTree
            rows={tree.rows}
            selected={selected}
            toggle={tree.toggle}
            retry={tree.retry}
            showMore={tree.showMore}
            {...actions}
          />
        )}
      </div>
    </nav>
  )
}
