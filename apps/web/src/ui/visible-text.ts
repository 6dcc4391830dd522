// Text that is not ours as it is shown: characters that hide, or that turn the ones beside them round, stand as their code.
// Only for eyes: what is copied, searched or written into SQL is the text itself.

/** Joiners and variation selectors where writing needs them: within an emoji, and between letters that join. */
const JOINING =
  String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}` +
  String.raw`\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}` +
  String.raw`\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}`
const NEEDED = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Script=Han}0-9#*])[\uFE0E\uFE0F\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=\u{1F3F4})[\u{E0020}-\u{E007E}]+\u{E007F}`,
  `(?<=[${JOINING}])[\\u200C\\u200D](?=[${JOINING}])`,
].join('|')
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`

const IN_TEXT = new RegExp(`(${NEEDED})|(?![\\n\\t]|\\r\\n)${UNSEEN}`, 'gu')
const IN_NAME = new RegExp(`(${NEEDED})|${UNSEEN}|(?! )\\p{Zs}|^ +| +$`, 'gu')
/** Letters, digits and signs that are what they seem. */
const IS_PLAIN_TEXT = /^[\n\t -~]*$/
const IS_PLAIN_NAME = /^[!-~](?:[ -~]*[!-~])?$/

const SIGNS: Readonly<Record<string, string>> = { '\n': '↵', '\t': '⇥', '\u007f': '␡' }

function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (character.startsWith(' ')) return '␣'.repeat(character.length)
  if (SIGNS[character] !== undefined) return SIGNS[character]
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

const shown = (text: string, hidden: RegExp): string =>
  text.replaceAll(hidden, (character, needed?: string) => needed ?? signOf(character))

/** A message or a value; lines and tabs stay. */
export const visibleText = (text: string): string => (IS_PLAIN_TEXT.test(text) ? text : shown(text, IN_TEXT))

/**
 * A name, on one line: spaces at its ends, and of other kinds than the plain one, are shown too, since names that differ by
 * them would look the same.
 */
export function visibleName(name: string): string {
  if (IS_PLAIN_NAME.test(name)) return name
  return name === '' ? '""' : shown(name, IN_NAME)
}
