// Completion and signatures in the editor: hands places to the worker (completion-client.ts) and its answers to Monaco.
import { signaturesAt, suggestionsAt } from './completion-client.ts'
import type { SuggestionKind } from './completion-engine.ts'
import { monaco } from './monaco-setup.ts'
import { visibleName, visibleText } from '../../ui/visible-text.ts'

const { CompletionItemKind } = monaco.languages

const ITEM_KINDS: Readonly<Record<SuggestionKind, monaco.languages.CompletionItemKind>> = {
  namespace: CompletionItemKind.Module,
  table: CompletionItemKind.Struct,
  column: CompletionItemKind.Field,
  reserved: CompletionItemKind.Constant,
  keyword: CompletionItemKind.Keyword,
  function: CompletionItemKind.Function,
}

async function provideCompletionItems(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
): Promise<monaco.languages.CompletionList> {
  const word = model.getWordUntilPosition(position)
  const { lineNumber } = position
  const range = new monaco.Range(lineNumber, word.startColumn, lineNumber, word.endColumn)
  const offset = model.getOffsetAt(position)
  const { shown, isCut } = await suggestionsAt({ text: model.getValue(), offset, word: word.word })
  return {
    // The widget asks again for each letter while there are more than it was given.
    incomplete: isCut,
    suggestions: shown.map(({ label, insertText, detail, kind, rank }) => ({
      // As an object, so that every row tells its type, not the chosen one alone. What is not seen is shown, and what is
      // typed is compared with the name itself.
      label: { label: visibleName(label), description: visibleText(detail) },
      filterText: label,
      insertText,
      kind: ITEM_KINDS[kind],
      range,
      sortText: `${rank}${label.toLowerCase()}`,
    })),
  }
}

async function provideSignatureHelp(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
): Promise<monaco.languages.SignatureHelpResult | null> {
  const { signatures, argument } = await signaturesAt(model.getValue(), model.getOffsetAt(position))
  if (signatures.length === 0) return null
  const described = signatures.map((label) => ({ label, parameters: parametersOf(label) }))
  const fits = described.findIndex(({ parameters }) => parameters.length > argument)
  return {
    value: { signatures: described, activeSignature: Math.max(0, fits), activeParameter: argument },
    dispose: () => undefined,
  }
}

/** `date_trunc(part VARCHAR, timestamp DATE) → …`: the parts between the outermost brackets. */
function parametersOf(signature: string): monaco.languages.ParameterInformation[] {
  const end = signature.lastIndexOf(' → ')
  const call = end === -1 ? signature : signature.slice(0, end)
  const inside = call.slice(call.indexOf('(') + 1, call.lastIndexOf(')'))
  return inside === '' ? [] : inside.split(/, (?![^()]*\))/).map((label) => ({ label }))
}

/** Registers the providers; once for the page. */
export function registerSqlCompletion(): void {
  monaco.languages.registerCompletionItemProvider('sql', { triggerCharacters: ['.'], provideCompletionItems })
  monaco.languages.registerSignatureHelpProvider('sql', {
    signatureHelpTriggerCharacters: ['(', ','],
    provideSignatureHelp,
  })
}
