import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createTestPrincipals } from '../../test/support/principals.ts'
import { createLogger } from '../observability/logger.ts'
import { createApiToken, digestToken } from './api-token.ts'
import { parsePrincipals, type Principals } from './parse-principals.ts'
import { openPrincipalsFile } from './principals-file.ts'

const NEVER = new AbortController().signal
const hex = (text: string): string => createHash('sha256').update(text).digest('hex')

function parse(principals: unknown): Principals {
  const parsed = parsePrincipals(JSON.stringify({ principals }))
  if ('faults' in parsed) throw new Error(parsed.faults.join('\n'))
  return parsed
}

function faultsOf(content: unknown): readonly string[] {
  const parsed = parsePrincipals(typeof content === 'string' ? content : JSON.stringify(content))
  return 'faults' in parsed ? parsed.faults : []
}

describe('[AU3] a token', () => {
  it('is 256 random bits that never repeat', () => {
    const tokens = Array.from({ length: 1_000 }, createApiToken)
    expect(new Set(tokens).size).toBe(1_000)
    for (const token of tokens) expect(token).toMatch(/^lake_[\w-]{43}$/)
  })

  it('finds its holder, and only from its exact text', () => {
    const token = createApiToken()
    const principals = parse([
      { name: 'ada', namespaces: ['analytics', ['a.b', 'c']], tokens: [{ sha256: hex(token) }] },
      { name: 'bob', namespaces: [], tokens: [] },
    ])
    const found = principals.findByDigest(digestToken(token), 0)
    expect(found?.principal).toEqual({
      id: 'file:ada',
      name: 'ada',
      grants: [['analytics'], ['a.b', 'c']],
    })
    for (const other of ['', token.slice(1), `${token}x`, token.toUpperCase(), ` ${token}`, hex(token)])
      expect(principals.findByDigest(digestToken(other), 0)).toBeUndefined()
  })

  it('ends when it says', () => {
    const expiresAt = '2027-01-01T00:00:00+01:00'
    const principals = parse([{ name: 'ada', namespaces: [], tokens: [{ sha256: hex('t'), expiresAt }] }])
    const endMs = Date.parse('2026-12-31T23:00:00Z')
    expect(principals.findByDigest(digestToken('t'), endMs - 1)).toBeDefined()
    expect(principals.findByDigest(digestToken('t'), endMs)).toBeUndefined()
  })
})

describe('[AU3] a principals file', () => {
  const good = { name: 'ada', namespaces: ['a'], tokens: [{ sha256: hex('t') }] }
  it.each([
    ['{', 'is not JSON'],
    ['[]', 'file: '],
    [{}, 'principals: '],
    [{ principals: [{ ...good, tokens: [{ sha256: 'canary' }] }] }, 'principals.0.tokens.0.sha256: '],
    [{ principals: [{ ...good, grants: [] }] }, 'principals.0: '],
    [{ principals: [{ ...good, namespaces: ['a..b'] }] }, 'principals.0.namespaces.0: has an empty level'],
    [{ principals: [{ ...good, namespaces: [[]] }] }, 'principals.0.namespaces.0: has an empty level'],
    [{ principals: [{ ...good, name: 'a\nb' }] }, 'principals.0.name: '],
    [{ principals: [good, { ...good, tokens: [] }] }, 'principals.1.name: is there twice'],
    [{ principals: [good, { ...good, name: 'b' }] }, 'principals.1.tokens.0: is there twice'],
  ])('with a fault is refused whole, by the place: %j', (content, fault) => {
    const faults = faultsOf(content)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(fault)
    expect(faults[0]).not.toContain('canary')
  })

  it('is read anew when it has changed; a faulty one changes nothing and is said until it is mended', async () => {
    await using file = await createTestPrincipals({ ada: ['a'], bob: ['b'] })
    const clock = createManualClock()
    const log: string[] = []
    const logger = createLogger('info', { write: (line) => log.push(line) })
    const opened = await openPrincipalsFile({ path: file.path, clock, logger })
    const grantsOf = async (name: 'ada' | 'bob') =>
      (await opened.current(NEVER)).findByDigest(digestToken(file.tokens[name]), 0)?.principal.grants

    await file.write({ ada: ['x', 'y'] })
    expect(await grantsOf('ada')).toEqual([['a']])
    clock.advance(1_000)
    expect(await grantsOf('ada')).toEqual([['x'], ['y']])
    expect(await grantsOf('bob')).toBeUndefined()

    await file.write(`{"principals":[{"name":"canary","namespaces":7,"tokens":[]}]}`)
    clock.advance(1_000)
    expect(await grantsOf('ada')).toEqual([['x'], ['y']])
    expect(opened.problem).toContain('the last good one')
    expect(log.join('')).toContain('principals.0.namespaces')
    expect(log.join('')).not.toContain('canary')

    await file.write({ bob: ['b'] })
    clock.advance(1_000)
    expect(await grantsOf('ada')).toBeUndefined()
    expect(await grantsOf('bob')).toEqual([['b']])
    expect(opened.problem).toBeUndefined()
  })

  it('that is not there ends the start', async () => {
    const options = { clock: createManualClock(), logger: createLogger('silent') }
    await expect(openPrincipalsFile({ path: '/nowhere/principals.json', ...options })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: { faults: ['cannot be read'] },
    })
    await using file = await createTestPrincipals({ ada: [] })
    expect(await readFile(file.path, 'utf8')).not.toContain(file.tokens.ada)
  })
})
