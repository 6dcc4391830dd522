// On the sign-in page after somebody has signed out: makes sure that no rows of theirs are left on this computer, and says so
// where there are. The page that was signed out of has tried before, and may have been too busy.
import { useEffect, useState } from 'react'
import { forgetStoredRuns, hasSignedOut } from './query-run/stored-runs.ts'

type LeftState = 'unknown' | 'removing' | 'left' | 'removed'

export function LeftRows() {
  const [state, setState] = useState<LeftState>('unknown')
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let isWanted = true
    const remove = async () => {
      const isEmpty = await forgetStoredRuns()
      if (isWanted) setState(!isEmpty ? 'left' : attempt === 0 ? 'unknown' : 'removed')
    }
    if (hasSignedOut()) void remove()
    return () => {
      isWanted = false
    }
  }, [attempt])
  if (state === 'unknown') return null
  if (state === 'removed')
    return <output className="sign-in-note">The rows of results are gone from this computer.</output>
  return (
    <div className="sign-in-failure" role="alert">
      <p>
        You are signed out, but rows of results are still on this computer: the browser did not remove them.
        Close other windows of this page and try again, or clear the data of this site in the browser’s
        settings.
      </p>
      <button
        type="button"
        className="button"
        aria-disabled={state === 'removing'}
        onClick={() => {
          if (state === 'removing') return
          // In another window somebody may have signed in: what is there now is theirs.
          const isWanted = hasSignedOut()
          setState(isWanted ? 'removing' : 'unknown')
          if (isWanted) setAttempt(attempt + 1)
        }}
      >
        {state === 'removing' ? 'Removing them…' : 'Remove them'}
      </button>
    </div>
  )
}
