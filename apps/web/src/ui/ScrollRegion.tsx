// The body of a side panel. It can be focused because a scrolling region must be reachable by keyboard.
import type { ReactNode } from 'react'

export function ScrollRegion({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focus is what lets arrow keys scroll it
    <section className="side-panel-body" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
