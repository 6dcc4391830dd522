// Damages JSON by its structure: values of other types, left out and repeated members, other names, deep nests, numbers at
// the edges. What comes out is JSON again, so that damage gets behind the parser; `mutate-bytes.ts` does the rest.
import type { Random } from './mutate-bytes.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const EDITS_MAX = 3
const ODD_SCALARS: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  0.5,
  1e308,
  -0,
  2 ** 31,
  2 ** 53,
  '',
  ' ',
  '\ud800',
]
const ODD_CONTAINERS: readonly Json[] = [
  [],
  {},
  [null],
  [[]],
  { type: 'struct', fields: [] },
  { type: 'list' },
]
const ODD_TEXTS =
  `\u0000 __proto__ constructor 9223372036854775807 -9223372036854775809 99999999999999999999 identity bucket[0]
  bucket[99999999999] truncate[1] void a[1 int long decimal(38,38) decimal(99,1) fixed[999999999] geometry( unknown variant
  struct map 1970-01-01 2024-02-30T25:61:61 s3:// s3://b/../x file:///etc/passwd`.split(/\s+/)
const ODD_VALUES: readonly Json[] = [...ODD_SCALARS, ...ODD_CONTAINERS, ...ODD_TEXTS, 'x'.repeat(5_000)]

/** One of the inputs, with one to three changes. */
export function mutateJson(inputs: readonly Json[], random: Random): Json {
  const below = (end: number): number => Math.floor(random() * end)
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const root: { value?: Json } = { value: structuredClone(one(inputs)) }
  const edits = 1 + below(EDITS_MAX)
  for (let edit = 0; edit < edits; edit += 1) {
    const { holder, key } = one(places(root))
    const value = holder[key] as Json
    const kind = below(8)
    if (kind === 0) remove(holder, key)
    else if (kind === 1) holder[key] = nest(value, one([1, 3, 70, 300]), below(2) === 0)
    else if (kind === 2) holder[key] = structuredClone(one(places(root)).value)
    else if (kind === 3) rename(holder, key, one(places(root)).key)
    else if (kind === 4 && Array.isArray(value)) holder[key] = [...value, ...structuredClone(value)]
    else if (kind === 5 && typeof value === 'number') holder[key] = value + (below(2) === 0 ? 1 : -1)
    else holder[key] = structuredClone(one(ODD_VALUES))
  }
  return root.value ?? null
}

type Holder = Record<string, Json>

interface Place {
  readonly holder: Holder
  readonly key: string
  readonly value: Json
}

function places(root: { value?: Json }): Place[] {
  root.value ??= null
  const found: Place[] = []
  const pending: Holder[] = [root]
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      found.push({ holder, key, value })
      if (typeof value === 'object' && value !== null) pending.push(value as Holder)
    }
  }
  return found
}

function remove(holder: Holder, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

function rename(holder: Holder, key: string, name: string): void {
  if (Array.isArray(holder)) return
  const value = holder[key] as Json
  delete holder[key]
  // An assignment to `__proto__` would make no member.
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
}

function nest(value: Json, depth: number, isList: boolean): Json {
  let nested = value
  for (let level = 0; level < depth; level += 1) nested = isList ? [nested] : { type: nested }
  return nested
}
