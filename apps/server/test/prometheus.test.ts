// Debian's Prometheus scrapes a running server and loads the rules. Opt-in: LAKE_TEST_PROMETHEUS=1, with Debian's package
// `prometheus` installed; it takes some ten seconds.
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startTestLake, startTestStack } from './support/test-stack.ts'

const RULES = resolve(import.meta.dirname, '../../../deploy/alerts.yml')
const PROMETHEUS = '/usr/bin/prometheus'
const isWanted = process.env['LAKE_TEST_PROMETHEUS'] === '1'

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
  const { port } = probe.address() as AddressInfo
  await new Promise((done) => probe.close(done))
  return port
}

describe.skipIf(!isWanted)('[OP1] Prometheus', () => {
  it('scrapes the server and loads the rules', async () => {
    await using lake = await startTestLake(['--demo-scale', '0.01'])
    await using stack = await startTestStack(lake, { LAKE_METRICS_ADDR: '127.0.0.1:0' })
    await stack.client.query('SELECT 1')
    const directory = await mkdtemp(join(tmpdir(), 'lake-prometheus-'))
    const target = new URL(stack.metricsUrl ?? '').host
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [RULES],
      scrape_configs: [{ job_name: 'lake-workbench', static_configs: [{ targets: [target] }] }],
    }
    // JSON is YAML.
    await writeFile(join(directory, 'prometheus.yml'), JSON.stringify(config))
    const address = `127.0.0.1:${await freePort()}`
    const prometheus = spawn(
      PROMETHEUS,
      [
        `--config.file=${directory}/prometheus.yml`,
        `--storage.tsdb.path=${directory}/data`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    )
    const ask = async (path: string): Promise<string> =>
      await fetch(`http://${address}/api/v1/${path}`).then(
        async (answer) => await answer.text(),
        () => '',
      )
    try {
      await expect
        .poll(async () => await ask('query?query=lake_statements_total'))
        .toContain('"outcome":"ok"')
      expect(await ask('query?query=up')).toContain('"1"')
      const rules = JSON.parse(await ask('rules')) as { data: { groups: { rules: { health: string }[] }[] } }
      await expect.poll(async () => await ask('rules')).not.toContain('"unknown"')
      expect(rules.data.groups[0]?.rules).toHaveLength(9)
      expect(await ask('rules')).not.toContain('"health":"err"')
    } finally {
      prometheus.kill()
      await new Promise((done) => prometheus.once('exit', done))
      await rm(directory, { recursive: true, force: true })
    }
  }, 120_000)
})
