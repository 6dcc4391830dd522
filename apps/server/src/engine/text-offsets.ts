// Positions in the text of a statement: the engine counts UTF-8 bytes, everything outside counts UTF-16 code units.

/** The UTF-16 offset of a byte position; a position inside a character is that character's start. */
export function utf16Offset(text: string, positionBytes: number): number {
  let bytes = 0
  let offset = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x80) bytes += 1
    else if (code < 0x800) bytes += 2
    else bytes += code < 0x1_0000 ? 3 : 4
    if (bytes > positionBytes) return offset
    offset += character.length
  }
  return offset
}

/** The UTF-16 offset of a position in code points. */
export function utf16OffsetOfCodePoint(text: string, codePoints: number): number {
  let offset = 0
  let left = codePoints
  for (const character of text) {
    if (left === 0) break
    left -= 1
    offset += character.length
  }
  return offset
}

const TOKEN =
  /"(?:[^"]|"")*"|'(?:[^']|'')*'|[\p{L}_$][\p{L}\p{N}\p{M}_$]*|\d+(?:\.\d+)?|::|[<>!=|]{2}|->>?|\s+|./suy

/** One past the token that starts at `startOffset`; at least one unit further, except at the end of the text. */
export function tokenEnd(text: string, startOffset: number): number {
  TOKEN.lastIndex = startOffset
  const token = TOKEN.exec(text)?.[0]
  return token === undefined ? text.length : startOffset + token.length
}

const NAME_GAP = /(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/uy

/** The offset of the next token at or behind `offset`, past blanks and comments. */
export function skipGap(text: string, offset: number): number {
  NAME_GAP.lastIndex = offset
  return offset + (NAME_GAP.exec(text)?.[0].length ?? 0)
}

/** One past a dotted name, such as `iceberg."a.b" . t`, that starts at `startOffset`. */
export function nameEnd(text: string, startOffset: number): number {
  let end = tokenEnd(text, startOffset)
  for (;;) {
    const dot = skipGap(text, end)
    if (text[dot] !== '.') return end
    end = tokenEnd(text, skipGap(text, dot + 1))
  }
}
