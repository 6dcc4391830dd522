// A name as file systems everywhere take it.

const NAME_CHARS_MAX = 60

/** Letters, digits and dashes of any script, which may be none; what file systems take nowhere is left out. */
export function plainName(text: string): string {
  const words = text.normalize('NFC').match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  return Array.from(words.join('-')).slice(0, NAME_CHARS_MAX).join('').replace(/-$/, '')
}
