// Opens the link that the page was called with: a tab with its statement. A pinned one runs at once, since that is what
// it was sent for; any other waits for its reader. The fragment is taken off the URL, so that a reload opens nothing.
import { tabActions } from '../features/editor/tabs-store.ts'
import { startRun } from '../query-run/run-registry.ts'
import { say } from '../ui/notice.ts'
import { decodeLink, type StatementLink } from './link.ts'

function openStatement(link: StatementLink): void {
  const { title, sql, pins, parameters, fingerprint } = link
  const linked = fingerprint === undefined ? undefined : { sql, fingerprint }
  const tabId = tabActions.open({ title, sql, pins, parameters, linked })
  if (tabId !== null && pins.length > 0)
    startRun({ tabId, sql, startOffset: 0, startLine: 1, pins, parameters, linkedFingerprint: fingerprint })
}

/** Opens the link in the URL, if there is one; also one that is pasted over the address of the open page. */
export function openLinkOfPage(): void {
  const decoded = decodeLink(location.hash)
  if (decoded.kind === 'none') return
  history.replaceState(null, '', location.pathname + location.search)
  if (decoded.kind === 'link') openStatement(decoded.link)
  else say('The link was cut off or altered on its way. Ask for it again.', 'warn')
}
