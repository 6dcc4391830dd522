// Which of many names completion offers: those that start with what was typed, then those that hold it. One pass, a
// bounded answer: the list widget would sort and draw every name that it is given.

export interface Named {
  label: string
  /** Lower goes first. */
  rank: number
}

/** At most `max` names, best first; `isCut` when there are more that match. */
export function rankSuggestions<T extends Named>(
  names: readonly T[],
  typed: string,
  max: number,
): { shown: T[]; isCut: boolean } {
  const word = typed.toLowerCase()
  const starts: T[] = []
  const holds: T[] = []
  let count = 0
  for (const name of names) {
    const at = word === '' ? 0 : name.label.toLowerCase().indexOf(word)
    // The widget also finds letters that are apart, so a name is left out only where even that cannot be.
    if (at === -1 && !hasLetters(name.label, word)) continue
    count += 1
    if (at === 0 && starts.length < max) starts.push(name)
    else if (at !== 0 && holds.length < max) holds.push(name)
  }
  const shown = [...starts, ...holds].sort((a, b) => a.rank - b.rank).slice(0, max)
  return { shown, isCut: count > shown.length }
}

function hasLetters(label: string, word: string): boolean {
  let at = 0
  for (let i = 0; i < label.length && at < word.length; i++) if (label[i]?.toLowerCase() === word[at]) at += 1
  return at === word.length
}
