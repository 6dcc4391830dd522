// What an answer is worth beside the one that its link was made from: identical, different and how, or no longer there.
import type { RunState } from '../../query-run/run-state.ts'
import { countText } from '../../ui/format-quantity.ts'

/** How two answers compare; made by the results feature, worded here. */
export type ComparedAnswer =
  | { kind: 'identical' | 'identicalButFloats' | 'otherOrder' | 'otherColumns' | 'differs' | 'unknown' }
  | { kind: 'otherRowCount'; expected: number; actual: number }

export interface Verdict {
  tone: 'ok' | 'warn' | 'error' | 'busy'
  text: string
  detail: string
}

function comparedVerdict(compared: ComparedAnswer, isLimited: boolean): Verdict {
  const limited = isLimited ? ' The statement takes some rows of more, and may take others each time.' : ''
  switch (compared.kind) {
    case 'identical':
      return { tone: 'ok', text: 'identical', detail: 'Every value is the one that the link was made from.' }
    case 'identicalButFloats':
      return {
        tone: 'ok',
        text: 'identical',
        detail: 'All values are the same; floating-point ones agree to their first 9 digits at least.',
      }
    case 'otherOrder':
      return {
        tone: 'ok',
        text: 'identical rows',
        detail: 'The same rows in another order: ORDER BY leaves the order of some of them open.',
      }
    case 'otherColumns':
      return {
        tone: 'warn',
        text: 'differs',
        detail: 'The columns have other names or types than the linked answer.',
      }
    case 'otherRowCount':
      return {
        tone: 'warn',
        text: 'differs',
        detail: `The linked answer had ${countText(compared.expected)} rows, this one has ${countText(compared.actual)}.${limited}`,
      }
    case 'differs':
      return {
        tone: 'warn',
        text: 'differs',
        detail: `Some values are other than in the linked answer.${limited}`,
      }
    case 'unknown':
      return { tone: 'warn', text: 'not compared', detail: 'The link says too little about its answer.' }
  }
}

/** Planning answers NO_SUCH_SNAPSHOT where retention came first, redeeming a ticket SNAPSHOT_EXPIRED. */
const GONE = new Set(['SNAPSHOT_EXPIRED', 'NO_SUCH_SNAPSHOT'])

/** `compared` is null while it is being made, and where the answer is too large for it. */
export function linkVerdict(state: RunState, compared: ComparedAnswer | null, isLimited: boolean): Verdict {
  if (state.kind === 'failed' && GONE.has(state.error.code))
    return {
      tone: 'error',
      text: 'expired',
      detail:
        'The table no longer has the snapshot of the linked answer: retention removed it, or the table is another.',
    }
  if (state.kind === 'failed' || state.kind === 'stopped')
    return {
      tone: 'warn',
      text: 'not compared',
      detail: 'There is no whole answer to compare with the linked one.',
    }
  if (state.kind !== 'finished' || compared === null)
    return {
      tone: 'busy',
      text: 'comparing',
      detail: 'The answer is compared with the linked one when it is whole.',
    }
  return comparedVerdict(compared, isLimited)
}

export function LinkVerdict({ verdict }: { verdict: Verdict }) {
  return (
    <p className="link-verdict">
      <output className="exactness" data-tone={verdict.tone} aria-label="Compared with the link">
        {verdict.text}
      </output>
      {verdict.detail}
    </p>
  )
}
