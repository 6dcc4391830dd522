// Finds the statements of a text, so that the one under the cursor can be run. A lexer only: it knows strings, quoted
// names, comments and dollar quotes well enough not to split inside them, and nothing of the grammar.
// Positions are UTF-16 offsets of the whole text; an unclosed string or comment runs to the end.

export interface StatementRange {
  /** First character that is not white space, inclusive. */
  startOffset: number
  /** One past the last character that is not white space; a closing semicolon is left out. */
  endOffset: number
}

const endOfLine = (text: string, from: number): number => {
  const index = text.indexOf('\n', from)
  return index === -1 ? text.length : index
}

/** Doubled quotes stand for one; `hasEscapes` is for E'…' strings, where a backslash escapes. */
function endOfQuoted(text: string, open: number, hasEscapes: boolean): number {
  const quote = text[open]
  for (let i = open + 1; i < text.length; i++) {
    if (hasEscapes && text[i] === '\\') i += 1
    else if (text[i] === quote) {
      if (text[i + 1] !== quote) return i + 1
      i += 1
    }
  }
  return text.length
}

/** Block comments nest, as in PostgreSQL. */
function endOfBlockComment(text: string, open: number): number {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    const pair = text.slice(i, i + 2)
    if (pair === '/*') depth += 1
    if (pair === '*/') depth -= 1
    if (pair === '/*' || pair === '*/') i += 1
    if (depth === 0) return i + 1
  }
  return text.length
}

const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y

/** End of `$tag$ … $tag$`; null where the dollar opens no quote, as in `$1` or inside a name. */
function endOfDollarQuoted(text: string, open: number): number | null {
  if (/[\w$\u0080-\uffff]/.test(text[open - 1] ?? ' ')) return null
  DOLLAR_TAG.lastIndex = open
  const tag = DOLLAR_TAG.exec(text)?.[0]
  if (tag === undefined) return null
  const close = text.indexOf(tag, open + tag.length)
  return close === -1 ? text.length : close + tag.length
}

const isEscapeString = (text: string, open: number): boolean =>
  /[eE]/.test(text[open - 1] ?? '') && !/[\w$]/.test(text[open - 2] ?? ' ')

/** Where the token that starts at `i` ends, and whether it is only a comment. */
export function skipToken(text: string, i: number): { end: number; isComment: boolean } {
  const pair = text.slice(i, i + 2)
  if (pair === '--') return { end: endOfLine(text, i), isComment: true }
  if (pair === '/*') return { end: endOfBlockComment(text, i), isComment: true }
  switch (text[i]) {
    case "'":
      return { end: endOfQuoted(text, i, isEscapeString(text, i)), isComment: false }
    case '"':
      return { end: endOfQuoted(text, i, false), isComment: false }
    case '$':
      return { end: endOfDollarQuoted(text, i) ?? i + 1, isComment: false }
    default:
      return { end: i + 1, isComment: false }
  }
}

const isSpace = (character: string): boolean =>
  character === ' ' || character === '\n' || /\s/.test(character)

/** Past what begins nothing: a long text is mostly that. Null where something may begin. */
function plainEnd(text: string, i: number): { end: number; isComment: false } | null {
  const plain = /[^\s;'"$/-]+/y
  plain.lastIndex = i
  return plain.test(text) ? { end: plain.lastIndex, isComment: false } : null
}

/** Statements in order. Parts that hold only white space and comments are none. */
export function splitStatements(text: string): StatementRange[] {
  const statements: StatementRange[] = []
  let start = -1
  let end = 0
  let hasCode = false
  const close = () => {
    if (hasCode) statements.push({ startOffset: start, endOffset: end })
    start = -1
    hasCode = false
  }
  for (let i = 0; i < text.length;) {
    const character = text[i] ?? ''
    if (character === ';') {
      close()
      i += 1
    } else if (isSpace(character)) {
      i += 1
    } else {
      const token = plainEnd(text, i) ?? skipToken(text, i)
      if (start === -1) start = i
      if (!token.isComment) hasCode = true
      end = token.end
      i = token.end
    }
  }
  close()
  return statements
}

/**
 * The statement a person means with the cursor at `offset`: the one it is in or touches, its semicolon and the rest
 * of that line included; else the next one, else the last. Null when there is none.
 *
 * @param statements of `text`, where they are known
 */
export function statementAt(
  text: string,
  offset: number,
  statements: readonly StatementRange[] = splitStatements(text),
): StatementRange | null {
  let before: StatementRange | null = null
  for (const statement of statements) {
    if (offset < statement.startOffset) {
      if (before !== null && !text.slice(before.endOffset, offset).includes('\n')) return before
      return statement
    }
    if (offset <= statement.endOffset) return statement
    before = statement
  }
  return before
}
