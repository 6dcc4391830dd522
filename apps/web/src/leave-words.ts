// What leaving the page ends and what goes on, in words.
import { countedText } from './ui/format-quantity.ts'

export interface Leaving {
  /** Statements that end with the page. */
  readonly endingCount: number
  readonly backgroundCount: number
  /** Whether there is a text that is stored nowhere. */
  readonly isTextLost: boolean
}

/** What ends with the page and what goes on. */
export function leaveText({ endingCount, backgroundCount, isTextLost }: Leaving): string {
  const losses = [
    ...(endingCount > 0 ? [`stops ${countedText(endingCount, 'statement')} here`] : []),
    ...(isTextLost ? ['loses text that is not saved'] : []),
  ]
  const goesOn = backgroundCount === 0 ? '' : `; ${backgroundCount} in the background will go on`
  return `Leaving ${losses.join(' and ')}${goesOn}.`
}
