// The functions that the editor offers are those that the engine has and statements may call. The list is a file, so that
// completion asks nobody; `npm run unit -- --project server test/engine-functions.test.ts -u` writes it anew.
import { afterAll, expect, it } from 'vitest'
import { isFunctionAllowed, isTableFunctionAllowed } from '../src/sql/function-policy.ts'
import { collect, never, startTestEngine } from './engine-support.ts'

/** Of one name; more differ in types alone. */
const OVERLOADS_MAX = 4

/** Not listed by the engine, which has them all the same. */
const UNLISTED_FUNCTIONS = [
  'current_time() → TIME WITH TIME ZONE',
  'row_number() → BIGINT',
  'rank() → BIGINT',
  'dense_rank() → BIGINT',
  'percent_rank() → DOUBLE',
  'cume_dist() → DOUBLE',
  'ntile(buckets BIGINT) → BIGINT',
  'lag(value ANY, offset BIGINT, default ANY) → ANY',
  'lead(value ANY, offset BIGINT, default ANY) → ANY',
  'first_value(value ANY) → ANY',
  'last_value(value ANY) → ANY',
  'nth_value(value ANY, nth BIGINT) → ANY',
  'coalesce(value ANY, ...) → ANY',
  'nullif(value ANY, other ANY) → ANY',
]

const SQL = `SELECT function_name, function_type, parameters::VARCHAR[], parameter_types::VARCHAR[], varargs, return_type
FROM duckdb_functions()
WHERE function_type IN ('scalar', 'aggregate', 'table', 'macro') AND schema_name = 'main'
  AND regexp_full_match(function_name, '[a-z][a-z0-9_]*')
ORDER BY function_name, len(parameters), parameter_types::VARCHAR, function_type, parameters::VARCHAR, return_type`

const test = await startTestEngine()
afterAll(async () => {
  await test[Symbol.asyncDispose]()
})

it('[FN1] lists the functions that statements may call, with their signatures', async () => {
  await using session = await test.engine.acquire(never)
  const table = await collect(session, SQL)
  const column = (index: number) => (row: number) => table.getChildAt(index)?.get(row) as unknown
  const [nameOf, kindOf, parametersOf, typesOf, varargsOf, returnOf] = [0, 1, 2, 3, 4, 5].map(column)
  const listOf = (value: unknown): string[] => [...((value ?? []) as Iterable<unknown>)].map(String)
  const byName = new Map<string, Set<string>>()
  for (let row = 0; row < table.numRows; row += 1) {
    const name = String(nameOf?.(row))
    const isTable = kindOf?.(row) === 'table'
    if (isTable ? !isTableFunctionAllowed(name) : !isFunctionAllowed(name)) continue
    const types = listOf(typesOf?.(row))
    const parameters = listOf(parametersOf?.(row)).map((parameter, index) =>
      types[index] === undefined || types[index] === 'null' ? parameter : `${parameter} ${types[index]}`,
    )
    const varargs = varargsOf?.(row)
    const all = [...parameters, ...(typeof varargs === 'string' ? ['...'] : [])].join(', ')
    const result = returnOf?.(row)
    const signatures = byName.get(name) ?? new Set()
    if (signatures.size < OVERLOADS_MAX)
      signatures.add(`${name}(${all})${typeof result === 'string' ? ` → ${result}` : ''}`)
    byName.set(name, signatures)
  }
  const lines = [...[...byName.values()].flatMap((signatures) => [...signatures]), ...UNLISTED_FUNCTIONS]
  expect(byName.size).toBeGreaterThan(400)
  expect(byName.has('read_parquet')).toBe(false)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../web/src/features/editor/functions.txt')
})
