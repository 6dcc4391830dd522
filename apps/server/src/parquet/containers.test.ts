import { expect, it } from 'vitest'
import type { Annotation } from './annotation.ts'
import { listShape, mapShape } from './containers.ts'
import type { Repetition, SchemaNode } from './parquet-metadata.ts'

const node = (
  name: string,
  repetition: Repetition,
  children: readonly SchemaNode[] = [],
  kind: 'none' | 'list' | 'map' = 'none',
): SchemaNode => ({
  name,
  repetition,
  annotation: { kind } satisfies Annotation,
  fieldId: undefined,
  leaf: children.length > 0 ? undefined : { index: 0, physicalType: 'INT32', lengthBytes: undefined },
  children,
})
const leaf = node('element', 'optional')
const listOf = (...children: readonly SchemaNode[]): SchemaNode => node('l', 'optional', children, 'list')

it.each<[string, SchemaNode, string, boolean]>([
  ['three levels', listOf(node('list', 'repeated', [leaf])), 'element', false],
  [
    'three levels by other names',
    listOf(node('bag', 'repeated', [node('array_element', 'optional')])),
    'array_element',
    false,
  ],
  ['a repeated value', listOf(node('array', 'repeated')), 'array', true],
  ['a repeated group of several', listOf(node('x', 'repeated', [leaf, leaf])), 'x', true],
  ['a repeated group of one that is called array', listOf(node('array', 'repeated', [leaf])), 'array', true],
  [
    'a repeated group of one that is called a tuple',
    listOf(node('l_tuple', 'repeated', [leaf])),
    'l_tuple',
    true,
  ],
  // Its one field is a list of its own, so the group is a struct and no level between.
  [
    'a repeated group of one that is repeated',
    listOf(node('x', 'repeated', [node('y', 'repeated')])),
    'x',
    true,
  ],
  ['a repeated column without annotation', node('l', 'repeated'), 'l', true],
])('[H74] the element of a list is found in %s', (_form, list, name, isElementRepeated) => {
  const shape = listShape(list)
  expect([shape?.element.name, shape?.isElementRepeated]).toEqual([name, isElementRepeated])
})

it.each<[string, SchemaNode]>([
  ['without children', { ...leaf, annotation: { kind: 'list' } }],
  ['of two children', listOf(node('a', 'repeated'), node('b', 'repeated'))],
  ['whose child is not repeated', listOf(leaf)],
  ['that is not called one', node('l', 'optional', [node('list', 'repeated', [leaf])])],
])('[H74] a list %s is none', (_form, list) => {
  expect(listShape(list)).toBeUndefined()
})

it('[H74] a map has one repeated group of a key and a value, whatever they are called', () => {
  const entry = (...children: readonly SchemaNode[]): SchemaNode =>
    node('m', 'optional', [node('map', 'repeated', children)], 'map')
  const [key, value] = [node('k', 'required'), node('v', 'optional')]
  expect(mapShape(entry(key, value))).toMatchObject({ key: { name: 'k' }, value: { name: 'v' } })
  for (const odd of [entry(key), entry(key, value, value), entry(key, node('v', 'repeated')), leaf])
    expect(mapShape(odd)).toBeUndefined()
})
