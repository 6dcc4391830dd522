// Shows the workbench to whoever is signed in, and the way to sign in to anybody else.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, type ReactNode } from 'react'
import type { SessionResponse } from '@lake/core/api/contract.ts'
import { useSession } from './api/queries.ts'
import { openGate, useSignInAsked } from './api/session-gate.ts'
import type { SignInOutcome } from './features/sign-in/provider-visit.ts'
import { LeftRows } from './LeftRows.tsx'
import { useStoredResults } from './tab-results.ts'
import { SignInAgain } from './features/sign-in/SignInAgain.tsx'
import { SignedInPage, SignInPage } from './features/sign-in/SignInPage.tsx'

interface SessionGateProps {
  outcome: SignInOutcome | null
  children: ReactNode
}

export function SessionGate({ outcome, children }: SessionGateProps) {
  const session = useSession()
  const isAsked = useSignInAsked()
  const queries = useQueryClient()
  const before = session.data
  const signedInAs = before?.principal ?? null
  useStoredResults(session)

  const onSignedIn = useCallback(
    (next: SessionResponse) => {
      // What is on the screen is another person's.
      if (signedInAs !== null && signedInAs !== next.principal) location.assign('/')
      queries.setQueryData(['session'], next)
      openGate()
    },
    [queries, signedInAs],
  )

  if (outcome === 'done') return <SignedInPage />
  // A server that cannot be reached is told of in the workbench.
  if (session.isPending) return null
  const methods = before?.signInMethods ?? []
  if (before?.isSignInRequired === true)
    return (
      <SignInPage methods={methods} outcome={outcome} onSignedIn={onSignedIn}>
        <LeftRows />
      </SignInPage>
    )
  return (
    <>
      {children}
      {isAsked && <SignInAgain methods={methods} onSignedIn={onSignedIn} />}
    </>
  )
}
