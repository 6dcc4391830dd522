// How often a table is committed to, and whether it is late, from the times of its commits alone. Nothing is
// configured: a table without a rhythm gets no verdict.
import { ageText, durationText } from '../ui/format-quantity.ts'

/** Gaps between commits that are looked at, the newest ones. */
const GAPS_MAX = 24
const GAPS_MIN = 4
/** A rhythm: this share of the gaps is within half and twice the usual one. */
const REGULAR_SHARE = 0.7

export interface CommitRhythm {
  /** Median gap between commits. */
  usualMs: number
  lastMs: number
  /** How far beyond twice the usual gap; 0 for a table on time. */
  lateByMs: number
}

/** Null where there are too few commits, or no rhythm in them. `commitTimesMs` in any order. */
export function commitRhythm(commitTimesMs: readonly number[], now: number): CommitRhythm | null {
  const times = [...commitTimesMs].sort((a, b) => b - a)
  const gaps = times
    .slice(1, GAPS_MAX + 1)
    .map((time, i) => (times[i] ?? 0) - time)
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b)
  const lastMs = times[0]
  const usualMs = gaps[gaps.length >> 1]
  if (gaps.length < GAPS_MIN || usualMs === undefined || lastMs === undefined) return null
  const regularCount = gaps.filter((gap) => gap >= usualMs / 2 && gap <= usualMs * 2).length
  if (regularCount / gaps.length < REGULAR_SHARE) return null
  const waitedMs = Math.max(0, now - lastMs)
  return { usualMs, lastMs, lateByMs: waitedMs > usualMs * 2 ? waitedMs - usualMs : 0 }
}

/** 45 s, 15 min, 2 h 10 min, 3 days. */
function spanText(ms: number): string {
  if (ms >= 172_800_000) return `${Math.round(ms / 86_400_000)} days`
  if (ms < 60_000) return durationText(ms)
  const minutes = Math.round(ms / 60_000)
  const rest = minutes % 60
  if (minutes < 60) return `${minutes} min`
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`
}

/** usually every 15 min; last 14 min ago — on time */
export function rhythmText({ usualMs, lastMs, lateByMs }: CommitRhythm, now: number): string {
  const verdict = lateByMs === 0 ? 'on time' : `late by ${spanText(lateByMs)}`
  return `usually every ${spanText(usualMs)}; last ${ageText(now - lastMs)} — ${verdict}`
}
