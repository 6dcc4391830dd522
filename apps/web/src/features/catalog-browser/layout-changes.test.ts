import { expect, it } from 'vitest'
import { layoutRows, orderTerms, specTerms } from './layout-changes.ts'

it('[TP4] tells what each partition spec changed, in the order in which they were made', () => {
  const field = (source: string, transform: string) => ({ name: 'p', source, transform, fieldId: 1 })
  const specs = [
    { specId: 2, fields: [field('id', 'bucket[16]'), field('ts', 'void')] },
    { specId: 0, fields: [] },
    { specId: 1, fields: [field('ts', 'day'), field('country', 'identity')] },
  ]
  const rows = layoutRows(
    specs.map((spec) => ({ id: spec.specId, terms: specTerms(spec) })),
    2,
  )
  expect(rows).toEqual([
    { id: 0, terms: [], isDefault: false, added: [], removed: [] },
    { id: 1, terms: ['day(ts)', 'country'], isDefault: false, added: ['day(ts)', 'country'], removed: [] },
    {
      id: 2,
      terms: ['bucket[16](id)'],
      isDefault: true,
      added: ['bucket[16](id)'],
      removed: ['day(ts)', 'country'],
    },
  ])
})

it('[TP4] names direction and place of NULL of a sort order', () => {
  const fields = [{ source: 'ts', transform: 'identity', direction: 'desc', nullOrder: 'nulls-last' }]
  expect(orderTerms({ orderId: 1, fields })).toEqual(['ts desc nulls-last'])
})
