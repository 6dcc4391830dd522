// Types of which some nanosecond times are instants, at any depth, as texts. The engine has no such type: which of its times
// are instants is said beside its type, by their numbers in the order in which the type's text has them.

/** How an instant in nanoseconds is called. */
export const INSTANT_TYPE = 'TIMESTAMP_NS WITH TIME ZONE'

const NANOS = 'TIMESTAMP_NS'
const ZONED = 'TIMESTAMP WITH TIME ZONE'
/** Names and values in quotes, and the two types where no name can stand. */
const TOKEN = /"(?:[^"]|"")*"|'(?:[^']|'')*'|TIMESTAMP(?:_NS| WITH TIME ZONE)(?=$|[,)[])/g

interface Pieces {
  readonly texts: readonly string[]
  readonly times: readonly string[]
}

/** The types of time in a type, and what stands between them. */
function piecesOf(type: string): Pieces {
  const texts: string[] = []
  const times: string[] = []
  let end = 0
  for (const { 0: token, index } of type.matchAll(TOKEN)) {
    if (token !== NANOS && token !== ZONED) continue
    texts.push(type.slice(end, index))
    times.push(token)
    end = index + token.length
  }
  return { texts: [...texts, type.slice(end)], times }
}

/**
 * The numbers of the nanosecond times in `type` that are instants in `zoned`, which is the same type but for those.
 * None where the two differ otherwise.
 */
export function instantsIn(type: string, zoned: string | undefined): readonly number[] {
  if (zoned === undefined) return []
  const [plain, other] = [piecesOf(type), piecesOf(zoned)]
  const isAlike =
    plain.texts.length === other.texts.length &&
    plain.texts.every((text, index) => text === other.texts[index])
  if (!isAlike) return []
  const instants: number[] = []
  let number = 0
  plain.times.forEach((time, index) => {
    if (time !== NANOS) return
    if (other.times[index] === ZONED) instants.push(number)
    number += 1
  })
  return instants
}

/** The type with its instants called so. */
export function nameInstants(type: string, instants: readonly number[]): string {
  if (instants.length === 0) return type
  const { texts, times } = piecesOf(type)
  let number = 0
  const named = times.map((time) => {
    if (time !== NANOS) return time
    number += 1
    return instants.includes(number - 1) ? INSTANT_TYPE : time
  })
  return texts.map((text, index) => `${text}${named[index] ?? ''}`).join('')
}
