// The shell: top bar, side pane at the left, the workbench or a table page, status bar. The URL says which page it is;
// the workbench stays mounted behind a table page, so that nothing in it is lost.
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { navigate, usePathname } from 'wouter/use-browser-location'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import { useSession } from './api/queries.ts'
import { firstRowsSql, type TableName } from './api/table-name.ts'
import { BackgroundPane } from './BackgroundPane.tsx'
import { CatalogBrowser } from './features/catalog-browser/CatalogBrowser.tsx'
import { PLAIN_VIEW, tableViewSearch, type TablePart } from './features/catalog-browser/table-view.ts'
import { ComparePage } from './features/compare/ComparePage.tsx'
import { ReceiptLine } from './features/receipt/ReceiptLine.tsx'
import type { EditorHandle } from './features/editor/SqlEditorView.tsx'
import { readTabs, tabActions } from './features/editor/tabs-store.ts'
import { openLinkOfPage } from './link/open-link.ts'
import { PalettePane } from './PalettePane.tsx'
import { comparePath, parseRoute, tablePath, type Route } from './route.ts'
import { insertSql, openStatement, saveActiveTab, stepTab } from './shell-actions.ts'
import { cycleZones, useShellKeys } from './shell-keys.ts'
import { StatusBar, TopBar } from './ShellBars.tsx'
import { pinOf, TablePane, type QueryTable } from './TablePane.tsx'
import { SidePane } from './SidePane.tsx'
import { shortcutText, useOfferedCommands, type Command } from './ui/commands.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'
import { useMedia } from './ui/use-media.ts'
import { Workbench } from './Workbench.tsx'
import { visibleName } from './ui/visible-text.ts'

const ShortcutSheet = lazy(async () => {
  const module = await import('./features/palette/ShortcutSheet.tsx')
  return { default: module.ShortcutSheet }
})

function NotFound() {
  return (
    <div className="empty-result">
      <p>There is no such page.</p>
      <a href="/">Go to the queries</a>
    </div>
  )
}

interface PageProps {
  route: Route
  onQueryTable: QueryTable
  editor: RefObject<EditorHandle | null>
  isResultShown: boolean
  toggleResults: () => void
}

