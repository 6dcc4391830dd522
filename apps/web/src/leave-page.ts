// Asks before the page is left only where something would be lost: a text that the browser could not store, a statement
// that has run for a while and would be stopped. What is stored, what is finished and what runs in the background asks
// nothing. The browser asks in its own words; what ends and what goes on is said on the page.
import { isEnded } from '@lake/core/statements/statement.ts'
import type { StatementsResponse } from '@lake/core/api/contract.ts'
import { queryClient } from './api/query-client.ts'
import { readTabs } from './features/editor/tabs-store.ts'
import { leaveText, type Leaving } from './leave-words.ts'
import { LEAVE_ASKED_RUNNING_MS } from './limits.ts'
import { runningRuns } from './query-run/run-registry.ts'
import { say } from './ui/notice.ts'

/** Null where leaving now would lose nothing. */
function leavingAt(nowMs: number): Leaving | null {
  const { saveStatus } = readTabs()
  // What is being saved is written when the page is hidden.
  const isTextLost = saveStatus !== 'saved' && saveStatus !== 'saving'
  const ending = runningRuns().filter(({ source }) => source.background === undefined)
  const isLong = ending.some(({ snapshot }) => nowMs - snapshot.startedAtMs >= LEAVE_ASKED_RUNNING_MS)
  if (!isTextLost && !isLong) return null
  const known = queryClient.getQueryData<StatementsResponse>(['statements'])
  const backgroundCount = known?.statements.filter(({ state }) => !isEnded(state)).length ?? 0
  return { endingCount: ending.length, backgroundCount, isTextLost }
}

/** The page is left whatever is lost. */
let isUnasked = false

export function leaveUnasked(path: string): void {
  isUnasked = true
  location.assign(path)
}

/** Asks, in the page's own words, where leaving would lose something. @returns whether to leave */
export function mayLeave(): boolean {
  const leaving = leavingAt(Date.now())
  return leaving === null || confirm(leaveText(leaving))
}

export function askBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    const leaving = isUnasked ? null : leavingAt(Date.now())
    if (leaving === null) return
    say(leaveText(leaving), 'warn')
    event.preventDefault()
  })
}
