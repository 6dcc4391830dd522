// The way to the identity provider and back. The address to come back to stays in this window: the server never sees a
// link's fragment.
import { API_PREFIX, ROUTES } from '@lake/core/api/contract.ts'

const RETURN_KEY = 'lake-return-address'
const SIGN_IN_PATH = API_PREFIX + ROUTES.beginSignIn.path
const OUTCOMES = ['done', 'failed', 'unavailable'] as const
export type SignInOutcome = (typeof OUTCOMES)[number]

export function leaveForProvider(): void {
  const { pathname, hash } = location
  sessionStorage.setItem(RETURN_KEY, pathname + hash)
  location.assign(SIGN_IN_PATH)
}

export function openProviderWindow(): void {
  open(`${SIGN_IN_PATH}?window=own`, '_blank', 'popup,width=520,height=720')
}

/** How the visit ended, if this page came from one; the address is the one from before it. Call it once, at the start. */
export function endProviderVisit(): SignInOutcome | null {
  const said = new URLSearchParams(location.search).get('sign-in')
  const outcome = OUTCOMES.find((name) => name === said) ?? null
  if (outcome === 'done') return outcome
  const address = sessionStorage.getItem(RETURN_KEY)
  sessionStorage.removeItem(RETURN_KEY)
  if (address?.startsWith('/') === true && !address.startsWith('//')) history.replaceState(null, '', address)
  else if (outcome !== null) history.replaceState(null, '', location.pathname + location.hash)
  return outcome
}
