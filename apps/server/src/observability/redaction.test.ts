import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from './redaction.ts'

test('a secret prints as redacted everywhere and reveals its text only when asked', () => {
  const secret = new Secret('hunter2')
  const error = new Error('x', { cause: { secret } })
  const prints = [
    `a${String(secret)}`,
    ['a', secret].join(),
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9, showHidden: true }),
    inspect(error),
    JSON.stringify(Object.entries(secret)),
  ]
  expect(prints.join(' ')).not.toContain('hunter2')
  expect(secret.reveal()).toBe('hunter2')
})
