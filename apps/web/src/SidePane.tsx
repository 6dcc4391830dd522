// The pane at the left: the catalog, what was run, what was saved. One of them at a time; the catalog keeps its state.
import { useState, type ReactNode } from 'react'
import { HistoryPanel, SavedPanel } from './features/history/HistoryPanel.tsx'
import type { StatementLink } from './link/link.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'

const VIEWS = ['Catalog', 'History', 'Saved'] as const

interface SidePaneProps {
  catalog: ReactNode
  onOpenStatement: (statement: StatementLink) => void
}

export function SidePane({ catalog, onOpenStatement }: SidePaneProps) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Catalog')
  return (
    <aside className="side" data-zone="catalog" aria-label="Side pane">
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the tabs in it take the focus */}
      <div
        role="tablist"
        aria-label="Side pane"
        className="side-views"
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
          if (step === 0) return
          const next = (VIEWS.indexOf(view) + step + VIEWS.length) % VIEWS.length
          setView(VIEWS[next] ?? 'Catalog')
          event.currentTarget.querySelectorAll('button')[next]?.focus()
          event.preventDefault()
        }}
      >
        {VIEWS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            className="side-view"
            aria-selected={name === view}
            tabIndex={name === view ? 0 : -1}
            onClick={() => setView(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div className="side-content" hidden={view !== 'Catalog'}>
        {catalog}
      </div>
      {view !== 'Catalog' && (
        <div className="side-content">
          <ErrorBoundary name="The history" key={view}>
            {view === 'History' ? (
              <HistoryPanel onOpen={onOpenStatement} />
            ) : (
              <SavedPanel onOpen={onOpenStatement} />
            )}
          </ErrorBoundary>
        </div>
      )}
    </aside>
  )
}
