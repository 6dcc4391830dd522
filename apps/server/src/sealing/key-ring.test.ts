import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSecretResolver } from '../catalog/secrets.ts'
import { readConfig } from '../config.ts'
import { loadKeyRing } from './key-ring.ts'

const KEYS = `new:${Buffer.alloc(32, 1).toString('base64')},old:${Buffer.alloc(32, 2).toString('base64')}`
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lake-keys-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true })
})

const loadReference = async (reference: string, environment: Record<string, string> = {}) => {
  const { ticketKeys } = readConfig({ LAKE_TICKET_KEYS: JSON.stringify({ secret_ref: reference }) })
  return await loadKeyRing(ticketKeys, directory, createSecretResolver(environment))
}

describe('[CF7] ticket keys by reference', () => {
  it('are those that it resolves to, in their order', async () => {
    await writeFile(join(directory, 'keys'), `${KEYS}\n`)
    const inline = readConfig({ LAKE_TICKET_KEYS: KEYS }).ticketKeys
    expect(await loadReference(`file:${join(directory, 'keys')}`)).toEqual(inline)
    expect(await loadReference('env:OTHER', { OTHER: KEYS })).toEqual(inline)
  })

  it.each([
    ['a key that is short', 'k:canary', 'INVALID_REQUEST'],
    ['another reference', '{"secret_ref":"env:CANARY"}', 'INVALID_REQUEST'],
    ['nothing', '', 'CATALOG_UNAVAILABLE'],
  ])('that resolve to %s end the start, without their value', async (_what, text, code) => {
    const failure = await loadReference('env:OTHER', { OTHER: text }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code })
    expect(String(failure)).not.toMatch(/canary/i)
  })
})
