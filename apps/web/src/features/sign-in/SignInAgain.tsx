// Over the page when the session has ended: nothing behind it is lost, and what was asked goes on after signing in. The
// identity provider is visited in a window of its own, so that this page stays.
import { useEffect, useRef, useState } from 'react'
import type { SessionResponse } from '@lake/core/api/contract.ts'
import { toApiError } from '../../api/api-error.ts'
import { getSession } from '../../api/client.ts'
import { SESSION_POLL_MS } from '../../limits.ts'
import { say } from '../../ui/notice.ts'
import { openProviderWindow } from './provider-visit.ts'
import { SignInForm } from './SignInForm.tsx'

interface SignInAgainProps {
  methods: SessionResponse['signInMethods']
  onSignedIn: (session: SessionResponse) => void
}

async function lookForSession(
  signal: AbortSignal,
  onSignedIn: SignInAgainProps['onSignedIn'],
): Promise<void> {
  try {
    const session = await getSession(signal)
    if (!session.isSignInRequired && !signal.aborted) onSignedIn(session)
  } catch (error) {
    // A server that is away is asked again.
    if (!toApiError(error).isRetryable && !signal.aborted) say(toApiError(error).message, 'warn')
  }
}

/** Looks whether the other window has signed in. */
function useSessionPoll(isWaiting: boolean, onSignedIn: SignInAgainProps['onSignedIn']): void {
  useEffect(() => {
    if (!isWaiting) return
    const gone = new AbortController()
    const timer = setInterval(() => {
      void lookForSession(gone.signal, onSignedIn)
    }, SESSION_POLL_MS)
    return () => {
      gone.abort()
      clearInterval(timer)
    }
  }, [isWaiting, onSignedIn])
}

export function SignInAgain({ methods, onSignedIn }: SignInAgainProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isWaiting, setWaiting] = useState(false)
  useSessionPoll(isWaiting, onSignedIn)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="sheet sign-in-again"
      aria-labelledby="sign-in-again-title"
      // Keys of the page behind, such as Escape for Stop, are not meant here.
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => event.preventDefault()}
      // A browser may close it all the same; what waits behind it can only go on from here.
      onClose={() => dialog.current?.showModal()}
    >
      <h2 id="sign-in-again-title">Your session has ended</h2>
      <p className="sign-in-lead">Sign in again to go on. Your text and your results are kept.</p>
      <SignInForm
        methods={methods}
        onProvider={() => {
          openProviderWindow()
          setWaiting(true)
        }}
        onSignedIn={onSignedIn}
      />
      <p className="sign-in-lead" aria-live="polite">
        {isWaiting ? 'Finish signing in in the other window.' : ''}
      </p>
    </dialog>
  )
}
