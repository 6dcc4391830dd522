import { expect, it } from 'vitest'
import { parseDistinctCounts } from './parse-statistics.ts'

const blob = {
  type: 'apache-datasketches-theta-v1',
  'snapshot-id': '8614787612208071008',
  'sequence-number': 0,
  fields: [1],
  properties: { ndv: '9007199254740993' },
}

it('[TM13] reads the number of distinct values of each column, exactly', () => {
  const second = { ...blob, 'snapshot-id': 7, fields: [2], properties: { ndv: '0' } }
  expect(parseDistinctCounts([{ 'blob-metadata': [blob] }, { 'blob-metadata': [second] }])).toEqual([
    { snapshotId: 8_614_787_612_208_071_008n, fieldId: 1, count: 9_007_199_254_740_993n },
    { snapshotId: 7n, fieldId: 2, count: 0n },
  ])
})

it.each([
  undefined,
  null,
  {},
  [null],
  [{}],
  [
    {
      'blob-metadata': [
        null,
        { ...blob, type: 'other' },
        { ...blob, fields: [1, 2] },
        { ...blob, fields: [] },
      ],
    },
  ],
  [
    {
      'blob-metadata': [
        { ...blob, properties: {} },
        { ...blob, properties: { ndv: '-1' } },
      ],
    },
  ],
  [
    {
      'blob-metadata': [
        { ...blob, 'snapshot-id': 1.5 },
        { ...blob, 'snapshot-id': 'x' },
      ],
    },
  ],
])('[TM13] passes over what is not as it should be: %j', (json) => {
  expect(parseDistinctCounts(json)).toEqual([])
})
