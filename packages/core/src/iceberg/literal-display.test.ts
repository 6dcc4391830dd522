import { expect, it } from 'vitest'
import { formatPartitionValue } from './literal-display.ts'
import { parseTransform } from './transform.ts'

it.each([
  ['year', 'int', 54n, '2024'],
  ['year', 'int', -1n, '1969'],
  ['month', 'int', 0n, '1970-01'],
  ['month', 'int', -1n, '1969-12'],
  ['month', 'int', 650n, '2024-03'],
  ['day', 'date', -1n, '1969-12-31'],
  ['hour', 'int', -1n, '1969-12-31-23'],
  ['hour', 'int', 25n, '1970-01-02-01'],
  ['identity', 'int', 25n, '25'],
  ['bucket[4]', 'int', 3n, '3'],
  ['identity', 'string', 'é', 'é'],
] as const)('shows %s of %s %s as %s', (transform, kind, value, expected) => {
  expect(formatPartitionValue(parseTransform(transform), { kind }, value)).toBe(expected)
})
