// Running a statement on the server whether or not this page stays open: a quiet button beside Run, one that speaks up
// where the scan is large, and the way there for a statement that runs already.
import { Moon } from 'lucide-react'
import { BACKGROUND_OFFERED_BYTES, BACKGROUND_OFFERED_MS, LEAVING_SAID_MS } from '../../limits.ts'
import type { RunSnapshot } from '../../query-run/query-run.ts'
import { isRunning, progressOf } from '../../query-run/run-state.ts'
import { bytesText } from '../../ui/format-quantity.ts'
import { useNow } from '../../ui/use-now.ts'

interface BackgroundOfferProps {
  snapshot: RunSnapshot | null
  /** Of the statement that Run would take; null where that is not known. */
  bytesNeeded: number | null
  onRun: () => void
  /** Takes what runs now to the background, at the snapshots that it reads. */
  onContinue: () => void
}

export function BackgroundOffer({ snapshot, bytesNeeded, onRun, onContinue }: BackgroundOfferProps) {
  const isBusy = snapshot !== null && isRunning(snapshot.state)
  const now = useNow(1_000, isBusy)
  if (!isBusy) {
    const isLarge = bytesNeeded !== null && bytesNeeded >= BACKGROUND_OFFERED_BYTES
    return (
      <button
        type="button"
        className={isLarge ? 'button' : 'button button-quiet'}
        title="Runs on the server, also when this page is closed; its result is kept"
        onClick={onRun}
      >
        <Moon size={12} aria-hidden /> Run in background
        {isLarge && ` (${bytesText(bytesNeeded)})`}
      </button>
    )
  }
  if (snapshot.state.kind === 'stopping' || snapshot.state.kind === 'planning') return null
  if (snapshot.background !== null) return <span className="run-hint">goes on when you leave</span>
  const isLong =
    now - snapshot.startedAtMs >= BACKGROUND_OFFERED_MS ||
    (progressOf(snapshot.state)?.bytesPlanned ?? 0) >= BACKGROUND_OFFERED_BYTES
  if (!isLong)
    return now - snapshot.startedAtMs < LEAVING_SAID_MS ? null : (
      <span className="run-hint">stops when you leave</span>
    )
  return (
    <button
      type="button"
      className="button"
      title="Leaving this page stops the statement. In the background it begins anew at the same snapshots and goes on without you"
      onClick={onContinue}
    >
      <Moon size={12} aria-hidden /> <span className="run-offer-more">Continue </span>in background
    </button>
  )
}
