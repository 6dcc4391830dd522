// Finds what a person means by a few letters: every word must be in an entry, and the better the place the earlier it
// comes. One pass over the entries; only as many as are shown are kept in order.

export interface PaletteItem {
  id: string
  kind: 'table' | 'column' | 'tab' | 'saved' | 'history' | 'command'
  title: string
  detail: string
  shortcut?: string | undefined
  run: () => void
}

/** Lower is better; null where a word is missing. */
function scoreOf(title: string, detail: string, words: readonly string[]): number | null {
  const lowerTitle = title.toLowerCase()
  let score = 0
  for (const word of words) {
    const at = lowerTitle.indexOf(word)
    if (at === 0) score += lowerTitle.length === word.length ? 0 : 1
    else if (at > 0) score += /[\s._-]/.test(lowerTitle[at - 1] ?? '') ? 2 : 4
    else if (detail.toLowerCase().includes(word)) score += 8
    else return null
  }
  return score + lowerTitle.length / 1_000
}

/** The best `max` entries, best first; equal ones in their given order. Without words, the first ones. */
export function rankItems(items: readonly PaletteItem[], search: string, max: number): PaletteItem[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return items.slice(0, max)
  const best: { item: PaletteItem; score: number }[] = []
  for (const item of items) {
    const score = scoreOf(item.title, item.detail, words)
    if (score === null) continue
    if (best.length === max && score >= (best.at(-1)?.score ?? 0)) continue
    let at = best.length
    while (at > 0 && (best[at - 1]?.score ?? 0) > score) at -= 1
    best.splice(at, 0, { item, score })
    if (best.length > max) best.pop()
  }
  return best.map(({ item }) => item)
}
