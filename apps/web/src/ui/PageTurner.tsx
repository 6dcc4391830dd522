// Which rows of a long list are shown, and the way to the others.
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { countText } from './format-quantity.ts'
import { IconButton } from './IconButton.tsx'

interface PageTurnerProps {
  /** What the rows are, in the plural. */
  what: string
  /** From 0. */
  page: number
  pageRows: number
  rowCount: number
  onPage: (page: number) => void
}

export function PageTurner({ what, page, pageRows, rowCount, onPage }: PageTurnerProps) {
  if (rowCount <= pageRows && page === 0) return null
  const last = Math.max(0, Math.ceil(rowCount / pageRows) - 1)
  const start = page * pageRows
  const end = Math.min(start + pageRows, rowCount)
  return (
    <nav className="page-turner" aria-label={`Pages of ${what}`}>
      <IconButton label="First page" disabled={page === 0} onClick={() => onPage(0)}>
        <span aria-hidden className="page-end">
          1
        </span>
      </IconButton>
      <IconButton label="Page before" disabled={page === 0} onClick={() => onPage(page - 1)}>
        <ChevronLeft size={16} />
      </IconButton>
      <output className="tabular">
        {start < end ? `${countText(start + 1)} to ${countText(end)}` : 'none'} of {countText(rowCount)}
      </output>
      <IconButton label="Next page" disabled={page >= last} onClick={() => onPage(page + 1)}>
        <ChevronRight size={16} />
      </IconButton>
      <IconButton label="Last page" disabled={page >= last} onClick={() => onPage(last)}>
        <span aria-hidden className="page-end">
          {countText(last + 1)}
        </span>
      </IconButton>
    </nav>
  )
}
