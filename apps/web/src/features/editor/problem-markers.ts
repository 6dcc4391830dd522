// Marks what is wrong while a statement is written: waits for a pause, asks once, drops answers to texts that have
// changed since. Silent while the tab's statement runs, since the run itself says what is wrong.
import { statementAt } from '../../sql/split-statements.ts'
import { VALIDATE_DELAY_MS } from '../../limits.ts'
import { monaco } from './monaco-setup.ts'
import { sqlProblems } from './validate-sql.ts'

const OWNER = 'validate'

export class ProblemMarkers {
  #timer: ReturnType<typeof setTimeout> | undefined
  #asking: AbortController | null = null
  #isSilent = false

  set isSilent(isSilent: boolean) {
    this.#isSilent = isSilent
    if (isSilent) this.#forget()
  }

  /** The text of `model` has changed, with the cursor at `offset` (UTF-16). */
  textChanged(model: monaco.editor.ITextModel, offset: () => number): void {
    this.#forget()
    monaco.editor.setModelMarkers(model, OWNER, [])
    if (this.#isSilent) return
    this.#timer = setTimeout(() => void this.#check(model, offset()), VALIDATE_DELAY_MS)
  }

  dispose(): void {
    this.#forget()
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.#asking?.abort()
    this.#asking = null
  }

  async #check(model: monaco.editor.ITextModel, offset: number): Promise<void> {
    if (model.isDisposed()) return
    const text = model.getValue()
    const range = statementAt(text, offset)
    if (range === null) return
    const asking = new AbortController()
    this.#asking = asking
    try {
      const sql = text.slice(range.startOffset, range.endOffset)
      const problems = await sqlProblems(sql, asking.signal)
      if (asking.signal.aborted || model.isDisposed() || model.getValue() !== text) return
      monaco.editor.setModelMarkers(
        model,
        OWNER,
        problems.map(({ startOffset, endOffset, message }) => {
          const start = model.getPositionAt(range.startOffset + startOffset)
          const end = model.getPositionAt(range.startOffset + endOffset)
          return {
            severity: monaco.MarkerSeverity.Warning,
            message,
            startLineNumber: start.lineNumber,
            startColumn: start.column,
            endLineNumber: end.lineNumber,
            endColumn: end.column,
          }
        }),
      )
    } catch {
      // Typing went on; the next pause asks again.
    }
  }
}
