// Marks what is wrong while a statement is written: waits for a pause, asks once, drops answers to texts that have
// changed since. Silent while the tab's statement runs, since the run itself says what is wrong.
import { statementAt, type StatementRange } from '../../sql/split-statements.ts'
import { VALIDATE_DELAY_MS } from '../../limits.ts'
import { monaco } from './monaco-setup.ts'
import { sqlProblem, type RunContext, type SqlProblem } from './validate-sql.ts'
import { visibleText } from '../../ui/visible-text.ts'

const OWNER = 'validate'

export class ProblemMarkers {
  #timer: ReturnType<typeof setTimeout> | undefined
  #asking: AbortController | null = null
  #isSilent = false

  set isSilent(isSilent: boolean) {
    this.#isSilent = isSilent
    if (isSilent) this.#forget()
  }

  /** The text of `model` has changed, with the cursor at `offset` (UTF-16); `tab` says with what it runs. */
  textChanged(
    model: monaco.editor.ITextModel,
    offset: () => number,
    tab: () => RunContext | undefined,
  ): void {
    this.#forget()
    monaco.editor.setModelMarkers(model, OWNER, [])
    if (this.#isSilent) return
    this.#timer = setTimeout(() => void this.#check(model, offset(), tab()), VALIDATE_DELAY_MS)
  }

  dispose(): void {
    this.#forget()
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.#asking?.abort()
    this.#asking = null
  }

  async #check(model: monaco.editor.ITextModel, offset: number, tab: RunContext | undefined): Promise<void> {
    if (model.isDisposed()) return
    const text = model.getValue()
    const range = statementAt(text, offset)
    if (range === null) return
    const asking = new AbortController()
    this.#asking = asking
    try {
      const sql = text.slice(range.startOffset, range.endOffset)
      const problem = await sqlProblem(sql, tab, asking.signal)
      if (asking.signal.aborted || model.isDisposed() || model.getValue() !== text) return
      monaco.editor.setModelMarkers(model, OWNER, problem === null ? [] : [markerAt(model, range, problem)])
    } catch {
      // Typing went on; the next pause asks again.
    }
  }
}

function markerAt(
  model: monaco.editor.ITextModel,
  statement: StatementRange,
  { startOffset, endOffset, message }: SqlProblem,
): monaco.editor.IMarkerData {
  const start = model.getPositionAt(statement.startOffset + startOffset)
  const end = model.getPositionAt(statement.startOffset + endOffset)
  return {
    severity: monaco.MarkerSeverity.Warning,
    message: visibleText(message),
    startLineNumber: start.lineNumber,
    startColumn: start.column,
    endLineNumber: end.lineNumber,
    endColumn: end.column,
  }
}
