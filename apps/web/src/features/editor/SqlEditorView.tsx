// React's side of the editor: mounts it once, shows the active tab, passes markers and theme on.
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, type Ref } from 'react'
import { isDarkNow, useColors } from '../../ui/theme.ts'
import { applyMonacoTheme } from './monaco-setup.ts'
import { registerSqlCompletion } from './sql-completion.ts'
import { registerSqlHover } from './sql-hover.ts'
import {
  SqlEditor,
  type EditorCallbacks,
  type ErrorMarker,
  type RunText,
  type StatementSign,
} from './sql-editor.ts'
import { activeTab, onRemoteChange, type TabsSnapshot } from './tabs-store.ts'

/** What the rest of the workbench may ask of the editor. */
export interface EditorHandle {
  run: () => void
  runAll: () => void
  /** What Run would take now; null where there is nothing. */
  target: () => RunText | null
  format: () => void
  placeCursor: (offset: number) => void
  /** Puts text where the cursor is. */
  insert: (text: string) => void
  focus: () => void
}

export interface SqlEditorViewProps extends EditorCallbacks {
  tabs: TabsSnapshot['tabs']
  marker: ErrorMarker | null
  signs: readonly StatementSign[]
  handle: Ref<EditorHandle>
}

registerSqlCompletion()
registerSqlHover()

export function SqlEditorView({
  tabs,
  marker,
  signs,
  handle,
  onChange,
  onRun,
  onRunAll,
  onTarget,
  tabOf,
}: SqlEditorViewProps) {
  const container = useRef<HTMLDivElement>(null)
  const editor = useRef<SqlEditor | null>(null)
  const callbacks = useRef<EditorCallbacks>({ onChange, onRun, onRunAll, onTarget, tabOf })
  const colors = useColors()
  const tab = activeTab(tabs)

  useLayoutEffect(() => {
    callbacks.current = { onChange, onRun, onRunAll, onTarget, tabOf }
  }, [onChange, onRun, onRunAll, onTarget, tabOf])

  // colors stands for what the theme reads from outside React: the tokens.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useLayoutEffect(() => applyMonacoTheme(isDarkNow()), [colors])

  useLayoutEffect(() => {
    if (container.current === null) return
    const created = new SqlEditor(container.current, {
      onChange: (tabId, sql) => callbacks.current.onChange(tabId, sql),
      onRun: (tabId, sql, startOffset) => callbacks.current.onRun(tabId, sql, startOffset),
      onRunAll: (tabId, statements) => callbacks.current.onRunAll(tabId, statements),
      onTarget: (tabId, target) => callbacks.current.onTarget(tabId, target),
      tabOf: (tabId) => callbacks.current.tabOf(tabId),
    })
    editor.current = created
    return () => {
      editor.current = null
      created.dispose()
    }
  }, [])

  useLayoutEffect(() => {
    editor.current?.show(tab.id, tab.sql)
    // Only a switch of tabs shows a text: what is typed comes from the editor itself.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [tab.id])

  useEffect(
    () =>
      onRemoteChange(({ texts }) => {
        for (const { id, sql } of texts) editor.current?.replace(id, sql)
      }),
    [],
  )

  useEffect(() => {
    editor.current?.keepOnly(new Set(tabs.open.map((open) => open.id)))
  }, [tabs.open])

  useEffect(() => editor.current?.mark(marker), [marker, tab.id])

  useEffect(() => editor.current?.showSigns(signs), [signs, tab.id])

  useImperativeHandle(handle, () => ({
    run: () => editor.current?.run(),
    runAll: () => editor.current?.runAll(),
    target: () => editor.current?.target() ?? null,
    format: () => void editor.current?.format(),
    placeCursor: (offset) => editor.current?.placeCursor(offset),
    insert: (text) => editor.current?.insert(text),
    focus: () => editor.current?.focus(),
  }))

  return <div ref={container} className="sql-editor" />
}
