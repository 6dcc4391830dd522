// The shell: top bar, catalog at the left, the workbench or a table page, status bar. The URL says which page it is;
// the workbench stays mounted behind a table page, so that nothing in it is lost.
import { Monitor, Moon, PanelLeft, Sun } from 'lucide-react'
import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { navigate, usePathname } from 'wouter/use-browser-location'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import { useSession } from './api/queries.ts'
import { namespaceText, sqlTableName, type TableName } from './api/table-name.ts'
import { CatalogBrowser } from './features/catalog-browser/CatalogBrowser.tsx'
import { TablePage } from './features/catalog-browser/TablePage.tsx'
import { saveTabsNow, tabActions, useTabs } from './features/editor/tabs-store.ts'
import { useRunningTabs } from './query-run/run-registry.ts'
import { parseRoute, tablePath, type Route } from './route.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'
import { IconButton } from './ui/IconButton.tsx'
import { useNotice } from './ui/notice.ts'
import { chooseTheme, useThemeChoice, type ThemeChoice } from './ui/theme.ts'
import { useMedia } from './ui/use-media.ts'
import { Workbench } from './Workbench.tsx'

const NEXT_THEME: Record<ThemeChoice, ThemeChoice> = { system: 'light', light: 'dark', dark: 'system' }
const THEME_ICON = { system: Monitor, light: Sun, dark: Moon }

function ThemeToggle() {
  const choice = useThemeChoice()
  const Icon = THEME_ICON[choice]
  return (
    <IconButton label={`Theme: ${choice}`} onClick={() => chooseTheme(NEXT_THEME[choice])}>
      <Icon size={16} />
    </IconButton>
  )
}

function Breadcrumb({ route }: { route: Route }) {
  return (
    <nav aria-label="Place" className="breadcrumb">
      <a
        href="/"
        aria-current={route.kind === 'editor' ? 'page' : undefined}
        onClick={(event) => {
          event.preventDefault()
          navigate('/')
        }}
      >
        Queries
      </a>
      {route.kind === 'table' && (
        <>
          <span aria-hidden>▸</span>
          <span>{namespaceText(route.name.namespace)}</span>
          <span aria-hidden>▸</span>
          <span aria-current="page" className="breadcrumb-table">
            {route.name.table}
          </span>
        </>
      )}
    </nav>
  )
}

function TopBar({ route, onToggleTree }: { route: Route; onToggleTree: () => void }) {
  return (
    <header className="top-bar">
      <IconButton label="Catalog (Ctrl B)" onClick={onToggleTree}>
        <PanelLeft size={16} />
      </IconButton>
      <span className="brand">Lake Workbench</span>
      <Breadcrumb route={route} />
      <span className="spacer" />
      <ThemeToggle />
    </header>
  )
}

const SAVE_TEXT = {
  saved: 'saved',
  saving: 'saving…',
  unsaved: 'not saved: browser storage is full',
} as const

function StatusBar() {
  const session = useSession()
  const running = useRunningTabs()
  const { saveStatus } = useTabs()
  const notice = useNotice()
  return (
    <footer className="status-bar">
      <span>{running.size === 0 ? 'idle' : `running ${running.size}`}</span>
      <output className="notice" data-tone={notice?.tone}>
        {notice?.text}
      </output>
      <span data-tone={saveStatus === 'unsaved' ? 'warn' : undefined}>{SAVE_TEXT[saveStatus]}</span>
      <span className="spacer" />
      {session.isError && <span data-tone="error">server unreachable</span>}
      {session.isSuccess && (
        <>
          <span className="status-wide">{session.data.principal ?? 'no sign-in'}</span>
          <span className="status-wide">discovery {session.data.discovery}</span>
          <span>times in UTC</span>
          <span>v{session.data.version}</span>
        </>
      )}
    </footer>
  )
}

function NotFound() {
  return (
    <div className="empty-result">
      <p>There is no such page.</p>
      <a href="/">Go to the queries</a>
    </div>
  )
}

