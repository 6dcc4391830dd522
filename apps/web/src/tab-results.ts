// Which results of the browser's store are whose: those of who is signed in, in tabs that are open or may be reopened.
import { useEffect } from 'react'
import type { useSession } from './api/queries.ts'
import { onTabs, readTabs } from './features/editor/tabs-store.ts'
import { forgetTabOfStore, openStoredRuns, skipStoredRuns } from './query-run/stored-runs.ts'

const tabIds = (): ReadonlySet<string> => {
  const { open, closed } = readTabs().tabs
  return new Set([...open, ...closed].map(({ id }) => id))
}

/** Tabs that could not be read are not gone. */
function knownTabIds(): ReadonlySet<string> | null {
  const { saveStatus } = readTabs()
  return saveStatus === 'saved' || saveStatus === 'saving' ? tabIds() : null
}

/** The results of a tab that cannot be reopened any more go with it. */
export function forgetResultsOfLostTabs(): void {
  let known = tabIds()
  onTabs(() => {
    const now = tabIds()
    for (const id of known) if (!now.has(id)) forgetTabOfStore(id)
    known = now
  })
}

/** Takes up what is kept for who is signed in, once that is known; nothing where it cannot be. */
export function useStoredResults({ data, isError }: ReturnType<typeof useSession>): void {
  const isKnown = data !== undefined && !data.isSignInRequired
  const principal = data?.principal ?? null
  useEffect(() => {
    if (isKnown) void openStoredRuns(principal, knownTabIds())
    else if (isError) skipStoredRuns()
  }, [isKnown, principal, isError])
}
