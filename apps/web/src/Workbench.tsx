// Editor above, its tab's result below. Puts the features beside each other: none of them knows another.
import { useCallback, useEffect, useMemo, type RefObject } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { EditorPane } from './features/editor/EditorPane.tsx'
import type { RunText } from './features/editor/sql-editor.ts'
import type { EditorHandle } from './features/editor/SqlEditorView.tsx'
import { parameterInputId } from './features/editor/ParameterStrip.tsx'
import type { Tab } from './features/editor/tabs-state.ts'
import { activeTab, onRemoteChange, tabActions, useTabs } from './features/editor/tabs-store.ts'
import { EXPLAIN_SHORTCUT } from './features/estimate/ScanPreview.tsx'
import { TimeTravel } from './features/time-travel/TimeTravel.tsx'
import { RUN_ALL_STATEMENTS_MAX } from './limits.ts'
import { dropRun, startRuns, stopTab, useRunningTabs, useTabRuns } from './query-run/run-registry.ts'
import { ResultsSection, useEstimatePanel } from './ResultsSection.tsx'
import { markerOf, signsOf, sourceOf } from './statements.ts'
import { bindParameters } from './sql/parameters.ts'
import { shortcutText, useOfferedCommands, type Command } from './ui/commands.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'
import { say } from './ui/notice.ts'

/** Esc outside the editor, or Ctrl . anywhere. */
function useStopKeys(tabId: string, isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return
    const onKeyDown = (event: KeyboardEvent) => {
      const isInEditor = event.target instanceof Element && event.target.closest('.sql-editor') !== null
      const isStop =
        (event.key === 'Escape' && !isInEditor && !event.defaultPrevented) ||
        (event.key === '.' && (event.ctrlKey || event.metaKey))
      if (isStop) stopTab(tabId)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [tabId, isBusy])
}

/** Mod Enter outside of the editor, which has its own, runs what it would run there. */
function useRunKey(editor: RefObject<EditorHandle | null>, isHidden: boolean): void {
  useEffect(() => {
    if (isHidden) return
    const onKeyDown = (event: KeyboardEvent) => {
      const isRun =
        event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
      const isElsewhere =
        event.target instanceof Element && event.target.closest('.sql-editor, dialog, [role=dialog]')
      if (isRun && isElsewhere === null && !event.defaultPrevented) editor.current?.run()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [editor, isHidden])
}

/** Leads to the first parameter without a value, and says whether there is one. */
function askForParameters(tab: Tab | undefined, statements: readonly RunText[]): boolean {
  const missing = statements.flatMap(({ sql }) => {
    const bound = bindParameters(sql, tab?.parameters ?? [])
    return bound.kind === 'unbound' ? bound.names : []
  })
  const [name] = missing
  if (name === undefined) return false
  say(`Give ${missing.map((each) => `$${each}`).join(', ')} a value first.`, 'warn')
  document.getElementById(parameterInputId(name))?.focus()
  return true
}

interface WorkbenchCommandsInput {
  editor: RefObject<EditorHandle | null>
  tabId: string
  toggleResults: () => void
  toggleEstimate: () => void
}

function useWorkbenchCommands(input: WorkbenchCommandsInput): void {
  const { editor, tabId, toggleResults, toggleEstimate } = input
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'run',
        title: 'Run selection or statement',
        shortcut: shortcutText('Mod Enter'),
        run: () => editor.current?.run(),
      },
      {
        id: 'run-all',
        title: 'Run all statements',
        shortcut: shortcutText('Mod Shift Enter'),
        run: () => editor.current?.runAll(),
      },
      { id: 'stop', title: 'Stop', shortcut: shortcutText('Mod .'), run: () => stopTab(tabId) },
      {
        id: 'format',
        title: 'Format SQL',
        shortcut: shortcutText('Shift Alt F'),
        run: () => editor.current?.format(),
      },
      {
        id: 'estimate',
        title: 'Show what Run would read, and why',
        shortcut: EXPLAIN_SHORTCUT,
        run: toggleEstimate,
      },
      { id: 'new-tab', title: 'New query', run: () => void tabActions.open() },
      { id: 'reopen', title: 'Reopen closed query', run: () => tabActions.reopen() },
      {
        id: 'results',
        title: 'Show or hide the result',
        shortcut: shortcutText('Mod J'),
        run: toggleResults,
      },
    ],
    [editor, tabId, toggleResults, toggleEstimate],
  )
  useOfferedCommands('workbench', commands)
}

interface WorkbenchProps {
  isHidden: boolean
  editor: RefObject<EditorHandle | null>
  isResultShown: boolean
  toggleResults: () => void
}

export function Workbench({ isHidden, editor, isResultShown, toggleResults }: WorkbenchProps) {
  const tabsSnapshot = useTabs()
  const { open, activeId } = tabsSnapshot.tabs
  const tab = activeTab(tabsSnapshot.tabs)
  const tabRuns = useTabRuns(activeId)
  const runningIds = useRunningTabs()
  const signs = useMemo(() => signsOf(tabRuns), [tabRuns])
  const marker = useMemo(
    () => markerOf(tabRuns?.runs.find((run) => run.snapshot.state.kind === 'failed')),
    [tabRuns],
  )
  const onRunAll = useCallback(
    (tabId: string, statements: readonly RunText[]) => {
      const tab = open.find(({ id }) => id === tabId)
      if (statements.length > RUN_ALL_STATEMENTS_MAX)
        say(`More than ${RUN_ALL_STATEMENTS_MAX} statements are not run at once: select fewer.`, 'warn')
      else if (!askForParameters(tab, statements))
        startRuns(statements.map((text) => sourceOf(tab, tabId, text)))
    },
    [open],
  )
  const onRun = useCallback(
    (tabId: string, sql: string, startOffset: number) => onRunAll(tabId, [{ sql, startOffset }]),
    [onRunAll],
  )
  useEffect(() => onRemoteChange(({ closedIds }) => closedIds.forEach(dropRun)), [])
  const estimate = useEstimatePanel(tab)
  useStopKeys(activeId, runningIds.has(activeId))
  useRunKey(editor, isHidden)
  useWorkbenchCommands({ editor, tabId: activeId, toggleResults, toggleEstimate: estimate.toggle })

  return (
    <div className="workbench" hidden={isHidden}>
      <h1 className="visually-hidden">Queries</h1>
      <Group orientation="vertical" className="workbench-split">
        <Panel id="editor" defaultSize="42%" minSize="120px" className="workbench-panel">
          <ErrorBoundary name="The editor">
            <EditorPane
              snapshot={tabsSnapshot}
              runningIds={runningIds}
              marker={marker}
              signs={signs}
              handle={editor}
              onRun={onRun}
              onRunAll={onRunAll}
              onTarget={estimate.onTarget}
              onClosed={dropRun}
              footer={
                <ErrorBoundary name="Time travel">
                  <TimeTravel
                    tables={estimate.shown.estimate?.tables ?? []}
                    pins={tab.pins}
                    onPin={(table, commit) => tabActions.pin(tab.id, table, commit)}
                  />
                </ErrorBoundary>
              }
            />
          </ErrorBoundary>
        </Panel>
        {isResultShown && (
          <>
            <Separator className="splitter" aria-label="Height of the editor" />
            <Panel id="results" minSize="140px" className="workbench-panel">
              <ResultsSection tab={tab} editor={editor} estimate={estimate} />
            </Panel>
          </>
        )}
      </Group>
    </div>
  )
}
