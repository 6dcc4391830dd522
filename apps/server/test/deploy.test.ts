// The files in deploy/ and the guide of operators name metrics and variables that exist, and Prometheus takes the rules.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseTicketKeys } from '../src/config.ts'
import { VARIABLES } from '../src/config/reader.ts'
import { createSealer } from '../src/sealing/sealer.ts'
import { createMetrics } from '../src/observability/metrics.ts'

const DEPLOY = `${import.meta.dirname}/../../../deploy`
const PROMTOOL = '/usr/bin/promtool'
const read = async (name: string): Promise<string> => await readFile(`${DEPLOY}/${name}`, 'utf8')

describe('[OP1] the files for operators', () => {
  const knownMetrics = async (): Promise<string[]> => {
    const { text } = await createMetrics().render()
    return [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, metric = '']) => metric).sort()
  }
  const namedMetrics = async (name: string): Promise<string[]> => {
    const found = [...(await read(name)).matchAll(/\blake_[a-z_]+/g)].map(([metric]) =>
      metric.replace(/_(bucket|sum|count)$/, ''),
    )
    return [...new Set(found)].sort()
  }

  it('the alerts name metrics that exist', async () => {
    const [named, known] = [await namedMetrics('alerts.yml'), await knownMetrics()]
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((metric) => !known.includes(metric))).toEqual([])
  })

  it.each(['dashboard.json', '../docs/operating.md'])(
    '%s tells of every metric, and of no other',
    async (name) => {
      expect(await namedMetrics(name)).toEqual(await knownMetrics())
    },
  )

  it('name variables that exist', async () => {
    for (const name of await readdir(DEPLOY)) {
      const named = [...(await read(name)).matchAll(/\bLAKE_[A-Z0-9_]+/g)].map(([variable]) => variable)
      expect(
        named.filter((variable) => !(VARIABLES as readonly string[]).includes(variable)),
        name,
      ).toEqual([])
    }
  })

  // Without Debian's prometheus on the machine there is nothing to check them with.
  it.skipIf(!existsSync(PROMTOOL))('the rules load in Prometheus', async () => {
    const { stdout } = await promisify(execFile)(PROMTOOL, ['check', 'rules', `${DEPLOY}/alerts.yml`])
    expect(stdout).toContain('SUCCESS: 9 rules found')
  })
})

describe('[OP1] the command for ticket keys', () => {
  const run = async (keys: string, ...args: string[]): Promise<string> => {
    const script = `${import.meta.dirname}/../../../scripts/keys.ts`
    const env = { ...process.env, LAKE_TICKET_KEYS: keys }
    return (await promisify(execFile)(process.execPath, [script, ...args], { env })).stdout.trim()
  }
  it('puts a new one first, keeps the last, and drops those before it', async () => {
    const [first, second] = [await run(''), await run('')]
    const rotated = await run(`${second},${first}`)
    expect(rotated.split(',')).toHaveLength(2)
    expect(rotated.endsWith(second)).toBe(true)
    const sealerOf = (keys: string) => createSealer({ keys: parseTicketKeys(keys) ?? [], purpose: 'x' })
    const opened = sealerOf(rotated).open(sealerOf(second).seal('text'))
    expect(opened).toEqual({ kind: 'opened', text: 'text' })
    expect((await run(rotated, '--keep', '0')).split(',')).toHaveLength(1)
    await expect(run('nonsense')).rejects.toMatchObject({ code: 1 })
  })
})
