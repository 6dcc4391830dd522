// A table of facts that scrolls sideways where it is too wide. It can be focused because a scrolling region must be reachable by
// keyboard.
import type { ReactNode } from 'react'

interface TableFrameProps {
  label: string
  /** While another page of it is on the way. */
  isBusy?: boolean
  children: ReactNode
}

export function TableFrame({ label, isBusy = false, children }: TableFrameProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focus is what lets arrow keys scroll it
    <section className="data-table-frame" tabIndex={0} aria-label={label} aria-busy={isBusy}>
      <table className="data-table">{children}</table>
    </section>
  )
}
