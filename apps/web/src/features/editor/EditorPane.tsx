// The editor feature: tabs and the lazily loaded Monaco under them. Until it has loaded, the text is shown as it is. What
// comes and goes with the text stands below it, so that the text stays in its place.
import { lazy, Suspense, useCallback, type ReactNode, type Ref } from 'react'
import { EditorTabs } from './EditorTabs.tsx'
import { ParameterStrip } from './ParameterStrip.tsx'
import { PinStrip } from './PinStrip.tsx'
import type { ErrorMarker, RunText, StatementSign } from './sql-editor.ts'
import type { EditorHandle } from './SqlEditorView.tsx'
import { activeTab, readTabs, tabActions, type TabsSnapshot } from './tabs-store.ts'

const SqlEditorView = lazy(async () => {
  const module = await import('./SqlEditorView.tsx')
  return { default: module.SqlEditorView }
})

interface EditorPaneProps {
  snapshot: TabsSnapshot
  runningIds: ReadonlySet<string>
  marker: ErrorMarker | null
  signs: readonly StatementSign[]
  handle: Ref<EditorHandle>
  onRun: (tabId: string, sql: string, startOffset: number) => void
  onRunAll: (tabId: string, statements: readonly RunText[]) => void
  onTarget: (tabId: string, target: RunText | null) => void
  onClosed: (tabId: string) => void
  /** Stands at the editor's lower edge. */
  footer: ReactNode
}

const tabOf = (tabId: string) => readTabs().tabs.open.find(({ id }) => id === tabId)

export function EditorPane(props: EditorPaneProps) {
  const { snapshot, runningIds, marker, signs, handle, onRun, onRunAll, onTarget, onClosed, footer } = props
  const { tabs } = snapshot
  const active = activeTab(tabs)
  const close = useCallback(
    (id: string) => {
      onClosed(id)
      tabActions.close(id)
    },
    [onClosed],
  )
  return (
    <section
      className="editor-pane"
      data-zone="editor"
      aria-label="Editor"
      data-past={active.pins.length > 0}
    >
      <EditorTabs tabs={tabs} runningIds={runningIds} onClose={close} />
      <PinStrip tab={active} />
      <Suspense fallback={<pre className="editor-placeholder">{active.sql}</pre>}>
        <SqlEditorView
          tabs={tabs}
          marker={marker}
          signs={signs}
          handle={handle}
          onChange={tabActions.setSql}
          onRun={onRun}
          onRunAll={onRunAll}
          onTarget={onTarget}
          tabOf={tabOf}
        />
      </Suspense>
      <ParameterStrip tab={active} />
      {footer}
    </section>
  )
}
