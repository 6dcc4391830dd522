// The pane at the left: the catalog, what was run, what was saved. One of them at a time; the catalog keeps its state.
import { useState, type ReactNode } from 'react'
import { HistoryPanel, SavedPanel } from './features/history/HistoryPanel.tsx'
import { openSaved, openStatement } from './shell-actions.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'

type View = 'Catalog' | 'History' | 'Saved' | 'Background'

interface SidePaneProps {
  catalog: ReactNode
  /** The background statements; null where none can run. */
  background: ReactNode | null
  /** A query was opened. */
  onOpened: () => void
}

export function SidePane({ catalog, background, onOpened }: SidePaneProps) {
  const [view, setView] = useState<View>('Catalog')
  const opening =
    <T,>(open: (query: T) => void) =>
    (query: T) => {
      open(query)
      onOpened()
    }
  const views: View[] = [
    'Catalog',
    'History',
    'Saved',
    ...(background === null ? [] : ['Background' as const]),
  ]
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
          const next = (views.indexOf(view) + step + views.length) % views.length
          setView(views[next] ?? 'Catalog')
          event.currentTarget.querySelectorAll('button')[next]?.focus()
          event.preventDefault()
        }}
      >
        {views.map((name) => (
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
          <ErrorBoundary name="This list" key={view}>
            {view === 'History' && <HistoryPanel onOpen={opening(openStatement)} />}
            {view === 'Saved' && <SavedPanel onOpen={opening(openSaved)} />}
            {view === 'Background' && background}
          </ErrorBoundary>
        </div>
      )}
    </aside>
  )
}
