// The editor without React: one Monaco instance, one model for each tab (so that undo and scroll survive switching),
// the statement under the cursor, and the marker of the last failed run. Offsets are UTF-16 in the whole text.
import { VALIDATE_DELAY_MS } from '../../limits.ts'
import { splitStatements, statementAt, type StatementRange } from '../../sql/split-statements.ts'
import { takeDroppedText } from './drop-text.ts'
import { EDITOR_OPTIONS, monaco } from './monaco-setup.ts'
import { ProblemMarkers } from './problem-markers.ts'
import type { Tab } from './tabs-state.ts'
import { visibleText } from '../../ui/visible-text.ts'

export interface EditorCallbacks {
  onChange: (tabId: string, sql: string) => void
  /** A text to run and where it starts. */
  onRun: (tabId: string, sql: string, startOffset: number) => void
  /** All statements of the text, in order. */
  onRunAll: (tabId: string, statements: readonly RunText[]) => void
  /** What Run would take now, told after a rest in typing and moving; null: nothing. */
  onTarget: (tabId: string, target: RunText | null) => void
  /** With which snapshots and values the tab's statements run. */
  tabOf: (tabId: string) => Pick<Tab, 'pins' | 'parameters'> | undefined
}

export interface RunText {
  sql: string
  startOffset: number
}

/** How a statement that was run went, shown beside its first line. */
export interface StatementSign extends RunText {
  sign: 'waiting' | 'running' | 'ok' | 'error' | 'stopped'
}

export interface ErrorMarker {
  /** The text that was run and where it stood then: a marker on other text would mislead. */
  sql: string
  sqlStartOffset: number
  /** Offsets in the whole text, end exclusive. */
  startOffset: number
  endOffset: number
  message: string
}

/** A version of a text, cut into its statements. */
interface Written {
  model: monaco.editor.ITextModel | null
  version: number
  text: string
  statements: readonly StatementRange[]
}

const MARKER_OWNER = 'run'

export class SqlEditor {
  readonly #editor: monaco.editor.IStandaloneCodeEditor
  readonly #models = new Map<string, monaco.editor.ITextModel>()
  readonly #views = new Map<string, monaco.editor.ICodeEditorViewState>()
  readonly #callbacks: EditorCallbacks
  readonly #statementBar: monaco.editor.IEditorDecorationsCollection
  readonly #problems = new ProblemMarkers()
  readonly #signs: monaco.editor.IEditorDecorationsCollection
  readonly #stopTaking: () => void
  #signedSql: readonly string[] = []
  #cut: Written = { model: null, version: -1, text: '', statements: [] }
  #tabId = ''
  #targetTimer: ReturnType<typeof setTimeout> | undefined

