// The whole page while nobody is signed in. It shows nothing of the lake, and keeps the address to come back to.
import { useEffect, type ReactNode } from 'react'
import type { SessionResponse } from '@lake/core/api/contract.ts'
import { leaveForProvider, type SignInOutcome } from './provider-visit.ts'
import { SignInForm } from './SignInForm.tsx'

const OUTCOME_TEXT: Partial<Record<SignInOutcome, string>> = {
  failed: 'The sign-in did not succeed. Try again; it must be finished in the window in which it was begun.',
  unavailable: 'The identity provider does not answer. Try again shortly.',
}

interface SignInPageProps {
  methods: SessionResponse['signInMethods']
  /** How the last visit to the identity provider ended. */
  outcome: SignInOutcome | null
  onSignedIn: (session: SessionResponse) => void
  /** What is to be known before anybody signs in. */
  children: ReactNode
}

export function SignInPage({ methods, outcome, onSignedIn, children }: SignInPageProps) {
  useEffect(() => {
    document.title = 'Sign in · Lake Workbench'
  }, [])
  const text = outcome === null ? undefined : OUTCOME_TEXT[outcome]
  return (
    <main className="sign-in-page">
      <div className="sign-in-card">
        <h1>Lake Workbench</h1>
        <p className="sign-in-lead">Sign in to see the tables that you may read.</p>
        {text !== undefined && (
          <p className="sign-in-failure" role="alert">
            {text}
          </p>
        )}
        {children}
        <SignInForm methods={methods} onProvider={leaveForProvider} onSignedIn={onSignedIn} />
      </div>
    </main>
  )
}

/** In a window that was opened for signing in: it closes itself where the browser lets it. */
export function SignedInPage() {
  useEffect(() => {
    document.title = 'Signed in · Lake Workbench'
    close()
  }, [])
  return (
    <main className="sign-in-page">
      <div className="sign-in-card">
        <h1>You are signed in</h1>
        <p className="sign-in-lead">Close this window; your work goes on in the other one.</p>
      </div>
    </main>
  )
}
