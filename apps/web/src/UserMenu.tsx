// Who is signed in, and the way out. Nothing where nobody signs in.
import { CircleUserRound } from 'lucide-react'
import { deleteSession } from './api/client.ts'
import { toApiError } from './api/api-error.ts'
import { useSession } from './api/queries.ts'
import { leaveUnasked, mayLeave } from './leave-page.ts'
import { forgetStoredRuns } from './query-run/stored-runs.ts'
import { MenuButton } from './ui/MenuButton.tsx'
import { say } from './ui/notice.ts'

async function signOut(): Promise<void> {
  // Now, since whoever stays once the session has ended would keep what that person has read on the screen.
  if (!mayLeave()) return
  try {
    await deleteSession(new AbortController().signal)
    // Everything that was read leaves the page with it, and this computer; what does not, the sign-in page tells of.
    await forgetStoredRuns()
    leaveUnasked('/')
  } catch (error) {
    say(`You are still signed in: ${toApiError(error).message}`, 'warn')
  }
}

export function UserMenu() {
  const { data } = useSession()
  if (data === undefined || data.principal === null) return null
  return (
    <MenuButton
      label={`Signed in as ${data.principal}`}
      className="user-menu"
      items={[{ label: 'Sign out', detail: data.principal, onSelect: () => void signOut() }]}
    >
      <CircleUserRound size={16} aria-hidden />
      <span className="user-name">{data.principal}</span>
    </MenuButton>
  )
}