type QueryTable = (name: TableName, snapshot?: SnapshotInfo) => void

const pinOf = (name: TableName, { snapshotId, committedAtMs }: SnapshotInfo) => ({
  namespace: [...name.namespace],
  table: name.table,
  snapshotId,
  committedAtMs,
})

function Page({ route, onQueryTable }: { route: Route; onQueryTable: QueryTable }) {
  return (
    <main className="main">
      <Workbench isHidden={route.kind !== 'editor'} />
      {route.kind === 'table' && (
        <ErrorBoundary name="The table page" key={tablePath(route.name)}>
          <TablePage name={route.name} onQuery={onQueryTable} />
        </ErrorBoundary>
      )}
      {route.kind === 'unknown' && <NotFound />}
    </main>
  )
}

/** The catalog over the page, where the window is too narrow for both. */
function Drawer({ children, onClose }: { children: ReactNode; onClose: () => void }) {
  return (
    <div className="drawer">
      <div className="drawer-panel">{children}</div>
      <button type="button" className="drawer-backdrop" aria-label="Close catalog" onClick={onClose} />
    </div>
  )
}

/** Ctrl B toggles the catalog; Ctrl S saves at once and never opens the browser's dialog. */
function useShellKeys(toggleTree: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      const key = event.key.toLowerCase()
      if (key === 's') saveTabsNow()
      else if (key === 'b') toggleTree()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => removeEventListener('keydown', onKeyDown, { capture: true })
  }, [toggleTree])
}

export function App() {
  const pathname = usePathname()
  const route = parseRoute(pathname)
  const isNarrow = useMedia('(max-width: 760px)')
  const [isTreeWanted, setTreeWanted] = useState<boolean | null>(null)
  const isTreeOpen = isTreeWanted ?? !isNarrow
  const toggleTree = useCallback(() => setTreeWanted((wanted) => !(wanted ?? !isNarrow)), [isNarrow])
  useShellKeys(toggleTree)

  const openTable = (name: TableName) => {
    navigate(tablePath(name))
    if (isNarrow) setTreeWanted(false)
  }
  const queryTable = (name: TableName, snapshot?: SnapshotInfo) => {
    tabActions.open({
      title: name.table,
      sql: `SELECT *\nFROM ${sqlTableName(name)}\nLIMIT 100\n`,
      pins: snapshot === undefined ? [] : [pinOf(name, snapshot)],
    })
    navigate('/')
    if (isNarrow) setTreeWanted(false)
  }
  const title = route.kind === 'table' ? `${route.name.table} · Lake Workbench` : 'Lake Workbench'
  useEffect(() => {
    document.title = title
  }, [title])

  const catalog = (
    <ErrorBoundary name="The catalog">
      <CatalogBrowser
        selected={route.kind === 'table' ? route.name : null}
        onOpenTable={openTable}
        onQueryTable={(name) => queryTable(name)}
      />
    </ErrorBoundary>
  )
  return (
    <div className="shell">
      <TopBar route={route} onToggleTree={toggleTree} />
      <Group orientation="horizontal" className="shell-body">
        {isTreeOpen && !isNarrow && (
          <>
            <Panel
              id="catalog"
              defaultSize="264px"
              minSize="180px"
              maxSize="480px"
              groupResizeBehavior="preserve-pixel-size"
              className="catalog-panel"
            >
              {catalog}
            </Panel>
            <Separator className="splitter" aria-label="Width of the catalog" />
          </>
        )}
        <Panel id="main" minSize="240px" className="main-panel">
          <Page route={route} onQueryTable={queryTable} />
        </Panel>
      </Group>
      {isTreeOpen && isNarrow && <Drawer onClose={() => setTreeWanted(false)}>{catalog}</Drawer>}
      <StatusBar />
      <span className="visually-hidden" aria-live="polite">
        {route.kind === 'table' ? `Table ${route.name.table}` : ''}
      </span>
    </div>
  )
}
