import { expect, test } from 'vitest'
import type { PruningReport, ScanReport } from '@lake/core/flight/receipt.ts'
import { filterSentence, scanSteps, totalBytesText } from './scan-words.ts'

const scan: ScanReport = {
  manifestsTotal: 6,
  manifestsRead: 2,
  filesTotal: 121,
  filesPlanned: 20,
  filesRead: 0,
  rowGroupsTotal: 0,
  rowGroupsRead: 0,
  bytesTotal: 3_000_000,
  bytesRead: 0,
  requests: 0,
  isMetadataOnly: false,
}
const pruning: PruningReport = { manifests: 96, partitions: 2, metrics: 3, filters: [], unused: [] }
const filter = { text: 'x > 1', manifests: 0, partitions: 0, metrics: 0, withoutMetrics: 0 }

test('[WP1] the levels lead from all files to the planned ones, and a run adds what it read', () => {
  const steps = scanSteps(scan, pruning)
  expect(steps.map(({ kind, files }) => [kind, files])).toEqual([
    ['all', 121],
    ['skipped', 96],
    ['skipped', 2],
    ['skipped', 3],
    ['left', 20],
  ])
  expect(steps.filter(({ kind }) => kind === 'skipped').map(({ left }) => left)).toEqual([25, 23, 20])
  expect(steps[1]?.note).toBe('4 of 6 manifests not opened')
  const read = scanSteps(
    { ...scan, filesRead: 20, rowGroupsTotal: 40, rowGroupsRead: 12, bytesRead: 1_200_000 },
    pruning,
  )
  expect(read.at(-1)).toMatchObject({ label: 'Read', files: 20, note: '12 of 40 row groups, 1.2 MB' })
})

test('[WP2] each filter is told in a sentence what it does', () => {
  expect(filterSentence({ ...filter, manifests: 96, metrics: 1 }, 20)).toBe(
    'Excludes 96 files by the manifest list, 1 file by statistics.',
  )
  expect(filterSentence({ ...filter, withoutMetrics: 20 }, 20)).toMatch(/no statistics of its column/)
  expect(filterSentence(filter, 20)).toMatch(/possible in each of the 20 files/)
  expect(filterSentence({ ...filter, withoutMetrics: 5 }, 20)).toMatch(
    /in 15 files, and 5 have no statistics/,
  )
  expect(filterSentence(filter, 0)).toBe('Excludes nothing that the other filters leave.')
})

test('[WP3] a size that nobody checked is marked', () => {
  expect(totalBytesText({ summary: {} }, { ...scan, manifestsRead: 6 })).toBe('3.0 MB')
  expect(totalBytesText({ summary: { 'total-files-size': '9000000' } }, scan)).toBe('~9.0 MB')
  expect(totalBytesText({ summary: { 'total-files-size': '1' } }, scan)).toBe('more than 3.0 MB')
})
