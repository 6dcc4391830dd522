// The function call around a place of an unfinished text, for showing its signature.
import { blankLiterals } from './blank-literals.ts'

export interface CallAt {
  name: string
  /** Index of the argument that the place is in. */
  argument: number
}

const NAME_BEFORE = /([A-Za-z_]\w*)\s*$/

/** The innermost call that is open at `offset` (UTF-16), a word before a bracket; null where there is none. */
export function callAt(text: string, offset: number): CallAt | null {
  const before = blankLiterals(text.slice(0, offset), { keepNames: false })
  let depth = 0
  let argument = 0
  for (let i = before.length - 1; i >= 0; i--) {
    const character = before[i]
    if (character === ';') return null
    if (character === ')' || character === ']') depth += 1
    else if (character === ',' && depth === 0) argument += 1
    else if (character === '(' || character === '[') {
      if (depth > 0) depth -= 1
      else {
        const name = character === '(' ? NAME_BEFORE.exec(before.slice(0, i))?.[1] : undefined
        if (name !== undefined) return { name: name.toLowerCase(), argument }
        argument = 0
      }
    }
  }
  return null
}
