// Copies the statement as a link: to whatever is current when it is opened, or pinned to the snapshots of this answer.
import { Link } from 'lucide-react'
import { useRemovableFromMs } from '../../freshness/use-removable.ts'
import { encodeLink, pinsOfReceipt } from '../../link/link.ts'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { copyText } from '../../ui/copy-text.ts'
import { instantText } from '../../ui/format-quantity.ts'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { say } from '../../ui/notice.ts'
import { tablesOf } from './receipt-facts.ts'

interface LinkMenuProps {
  run: QueryRun
  snapshot: RunSnapshot
  title: string
  /** The answer's fingerprint; null where it has none. */
  onFingerprint: () => Promise<string | null>
}

async function copyFragment(fragment: string | null, text: string): Promise<void> {
  if (fragment === null) say('The statement is too long for a link. Copy its text instead.', 'warn')
  else if (await copyText(`${location.origin}/${fragment}`)) say(text)
  else say('The browser did not allow the copy.', 'warn')
}

export function LinkMenu({ run, snapshot, title, onFingerprint }: LinkMenuProps) {
  const { sql, parameters } = run.source
  const tables = tablesOf(snapshot.state)
  const pins = pinsOfReceipt(tables)
  const isPinnable = snapshot.state.kind === 'finished'
  // Not before the answer is whole: what was loaded then would be taken for news of later commits.
  const removableFromMs = useRemovableFromMs(isPinnable ? pins : [])
  const untilWhen =
    removableFromMs === null
      ? 'runs at these snapshots and compares the answer'
      : `runs at these snapshots; a table’s rules allow to remove one from ${instantText(removableFromMs)} on`
  const copyPinned = async () => {
    say('Making the link…')
    const fingerprint = (await onFingerprint()) ?? undefined
    await copyFragment(
      encodeLink({ title, sql, pins, parameters, fingerprint }),
      fingerprint === undefined
        ? 'Link copied, pinned to these snapshots. The answer is too large to be compared.'
        : 'Link copied, pinned to these snapshots. Whoever opens it is told whether the answer is the same.',
    )
  }
  return (
    <MenuButton
      label="Link"
      className="receipt-toggle"
      items={[
        {
          label: 'Copy link (latest)',
          detail: 'opens the statement over what is current then',
          onSelect: () =>
            void copyFragment(
              encodeLink({ title, sql, pins: [], parameters }),
              'Link copied: it reads what is current then.',
            ),
        },
        {
          label: 'Copy link (pinned)',
          detail: isPinnable ? untilWhen : 'once the answer is complete',
          isDisabled: !isPinnable,
          onSelect: () => void copyPinned(),
        },
      ]}
    >
      <Link size={14} aria-hidden /> Link
    </MenuButton>
  )
}
