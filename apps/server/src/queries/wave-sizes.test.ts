import { describe, expect, it } from 'vitest'
import { LIMITS } from '../limits.ts'
import { waveSizes } from './wave-sizes.ts'

describe('waveSizes', () => {
  it.each([
    [0, 2, [0]],
    [1, 2, [1]],
    [5, 2, [2, 3]],
    [40, 2, [2, 4, 8, 16, 10]],
    [4, 1, [1, 2, 1]],
  ])('splits %i files from %i', (fileCount, first, sizes) => {
    expect(waveSizes(fileCount, first)).toEqual(sizes)
  })

  it('covers every file once within the bound', () => {
    for (let fileCount = 1; fileCount < 500; fileCount += 7) {
      const sizes = waveSizes(fileCount, LIMITS.waveFilesFirst)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(fileCount)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(LIMITS.waveFilesMax)
      expect(Math.min(...sizes)).toBeGreaterThan(0)
    }
  })
})
