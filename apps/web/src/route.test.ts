import { expect, it } from 'vitest'
import { comparePath, parseRoute, tablePath } from './route.ts'

it.each([
  { namespace: ['sales'], table: 'orders' },
  { namespace: ['a.b', 'c/d'], table: 'order lines %2F?#' },
])('finds the way back from a table path: %j', (name) => {
  expect(parseRoute(tablePath(name))).toEqual({ kind: 'table', name })
  const [older, newer] = ['-1', '9007199254740993']
  expect(parseRoute(comparePath(name, older, newer))).toEqual({ kind: 'compare', name, older, newer })
})

it.each([
  '/t',
  '/t/a',
  '/t/%E0%A4%A/x',
  '/t/a/b/c',
  '/t/a/b/compare/1',
  '/t/a/b/compare/x/2',
  '/t/%1F/x',
  '/other',
])('knows no page at %s', (path) => {
  expect(parseRoute(path)).toEqual({ kind: 'unknown' })
})
