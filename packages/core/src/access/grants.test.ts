import { describe, expect, it } from 'vitest'
import { isGranted, parseGrant, visibleNamespaces } from './grants.ts'

const holder = (...grants: string[][]) => ({ grants })

describe('[AC1] a grant', () => {
  it('covers its namespace and those below, and no other', () => {
    const ada = holder(['models', 'v2'])
    expect(isGranted(ada, ['models', 'v2'])).toBe(true)
    expect(isGranted(ada, ['models', 'v2', 'eval'])).toBe(true)
    for (const other of [['models'], ['models', 'v20'], ['models.v2'], ['Models', 'v2'], ['v2'], []])
      expect(isGranted(ada, other), JSON.stringify(other)).toBe(false)
  })

  it('is needed: without one nothing is seen, with the empty one everything of the deployment', () => {
    const deployment = [['a'], ['b', 'c']]
    expect(visibleNamespaces(holder(), deployment)).toEqual([])
    expect(visibleNamespaces(holder([]), deployment)).toEqual(deployment)
    expect(visibleNamespaces(holder(['b'], ['x']), deployment)).toEqual([['b', 'c']])
  })

  it('is written as text with dots, as a list, or as a star', () => {
    expect(parseGrant('a.b')).toEqual(['a', 'b'])
    expect(parseGrant(['a.b', '*'])).toEqual(['a.b', '*'])
    expect(parseGrant('*')).toEqual([])
    expect(parseGrant(['*'])).toEqual(['*'])
    for (const faulty of ['', 'a..b', '.a', [], ['']]) expect(parseGrant(faulty)).toBeUndefined()
  })
})
