// How many files each wave of a row-wise statement takes. Pure.
import { LIMITS } from '../limits.ts'

/**
 * Sizes that add up to `fileCount`: the first wave is small, so that rows come soon, and each later one is twice as
 * large up to `waveFilesMax`, so that a long statement does not pay for many starts. An empty scan is one wave of none.
 */
export function waveSizes(fileCount: number, first: number): number[] {
  if (fileCount === 0) return [0]
  const sizes: number[] = []
  let size = first
  for (let left = fileCount; left > 0; left -= sizes.at(-1) ?? left) {
    sizes.push(Math.min(size, left))
    size = Math.min(size * 2, LIMITS.waveFilesMax)
  }
  return sizes
}