  constructor(container: HTMLElement, callbacks: EditorCallbacks) {
    this.#callbacks = callbacks
    this.#editor = monaco.editor.create(container, { ...EDITOR_OPTIONS, model: null })
    this.#statementBar = this.#editor.createDecorationsCollection()
    this.#signs = this.#editor.createDecorationsCollection()
    this.#stopTaking = takeDroppedText(container, this.#editor, (text) => this.insert(text))
    this.#editor.onDidChangeCursorSelection(() => {
      this.#tintStatement()
      this.#tellTarget()
    })
    this.#editor.addAction({
      id: 'lake.run',
      label: 'Run selection or statement',
      keybindings: [monaco.KeyMod.CtrlCmd | monaco.KeyCode.Enter],
      contextMenuGroupId: 'navigation',
      run: () => this.run(),
    })
    this.#editor.addAction({
      id: 'lake.runAll',
      label: 'Run all statements',
      keybindings: [monaco.KeyMod.CtrlCmd | monaco.KeyMod.Shift | monaco.KeyCode.Enter],
      contextMenuGroupId: 'navigation',
      run: () => this.runAll(),
    })
    this.#editor.addAction({
      id: 'lake.format',
      label: 'Format SQL',
      keybindings: [
        monaco.KeyMod.Shift | monaco.KeyMod.Alt | monaco.KeyCode.KeyF,
        monaco.KeyMod.CtrlCmd | monaco.KeyMod.Shift | monaco.KeyCode.KeyF,
      ],
      contextMenuGroupId: 'navigation',
      run: () => this.format(),
    })
  }

  dispose(): void {
    clearTimeout(this.#targetTimer)
    this.#stopTaking()
    this.#problems.dispose()
    for (const model of this.#models.values()) model.dispose()
    this.#editor.dispose()
  }

  /** Shows a tab's text; the first time `sql` is taken, later its model holds what was typed. */
  show(tabId: string, sql: string): void {
    if (tabId === this.#tabId) return
    const view = this.#editor.saveViewState()
    if (view !== null) this.#views.set(this.#tabId, view)
    this.#tabId = tabId
    this.#editor.setModel(this.#modelOf(tabId, sql))
    this.#editor.restoreViewState(this.#views.get(tabId) ?? null)
    this.#tintStatement()
    this.#tellTarget()
  }

  /** Another window changed the text of a tab: one change, which can be undone. */
  replace(tabId: string, sql: string): void {
    const model = this.#models.get(tabId)
    if (model === undefined || model.getValue() === sql) return
    model.pushStackElement()
    model.pushEditOperations(null, [{ range: model.getFullModelRange(), text: sql }], () => null)
    model.pushStackElement()
  }

  /** Lets go of the models of tabs that are closed. */
  keepOnly(tabIds: ReadonlySet<string>): void {
    for (const [tabId, model] of this.#models) {
      if (tabIds.has(tabId) || tabId === this.#tabId) continue
      model.dispose()
      this.#models.delete(tabId)
      this.#views.delete(tabId)
    }
  }

  /** Runs the selection if there is one, else the statement under the cursor; nothing if there is none. */
  run(): void {
    const target = this.target()
    if (target === null) return
    this.#editor.trigger('run', 'hideSuggestWidget', {})
    this.#callbacks.onRun(this.#tabId, target.sql, target.startOffset)
  }

  /** Runs every statement of the text. */
  runAll(): void {
    const text = this.#editor.getModel()?.getValue() ?? ''
    const statements = splitStatements(text).map(({ startOffset, endOffset }) => ({
      sql: text.slice(startOffset, endOffset),
      startOffset,
    }))
    this.#editor.trigger('run', 'hideSuggestWidget', {})
    this.#callbacks.onRunAll(this.#tabId, statements)
  }

  /** Formats the selection, else the whole text, as one change that can be undone. */
  async format(): Promise<void> {
    const model = this.#editor.getModel()
    const selection = this.#editor.getSelection()
    if (model === null) return
    const range = selection === null || selection.isEmpty() ? model.getFullModelRange() : selection
    const before = model.getValueInRange(range)
    const version = model.getVersionId()
    const { formatSql } = await import('../../sql/format-sql.ts')
    const formatted = formatSql(before)
    if (formatted === null || model.getVersionId() !== version || formatted === before) return
    this.#editor.pushUndoStop()
    this.#editor.executeEdits('format', [{ range, text: formatted, forceMoveMarkers: false }])
    this.#editor.pushUndoStop()
  }

  /** Shows how statements went; a sign goes away when its statement is changed. */
  showSigns(signs: readonly StatementSign[]): void {
    const model = this.#editor.getModel()
    const text = model?.getValue() ?? ''
    const shown =
      model === null ? [] : signs.filter(({ sql, startOffset }) => text.startsWith(sql, startOffset))
    this.#problems.isSilent = signs.some(({ sign }) => sign === 'running')
    this.#signedSql = shown.map(({ sql }) => sql)
    this.#signs.set(
      shown.flatMap(({ sql, startOffset, sign }) => {
        const start = model?.getPositionAt(startOffset)
        const end = model?.getPositionAt(startOffset + sql.length)
        if (start === undefined || end === undefined) return []
        const options = { firstLineDecorationClassName: `statement-sign statement-sign-${sign}` }
        return [{ range: monaco.Range.fromPositions(start, end), options }]
      }),
    )
  }

  #dropChangedSigns(model: monaco.editor.ITextModel): void {
    const isChanged = this.#signs
      .getRanges()
      .some((range, i) => model.getValueInRange(range) !== this.#signedSql[i])
    if (isChanged) this.showSigns([])
  }

  /** Puts the cursor at an offset, in view and focused. */
  placeCursor(offset: number): void {
    const position = this.#editor.getModel()?.getPositionAt(offset)
    if (position === undefined) return
    this.#editor.setPosition(position)
    this.#editor.revealPositionInCenterIfOutsideViewport(position)
    this.#editor.focus()
  }

  insert(text: string): void {
    this.#editor.focus()
    const range = this.#editor.getSelection()
    if (range === null) return
    this.#editor.pushUndoStop()
    this.#editor.executeEdits('insert', [{ range, text, forceMoveMarkers: true }])
    this.#editor.pushUndoStop()
  }

  focus(): void {
    this.#editor.focus()
  }

  /** Marks an error in the shown tab, or clears the mark. */
  mark(marker: ErrorMarker | null): void {
    const model = this.#editor.getModel()
    if (model === null) return
    const isSameText = marker !== null && model.getValue().startsWith(marker.sql, marker.sqlStartOffset)
    if (!isSameText) {
      monaco.editor.setModelMarkers(model, MARKER_OWNER, [])
      return
    }
    const start = model.getPositionAt(marker.startOffset)
    const end = model.getPositionAt(Math.max(marker.endOffset, marker.startOffset + 1))
    monaco.editor.setModelMarkers(model, MARKER_OWNER, [
      {
        severity: monaco.MarkerSeverity.Error,
        message: visibleText(marker.message),
        startLineNumber: start.lineNumber,
        startColumn: start.column,
        endLineNumber: end.lineNumber,
        endColumn: end.column,
      },
    ])
  }

  #modelOf(tabId: string, sql: string): monaco.editor.ITextModel {
    const known = this.#models.get(tabId)
    if (known !== undefined) return known
    const model = monaco.editor.createModel(sql, 'sql')
    model.setEOL(monaco.editor.EndOfLineSequence.LF)
    model.onDidChangeContent((event) => {
      this.#callbacks.onChange(tabId, model.getValue())
      this.#dropTouchedMarkers(model, event.changes)
      this.#dropChangedSigns(model)
      this.#problems.textChanged(
        model,
        () => this.#cursorOffset(),
        () => this.#callbacks.tabOf(tabId),
      )
      this.#tintStatement()
      this.#tellTarget()
    })
    this.#models.set(tabId, model)
    return model
  }

  #dropTouchedMarkers(
    model: monaco.editor.ITextModel,
    changes: readonly monaco.editor.IModelContentChange[],
  ): void {
    const markers = monaco.editor.getModelMarkers({ owner: MARKER_OWNER, resource: model.uri })
    const isTouched = markers.some((marker) =>
      changes.some((change) => monaco.Range.areIntersectingOrTouching(marker, change.range)),
    )
    if (isTouched) monaco.editor.setModelMarkers(model, MARKER_OWNER, [])
  }

  target(): RunText | null {
    const { text, statements } = this.#written()
    const range = this.#selectedRange() ?? statementAt(text, this.#cursorOffset(), statements)
    return range === null
      ? null
      : { sql: text.slice(range.startOffset, range.endOffset), startOffset: range.startOffset }
  }

  /** The shown text and its statements, which a long text has not cut again for every move of the cursor. */
  #written(): Written {
    const model = this.#editor.getModel()
    const version = model?.getVersionId() ?? -1
    if (this.#cut.model !== model || this.#cut.version !== version) {
      const text = model?.getValue() ?? ''
      this.#cut = { model, version, text, statements: splitStatements(text) }
    }
    return this.#cut
  }

  #tellTarget(): void {
    clearTimeout(this.#targetTimer)
    this.#targetTimer = setTimeout(
      () => this.#callbacks.onTarget(this.#tabId, this.target()),
      VALIDATE_DELAY_MS,
    )
  }

  #cursorOffset(): number {
    const position = this.#editor.getPosition()
    return position === null ? 0 : (this.#editor.getModel()?.getOffsetAt(position) ?? 0)
  }

  /** A selection that holds one statement is narrowed to it; several are sent as they are and refused with words. */
  #selectedRange(): StatementRange | null {
    const model = this.#editor.getModel()
    const selection = this.#editor.getSelection()
    if (model === null || selection === null || selection.isEmpty()) return null
    const startOffset = model.getOffsetAt(selection.getStartPosition())
    const endOffset = model.getOffsetAt(selection.getEndPosition())
    const inside = splitStatements(model.getValue().slice(startOffset, endOffset))
    const [only] = inside
    if (only === undefined) return null
    return inside.length === 1
      ? { startOffset: startOffset + only.startOffset, endOffset: startOffset + only.endOffset }
      : { startOffset, endOffset }
  }

  /** A bar beside the statement that Run would take; only where there are several to choose from. */
  #tintStatement(): void {
    const model = this.#editor.getModel()
    const { text, statements } = this.#written()
    const statement = statements.length > 1 ? statementAt(text, this.#cursorOffset(), statements) : null
    if (model === null || statement === null) {
      this.#statementBar.clear()
      return
    }
    const range = monaco.Range.fromPositions(
      model.getPositionAt(statement.startOffset),
      model.getPositionAt(statement.endOffset),
    )
    this.#statementBar.set([
      { range, options: { isWholeLine: true, linesDecorationsClassName: 'statement-bar' } },
    ])
  }
}
