// Places in sorted sequence numbers.

/** How many of the numbers are at most `limit`. */
export function countUpTo(ascending: BigInt64Array, limit: bigint): number {
  let start = 0
  let end = ascending.length
  while (start < end) {
    const middle = (start + end) >>> 1
    if ((ascending[middle] ?? 0n) <= limit) start = middle + 1
    else end = middle
  }
  return start
}
