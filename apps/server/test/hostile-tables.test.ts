// Tables made to break whoever reads them, through the whole stack: each statement ends with the right rows or in words
// that a person can use, and the server serves on.
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from '@lake/core/errors.ts'
import { withGeneratedStack } from './support/generated-stack.ts'
import { HOSTILE_TABLES } from './support/hostile-tables.ts'

const GOOD = { ...HOSTILE_TABLES[0]!, name: 'good', damage: () => undefined }
const generated = withGeneratedStack([...HOSTILE_TABLES, GOOD])
const MESSAGE_CHARS_MAX = 5_000

async function outcomeOf(sql: string): Promise<{ code: string | undefined; message: string }> {
  const result = await generated.stack.client.run(sql)
  const { code, message } = ('status' in result ? result : result.failure) ?? { code: undefined, message: '' }
  return { code, message }
}

describe('[FZ1] [FZ3] [H32] tables made to break their reader', () => {
  it.each(HOSTILE_TABLES.map((table) => [table.name, table] as const))(
    '%s',
    async (name, { code, countCode, isCounted = false }) => {
      const statements: readonly (readonly [sql: string, code: string | undefined])[] = [
        [`SELECT * FROM iceberg.generated."${name}" ORDER BY ALL`, code],
        ...(isCounted ? [[`SELECT count(*) FROM iceberg.generated."${name}"`, countCode] as const] : []),
        ...(isCounted ? [[`SELECT * FROM iceberg.generated."${name}$files"`, 'any'] as const] : []),
      ]
      for (const [sql, expected] of statements) {
        const outcome = await outcomeOf(sql)
        expect(outcome.message.length).toBeLessThanOrEqual(MESSAGE_CHARS_MAX)
        expect([undefined, ...Object.keys(ERROR_CODES)]).toContain(outcome.code)
        expect(['INTERNAL', 'ENGINE_FAILED']).not.toContain(outcome.code)
        if (expected === 'STORAGE') expect(outcome.code).toMatch(/^(STORAGE_ACCESS_DENIED|OBJECT_MISSING)$/)
        else if (expected !== 'any') expect(outcome.code).toBe(expected)
      }
    },
    60_000,
  )

  it('leave everybody else alone', async () => {
    expect(await generated.texts('SELECT count(*) AS n FROM iceberg.generated.good')).toEqual([['9']])
  })
})
