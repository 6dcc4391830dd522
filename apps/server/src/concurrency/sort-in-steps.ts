// Sorting of very many items without holding up the event loop: the built-in sort of 100,000 texts takes 100 ms or more.
import { STEP_ITEMS, type Steps } from '@lake/core/scan/steps.ts'

/**
 * Indexes 0 … count − 1 in order; equal ones keep theirs. Each step looks at some hundreds of them.
 * @param compare two indexes, as `Array.prototype.sort` takes it
 */
export function* sortInSteps(
  count: number,
  compare: (left: number, right: number) => number,
): Steps<Uint32Array> {
  let from = Uint32Array.from({ length: count }, (_item, index) => index)
  for (let start = 0; start < count; start += STEP_ITEMS) {
    from.subarray(start, start + STEP_ITEMS).sort((left, right) => compare(left, right) || left - right)
    yield
  }
  let to = new Uint32Array(count)
  for (let width = STEP_ITEMS; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count)
      const end = Math.min(start + 2 * width, count)
      let [left, right] = [start, middle]
      for (let at = start; at < end; at += 1) {
        const isLeft =
          right >= end || (left < middle && compare(from[left] as number, from[right] as number) <= 0)
        to[at] = from[isLeft ? left++ : right++] as number
        if ((at - start) % STEP_ITEMS === STEP_ITEMS - 1) yield
      }
      yield
    }
    ;[from, to] = [to, from]
  }
  return from
}
