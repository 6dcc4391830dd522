// The parts of a table's page, as links: each has an address of its own, and Back leads to the part before.
import type { MouseEvent } from 'react'
import { TABLE_PARTS, tableViewSearch, viewOfPart, type TablePart, type TableView } from './table-view.ts'

const PART_NAMES: Record<TablePart, string> = {
  columns: 'Columns',
  preview: 'Preview',
  snapshots: 'Snapshots',
  files: 'Files',
  manifests: 'Manifests',
  details: 'Details',
}

interface PartLinksProps {
  path: string
  view: TableView
  onView: (view: TableView) => void
}

export function PartLinks({ path, view, onView }: PartLinksProps) {
  const open = (event: MouseEvent, part: TablePart): void => {
    // With a key held down the browser opens a tab or a window of its own.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onView(viewOfPart(view, part))
  }
  return (
    <nav className="part-links" aria-label="Parts of the table’s page">
      {TABLE_PARTS.map((part) => (
        <a
          key={part}
          href={path + tableViewSearch(viewOfPart(view, part))}
          aria-current={part === view.part ? 'page' : undefined}
          onClick={(event) => open(event, part)}
        >
          {PART_NAMES[part]}
        </a>
      ))}
    </nav>
  )
}
