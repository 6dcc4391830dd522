// Namespaces of several levels and of odd names, through the whole stack: SQL writes the levels as one name with dots.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLakeCatalog } from './support/lake-catalog.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const NAMESPACES = [['plain'], ['plain', 'inner'], ['plain', 'a.b', 'c'], ['Ü/x y', '%1F']]
let lake: TestLake
let stack: TestStack

beforeAll(async () => {
  lake = await startTestLake(['--no-demo'])
  const catalog = createLakeCatalog(lake)
  for (const [index, namespace] of NAMESPACES.entries()) {
    for (const [depth] of namespace.entries()) {
      const levels = namespace.slice(0, depth + 1)
      // Those above may be there already.
      await catalog.call('POST', '/namespaces', { namespace: levels }).catch(() => undefined)
    }
    const fields = [{ id: 1, name: `in_${index}`, required: false, type: 'long' }]
    await catalog.call('POST', `/namespaces/${namespace.map(encodeURIComponent).join('%1F')}/tables`, {
      name: 'a.t',
      schema: { type: 'struct', 'schema-id': 0, fields },
    })
  }
  stack = await startTestStack(lake, {
    LAKE_ICEBERG_NAMESPACES: NAMESPACES.map((levels) => JSON.stringify(levels)).join(','),
  })
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await lake[Symbol.asyncDispose]()
})

it.each([
  ['plain', 0],
  ['plain.inner', 1],
  ['plain.a.b.c', 2],
  ['Ü/x y.%1F', 3],
])('[H19] "%s" is the namespace of that name and no other', async (name, index) => {
  const result = await stack.client.query(`SELECT in_${index} FROM iceberg."${name}"."a.t"`)
  expect([result.rowCount, result.receipt?.tables[0]?.namespace]).toEqual([0, NAMESPACES[index]])
})

it.each(['plain.a', 'plain.a.b', 'a.b', 'plain.inner.x'])(
  '[H19] "%s" is no namespace of the deployment',
  async (name) => {
    expect(await stack.client.outcome(`SELECT 1 FROM iceberg."${name}"."a.t"`)).toBe('NO_SUCH_TABLE')
  },
)
