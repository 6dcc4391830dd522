// Editor above, its tab's result below. Puts the features beside each other: none of them knows another.
import { useCallback, useEffect, useMemo, type RefObject } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { EditorPane } from './features/editor/EditorPane.tsx'
import type { RunText } from './features/editor/sql-editor.ts'
import type { EditorHandle } from './features/editor/SqlEditorView.tsx'
import { activeTab, tabActions, useTabs } from './features/editor/tabs-store.ts'
import { NoResult } from './features/results/ResultsPane.tsx'
import { ResultTabs } from './features/results/ResultTabs.tsx'
import { RunBar } from './features/results/RunBar.tsx'
import { RUN_ALL_STATEMENTS_MAX } from './limits.ts'
import {
  dropRun,
  startRuns,
  stopTab,
  useRunningTabs,
  useRunSnapshot,
  useTabRuns,
} from './query-run/run-registry.ts'
import { ResultArea } from './ResultArea.tsx'
import { markerOf, signsOf, sourceOf } from './statements.ts'
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

interface WorkbenchCommandsInput {
  editor: RefObject<EditorHandle | null>
  tabId: string
  toggleResults: () => void
}

function useWorkbenchCommands({ editor, tabId, toggleResults }: WorkbenchCommandsInput): void {
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
      { id: 'new-tab', title: 'New query', run: () => void tabActions.open() },
      { id: 'reopen', title: 'Reopen closed query', run: () => tabActions.reopen() },
      {
        id: 'results',
        title: 'Show or hide the result',
        shortcut: shortcutText('Mod J'),
        run: toggleResults,
      },
    ],
    [editor, tabId, toggleResults],
  )
  useOfferedCommands('workbench', commands)
}

interface WorkbenchProps {
  isHidden: boolean
  editor: RefObject<EditorHandle | null>
  isResultShown: boolean
  toggleResults: () => void
}

function ResultsSection({
  tabId,
  title,
  editor,
}: {
  tabId: string
  title: string
  editor: WorkbenchProps['editor']
}) {
  const tabRuns = useTabRuns(tabId)
  const run = tabRuns?.shown ?? null
  const snapshot = useRunSnapshot(run)
  return (
    <section className="results-pane" aria-label="Results" data-zone="results">
      <ErrorBoundary name="The result">
        <RunBar
          snapshot={snapshot}
          waitingCount={tabRuns?.waiting.length ?? 0}
          onRun={() => editor.current?.run()}
          onRunAll={() => editor.current?.runAll()}
          onStop={() => stopTab(tabId)}
        />
        {tabRuns !== null && <ResultTabs tab={tabRuns} />}
        {run === null || snapshot === null ? (
          <NoResult />
        ) : (
          <ResultArea
            key={run.source.startOffset}
            run={run}
            snapshot={snapshot}
            title={title}
            onPlaceCursor={(offset) => editor.current?.placeCursor(offset)}
          />
        )}
      </ErrorBoundary>
    </section>
  )
}

export function Workbench({ isHidden, editor, isResultShown, toggleResults }: WorkbenchProps) {
  const tabsSnapshot = useTabs()
  const { open, activeId } = tabsSnapshot.tabs
  const tabRuns = useTabRuns(activeId)
  const runningIds = useRunningTabs()
  const signs = useMemo(() => signsOf(tabRuns), [tabRuns])
  const marker = useMemo(
    () => markerOf(tabRuns?.runs.find((run) => run.snapshot.state.kind === 'failed')),
    [tabRuns],
  )
  const onRunAll = useCallback(
    (tabId: string, statements: readonly RunText[]) => {
      if (statements.length > RUN_ALL_STATEMENTS_MAX)
        say(`More than ${RUN_ALL_STATEMENTS_MAX} statements are not run at once: select fewer.`, 'warn')
      else
        startRuns(
          statements.map((text) =>
            sourceOf(
              open.find(({ id }) => id === tabId),
              tabId,
              text,
            ),
          ),
        )
    },
    [open],
  )
  const onRun = useCallback(
    (tabId: string, sql: string, startOffset: number) => onRunAll(tabId, [{ sql, startOffset }]),
    [onRunAll],
  )
  useStopKeys(activeId, runningIds.has(activeId))
  useWorkbenchCommands({ editor, tabId: activeId, toggleResults })

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
              onClosed={dropRun}
            />
          </ErrorBoundary>
        </Panel>
        {isResultShown && (
          <>
            <Separator className="splitter" aria-label="Height of the editor" />
            <Panel id="results" minSize="140px" className="workbench-panel">
              <ResultsSection tabId={activeId} title={activeTab(tabsSnapshot.tabs).title} editor={editor} />
            </Panel>
          </>
        )}
      </Group>
    </div>
  )
}
