// How old what the page says is, and whether the catalog could be asked for newer.
import { freshnessText } from './freshness-text.ts'
import { useNow } from '../../ui/use-now.ts'

interface FreshnessNoteProps {
  readonly isStale: boolean
  /** When the server answered, and how old it said that the metadata was. */
  readonly answeredAtMs: number
  readonly metadataAgeMs: number
}

export function FreshnessNote({ isStale, answeredAtMs, metadataAgeMs }: FreshnessNoteProps) {
  const now = useNow(10_000)
  const ageMs = metadataAgeMs + Math.max(0, now - answeredAtMs)
  return <p className={isStale ? 'stale-note' : 'fresh-note'}>{freshnessText(isStale, ageMs)}</p>
}
