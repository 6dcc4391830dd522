// Monaco with the editor's features, SQL colours and its one worker; loaded lazily because it is by far the largest
// part of the app. Themes are made from the page's own tokens, so that they are written down once.
import 'monaco-editor/features/register.all'
import 'monaco-editor/languages/definitions/sql/register'
import * as monaco from 'monaco-editor/editor'
// The bundler makes the worker; the linter cannot see what it will export.
// oxlint-disable-next-line import/default
import EditorWorker from 'monaco-editor/editor/editor.worker?worker'
import { hexOfToken } from '../../ui/token-colors.ts'

globalThis.MonacoEnvironment = { getWorker: () => new EditorWorker() }

/** Defines and selects the theme for the tokens that hold now. */
export function applyMonacoTheme(isDark: boolean): void {
  const color = (token: string) => hexOfToken(token)
  const rule = (token: string, tokenName: string, fontStyle = '') => ({
    token,
    foreground: color(tokenName).slice(1),
    fontStyle,
  })
  monaco.editor.defineTheme('lake', {
    base: isDark ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      rule('', 'ink'),
      rule('keyword', 'accent'),
      // The base themes colour these for SQL in particular, so they are named in particular.
      rule('operator.sql', 'accent'),
      rule('predefined.sql', 'syntax-function'),
      rule('string.sql', 'syntax-string'),
      rule('number', 'syntax-number'),
      rule('comment', 'ink-3', 'italic'),
      rule('delimiter', 'ink-2'),
      rule('identifier', 'ink'),
    ],
    colors: {
      'editor.background': color('canvas'),
      'editor.foreground': color('ink'),
      'editorLineNumber.foreground': color('ink-3'),
      'editorLineNumber.activeForeground': color('ink-2'),
      'editorCursor.foreground': color('accent'),
      'editor.selectionBackground': `${color('accent')}3d`,
      'editor.inactiveSelectionBackground': `${color('accent')}24`,
      'editorError.foreground': color('error'),
      'editorWidget.background': color('raised'),
      'editorWidget.border': color('line'),
      'editorHoverWidget.background': color('raised'),
      'editorHoverWidget.border': color('line'),
      'editorSuggestWidget.background': color('raised'),
      'editorSuggestWidget.border': color('line'),
      'editorSuggestWidget.selectedBackground': `${color('accent')}29`,
      'editorSuggestWidget.selectedForeground': color('ink'),
      'editorSuggestWidget.highlightForeground': color('accent'),
      'editorSuggestWidget.focusHighlightForeground': color('accent'),
      'editorIndentGuide.background1': color('line'),
      'editorIndentGuide.activeBackground1': color('line'),
      'scrollbarSlider.background': `${color('ink-3')}40`,
      'scrollbarSlider.hoverBackground': `${color('ink-3')}66`,
      'scrollbarSlider.activeBackground': `${color('ink-3')}80`,
      focusBorder: color('accent'),
    },
  })
  monaco.editor.setTheme('lake')
}

export const EDITOR_OPTIONS: monaco.editor.IStandaloneEditorConstructionOptions = {
  language: 'sql',
  ariaLabel: 'SQL editor',
  automaticLayout: true,
  fontFamily: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSize: 13,
  lineHeight: 20,
  fontLigatures: false,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  smoothScrolling: false,
  fixedOverflowWidgets: true,
  folding: false,
  glyphMargin: false,
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 24,
  overviewRulerLanes: 0,
  hideCursorInOverviewRuler: true,
  renderLineHighlight: 'none',
  renderFinalNewline: 'on',
  occurrencesHighlight: 'off',
  padding: { top: 8, bottom: 8 },
  tabSize: 2,
  insertSpaces: true,
  // Words of the text are not names; completion knows which are.
  wordBasedSuggestions: 'off',
  // Enter always breaks the line; Tab accepts a suggestion.
  acceptSuggestionOnEnter: 'off',
  scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
  stickyScroll: { enabled: false },
  // drop-text.ts does.
  dropIntoEditor: { enabled: false },
  unicodeHighlight: { ambiguousCharacters: false },
}

export { monaco }
