// The two ways to sign in: at the identity provider, and by an API token. Shown on a page of its own, and over the page
// when a session has ended.
import { useState, type SubmitEvent } from 'react'
import type { SessionResponse } from '@lake/core/api/contract.ts'
import { postSignIn } from '../../api/client.ts'
import { toApiError } from '../../api/api-error.ts'

interface SignInFormProps {
  methods: SessionResponse['signInMethods']
  /** Goes to the identity provider. */
  onProvider: () => void
  onSignedIn: (session: SessionResponse) => void
}

function TokenForm({ isOnly, onSignedIn }: { isOnly: boolean } & Pick<SignInFormProps, 'onSignedIn'>) {
  const [token, setToken] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (token.trim() === '') {
      setFailure('Paste your token first.')
      return
    }
    setBusy(true)
    setFailure(null)
    try {
      onSignedIn(await postSignIn(token.trim(), new AbortController().signal))
    } catch (error) {
      const { code, message } = toApiError(error)
      setFailure(code === 'UNAUTHENTICATED' ? 'This token is unknown or has expired.' : message)
      setBusy(false)
    }
  }
  return (
    <form className="sign-in-form" onSubmit={(event) => void submit(event)}>
      <label htmlFor="sign-in-token">Token</label>
      <input
        id="sign-in-token"
        className="text-input mono"
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder="lake_…"
        value={token}
        aria-describedby="sign-in-failure"
        aria-invalid={failure !== null}
        onChange={(event) => setToken(event.target.value)}
      />
      <p id="sign-in-failure" className="sign-in-failure" role="alert">
        {failure}
      </p>
      <button type="submit" className={`button ${isOnly ? 'button-primary' : ''}`} disabled={isBusy}>
        {isBusy ? 'Signing in…' : 'Sign in with token'}
      </button>
    </form>
  )
}

export function SignInForm({ methods, onProvider, onSignedIn }: SignInFormProps) {
  const hasProvider = methods.includes('oidc')
  return (
    <>
      {hasProvider && (
        <button type="button" className="button button-primary sign-in-provider" onClick={onProvider}>
          Sign in
        </button>
      )}
      {hasProvider && methods.includes('token') && <p className="sign-in-or">or</p>}
      {methods.includes('token') && <TokenForm isOnly={!hasProvider} onSignedIn={onSignedIn} />}
    </>
  )
}
