// The bars of the shell: where one is, at the top; what is going on, at the bottom.
import { Monitor, Moon, PanelLeft, Search, Sun } from 'lucide-react'
import { isEnded } from '@lake/core/statements/statement.ts'
import { navigate } from 'wouter/use-browser-location'
import { useSession, useStatements } from './api/queries.ts'
import { namespaceLabel } from './api/table-name.ts'
import { useTabs, type SaveStatus } from './features/editor/tabs-store.ts'
import { useRunningTabs } from './query-run/run-registry.ts'
import type { Route } from './route.ts'
import { shortcutText } from './ui/commands.ts'
import { IconButton } from './ui/IconButton.tsx'
import { useNotice } from './ui/notice.ts'
import { UserMenu } from './UserMenu.tsx'
import { useZone } from './ui/time-zone.ts'
import { chooseTheme, useThemeChoice, type ThemeChoice } from './ui/theme.ts'
import { visibleName } from './ui/visible-text.ts'

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
      {(route.kind === 'table' || route.kind === 'compare') && (
        <>
          <span aria-hidden>▸</span>
          <span className="breadcrumb-namespace" title={namespaceLabel(route.name.namespace)}>
            {namespaceLabel(route.name.namespace)}
          </span>
          <span aria-hidden>▸</span>
          <span aria-current="page" className="breadcrumb-table" title={visibleName(route.name.table)}>
            {visibleName(route.name.table)}
          </span>
        </>
      )}
    </nav>
  )
}

interface TopBarProps {
  route: Route
  onToggleTree: () => void
  onOpenPalette: () => void
}

export function TopBar({ route, onToggleTree, onOpenPalette }: TopBarProps) {
  return (
    <header className="top-bar">
      <IconButton label="Catalog (Ctrl B)" onClick={onToggleTree}>
        <PanelLeft size={16} />
      </IconButton>
      <span className="brand">Lake Workbench</span>
      <Breadcrumb route={route} />
      <span className="spacer" />
      <button
        type="button"
        className="palette-button"
        aria-label="Search or run a command"
        onClick={onOpenPalette}
      >
        <Search size={14} aria-hidden />
        <span>Search or run a command</span>
        <kbd>{shortcutText('Mod K')}</kbd>
      </button>
      <ThemeToggle />
      <UserMenu />
    </header>
  )
}

const SAVE_TEXT: Record<SaveStatus, string> = {
  saved: 'saved',
  saving: 'saving…',
  full: 'not saved: the browser’s storage is full',
  forbidden: 'not saved: this browser keeps nothing for this page',
  held: 'not saved: close or reload the other windows of the workbench first',
  failed: 'not saved: the browser’s storage failed',
}

/** What goes on when this page is left. */
function BackgroundCount({ isEnabled }: { isEnabled: boolean }) {
  const { data } = useStatements(isEnabled)
  const count = data?.statements.filter(({ state }) => !isEnded(state)).length ?? 0
  if (count === 0) return null
  return <span title="These go on when this page is closed">{count} in background</span>
}

export function StatusBar() {
  const session = useSession()
  const running = useRunningTabs()
  const { saveStatus } = useTabs()
  const notice = useNotice()
  const zone = useZone()
  return (
    <footer className="status-bar">
      <span>{running.size === 0 ? 'idle' : `running ${running.size}`}</span>
      <BackgroundCount isEnabled={session.data?.hasBackground === true} />
      <output className="notice" data-tone={notice?.tone}>
        {notice?.text}
      </output>
      <span data-tone={saveStatus === 'saved' || saveStatus === 'saving' ? undefined : 'warn'}>
        {SAVE_TEXT[saveStatus]}
      </span>
      <span className="spacer" />
      {session.isError && <span data-tone="error">server unreachable</span>}
      {session.isSuccess && (
        <>
          {session.data.principal === null && <span className="status-wide">no sign-in</span>}
          <span className="status-wide">discovery {session.data.discovery}</span>
          <span>{zone === 'UTC' ? 'times in UTC' : `times of results in ${zone}`}</span>
          {session.data.version !== null && <span>v{session.data.version}</span>}
        </>
      )}
    </footer>
  )
}
