// Asks before the page is left only where something would be lost: a text that the browser could not store, a statement
// that has run for a while and would be stopped. What is stored, what is finished and what runs in the background asks
// nothing.
import { readTabs } from './features/editor/tabs-store.ts'
import { LEAVE_ASKED_RUNNING_MS } from './limits.ts'
import { runningRuns } from './query-run/run-registry.ts'

/** Whether leaving now would lose something. */
function isAnythingLost(nowMs: number): boolean {
  const { saveStatus } = readTabs()
  // What is being saved is written when the page is hidden.
  if (saveStatus !== 'saved' && saveStatus !== 'saving') return true
  return runningRuns().some(
    ({ source, snapshot }) =>
      source.background === undefined && nowMs - snapshot.startedAtMs >= LEAVE_ASKED_RUNNING_MS,
  )
}

export function askBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (isAnythingLost(Date.now())) event.preventDefault()
  })
}