function Page({ route, onQueryTable, ...workbench }: PageProps) {
  return (
    <main className="main">
      <Workbench isHidden={route.kind !== 'editor'} {...workbench} />
      {route.kind === 'table' && (
        <ErrorBoundary name="The table page" key={tablePath(route.name)}>
          <TablePane name={route.name} onQueryTable={onQueryTable} onOpenStatement={openStatement} />
        </ErrorBoundary>
      )}
      {route.kind === 'compare' && (
        <ErrorBoundary name="The comparison" key={tablePath(route.name)}>
          <ComparePage
            name={route.name}
            snapshots={route}
            onCompare={({ older, newer }) => navigate(comparePath(route.name, older, newer))}
            onOpenTable={() => navigate(tablePath(route.name))}
            onOpenSql={(title, sql) => openStatement({ title, sql, pins: [] })}
            renderReceipt={(run) => <ReceiptLine snapshot={run} />}
          />
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

function useShell(isNarrow: boolean) {
  const [isTreeWanted, setTreeWanted] = useState<boolean | null>(null)
  const [isResultShown, setResultShown] = useState(true)
  const [overlay, setOverlay] = useState<'palette' | 'shortcuts' | null>(null)
  const toggleTree = useCallback(() => setTreeWanted((wanted) => !(wanted ?? !isNarrow)), [isNarrow])
  const toggleResults = useCallback(() => setResultShown((isShown) => !isShown), [])
  const togglePalette = useCallback(() => setOverlay((shown) => (shown === 'palette' ? null : 'palette')), [])
  const showShortcuts = useCallback(() => setOverlay('shortcuts'), [])
  const keys = useMemo(
    () => ({
      togglePalette,
      toggleTree,
      toggleResults,
      showShortcuts,
      save: () => void saveActiveTab(),
      activateTab: (index: number) => {
        const tab = readTabs().tabs.open[index]
        if (tab !== undefined) tabActions.activate(tab.id)
        navigate('/')
      },
      stepTab,
    }),
    [togglePalette, toggleTree, toggleResults, showShortcuts],
  )
  useShellKeys(keys)
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'palette',
        title: 'Search or run a command',
        shortcut: shortcutText('Mod K'),
        run: togglePalette,
      },
      { id: 'save', title: 'Save query', shortcut: shortcutText('Mod S'), run: () => void saveActiveTab() },
      { id: 'save-copy', title: 'Save query as a copy', run: () => void saveActiveTab(true) },
      { id: 'tree', title: 'Show or hide the catalog', shortcut: shortcutText('Mod B'), run: toggleTree },
      { id: 'queries', title: 'Go to the queries', run: () => navigate('/') },
      { id: 'zones', title: 'Next pane', shortcut: 'F6', run: () => cycleZones(1) },
      { id: 'next-tab', title: 'Next query', shortcut: 'Ctrl PgDn', run: () => stepTab(1) },
      { id: 'previous-tab', title: 'Previous query', shortcut: 'Ctrl PgUp', run: () => stepTab(-1) },
      { id: 'shortcuts', title: 'Shortcuts', shortcut: '?', run: showShortcuts },
    ],
    [togglePalette, toggleTree, showShortcuts],
  )
  useOfferedCommands('shell', commands)
  return {
    isTreeOpen: isTreeWanted ?? !isNarrow,
    closeTree: () => isNarrow && setTreeWanted(false),
    isResultShown,
    overlay,
    closeOverlay: useCallback(() => setOverlay(null), []),
    toggleTree,
    toggleResults,
    togglePalette,
  }
}

interface ShellBodyProps {
  isNarrow: boolean
  shell: ReturnType<typeof useShell>
  side: ReactNode
  children: ReactNode
}

function ShellBody({ isNarrow, shell, side, children }: ShellBodyProps) {
  return (
    <>
      <Group orientation="horizontal" className="shell-body">
        {shell.isTreeOpen && !isNarrow && (
          <>
            <Panel
              id="catalog"
              defaultSize="264px"
              minSize="180px"
              maxSize="480px"
              groupResizeBehavior="preserve-pixel-size"
              className="catalog-panel"
            >
              {side}
            </Panel>
            <Separator className="splitter" aria-label="Width of the catalog" />
          </>
        )}
        <Panel id="main" minSize="240px" className="main-panel">
          {children}
        </Panel>
      </Group>
      {shell.isTreeOpen && isNarrow && <Drawer onClose={shell.closeTree}>{side}</Drawer>}
    </>
  )
}

/** What the browser's tab is called. */
function useTitle(route: Route): void {
  const title = 'name' in route ? `${visibleName(route.name.table)} · Lake Workbench` : 'Lake Workbench'
  useEffect(() => {
    document.title = title
  }, [title])
}

/** A statement in the address is opened, also when it comes later. */
function useLinks(): void {
  useEffect(() => {
    openLinkOfPage()
    addEventListener('hashchange', openLinkOfPage)
    return () => removeEventListener('hashchange', openLinkOfPage)
  }, [])
}

export function App() {
  const pathname = usePathname()
  const route = parseRoute(pathname)
  const isNarrow = useMedia('(max-width: 760px)')
  const shell = useShell(isNarrow)
  const { closeTree, overlay, closeOverlay } = shell
  const hasBackground = useSession().data?.hasBackground === true
  const editor = useRef<EditorHandle>(null)

  const openTable = (name: TableName, part?: TablePart) => {
    navigate(tablePath(name) + (part === undefined ? '' : tableViewSearch({ ...PLAIN_VIEW, part })))
    closeTree()
  }
  const queryTable = (name: TableName, snapshot?: SnapshotInfo) => {
    openStatement({
      title: name.table,
      sql: firstRowsSql(name),
      pins: snapshot === undefined ? [] : [pinOf(name, snapshot)],
    })
    closeTree()
  }
  useTitle(route)
  useLinks()

  const side = (
    <SidePane
      background={hasBackground ? <BackgroundPane onOpened={closeTree} /> : null}
      onOpened={closeTree}
      catalog={
        <ErrorBoundary name="The catalog">
          <CatalogBrowser
            selected={'name' in route ? route.name : null}
            onOpenTable={openTable}
            onQueryTable={(name) => queryTable(name)}
            onInsert={(sql) => {
              closeTree()
              insertSql(editor, sql, route.kind !== 'editor')
            }}
          />
        </ErrorBoundary>
      }
    />
  )
  return (
    <div className="shell">
      <TopBar route={route} onToggleTree={shell.toggleTree} onOpenPalette={shell.togglePalette} />
      <ShellBody isNarrow={isNarrow} shell={shell} side={side}>
        <Page
          route={route}
          onQueryTable={queryTable}
          editor={editor}
          isResultShown={shell.isResultShown}
          toggleResults={shell.toggleResults}
        />
      </ShellBody>
      <StatusBar />
      <Suspense>
        {overlay === 'palette' && (
          <PalettePane editor={editor} openTable={openTable} onClose={closeOverlay} />
        )}
        {overlay === 'shortcuts' && <ShortcutSheet onClose={closeOverlay} />}
      </Suspense>
      <span className="visually-hidden" aria-live="polite">
        {route.kind === 'table' ? `Table ${visibleName(route.name.table)}` : ''}
      </span>
    </div>
  )
}
