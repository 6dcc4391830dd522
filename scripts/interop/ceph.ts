// A real S3 server: Ceph's radosgw over one monitor and one OSD that keeps everything in memory, all on loopback, each
// in the foreground as a child of this process. Debian 12 has it:
//   apt-get install -y --no-install-recommends radosgw ceph-mon ceph-osd ceph-common ceph-base
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Keys } from '../../apps/server/test/contracts/s3-contract.ts'
import { freePort, hasCommand, run, until } from './commands.ts'
import { stop } from '../programs.ts'

const CEPH_PACKAGES = 'radosgw ceph-mon ceph-osd ceph-common ceph-base'

interface Ceph extends AsyncDisposable {
  readonly name: string
  readonly endpoint: string
  /** May do everything, and take roles. */
  readonly keys: S3Keys
  /** Names a role that `keys` may take, for its buckets. */
  readonly roleArn: string
}

/** Why Ceph cannot be started here; undefined where it can. */
export function whyNoCeph(): string | undefined {
  const missing = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'monmaptool'].filter(
    (name) => !hasCommand(name),
  )
  if (missing.length > 0) return `${missing.join(', ')} not found: apt-get install ${CEPH_PACKAGES}`
  return process.getuid?.() === 0 ? undefined : 'Ceph is started as root only'
}

const KEYS: S3Keys = { accessKeyId: 'WORKBENCH', secretAccessKey: 'workbench-secret' }
const ROLE = {
  policy: {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: { AWS: ['arn:aws:iam:::user/workbench'] }, Action: ['sts:AssumeRole'] },
    ],
  },
  rights: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: ['s3:*'], Resource: ['arn:aws:s3:::*'] }],
  },
}

/** Takes about ten seconds. What it keeps is gone when it ends. */
export async function startCeph(): Promise<Ceph> {
  const folder = mkdtempSync(join(tmpdir(), 'ceph-'))
  const children: ChildProcess[] = []
  const dispose = async (): Promise<void> => {
    for (const child of children.toReversed()) await stop(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return { ...(await start(folder, children)), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function start(
  folder: string,
  children: ChildProcess[],
): Promise<Omit<Ceph, typeof Symbol.asyncDispose>> {
  const ports = { monitor: await freePort(), gateway: await freePort() }
  const address = `v2:127.0.0.1:${ports.monitor}`
  const clusterId = randomUUID()
  const config = join(folder, 'ceph.conf')
  const keyring = join(folder, 'keyring')
  writeConfig(folder, { config, keyring, clusterId, address, gatewayPort: ports.gateway })
  const log = openSync(join(folder, 'log', 'daemons'), 'a')
  const daemon = (command: string, ...args: string[]): void => {
    children.push(spawn(command, ['-f', '-c', config, ...args], { stdio: ['ignore', log, log] }))
  }
  const ceph = async (command: string, ...args: string[]): Promise<string> =>
    await run(command, ['-c', config, ...args])

  await writeKeys(keyring)
  const map = join(folder, 'monmap')
  await run('monmaptool', ['--create', '--fsid', clusterId, '--addv', 'a', `[${address}]`, map])
  await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring)
  daemon('ceph-mon', '-i', 'a')
  const osdId = randomUUID()
  const osd = (await ceph('ceph', '--connect-timeout', '30', 'osd', 'new', osdId)).trim()
  await ceph('ceph-osd', '-i', osd, '--mkfs', '--osd-uuid', osdId)
  daemon('ceph-osd', '-i', osd)
  await until('the OSD', async () => (await ceph('ceph', 'osd', 'stat')).includes('1 up'))
  await ceph('ceph', 'auth', 'import', '-i', keyring)
  daemon('radosgw', '-n', 'client.rgw', '--keyring', keyring)
  const endpoint = `http://127.0.0.1:${ports.gateway}`
  await until('the gateway', async () => (await fetch(endpoint)).status < 500)

  const admin = async (...args: string[]): Promise<string> => await ceph('radosgw-admin', ...args)
  await admin(
    'user',
    'create',
    '--uid=workbench',
    '--display-name=workbench',
    `--access-key=${KEYS.accessKeyId}`,
    `--secret=${KEYS.secretAccessKey}`,
  )
  await admin(
    'role',
    'create',
    '--role-name=reader',
    `--assume-role-policy-doc=${JSON.stringify(ROLE.policy)}`,
  )
  await admin(
    'role-policy',
    'put',
    '--role-name=reader',
    '--policy-name=all',
    `--policy-doc=${JSON.stringify(ROLE.rights)}`,
  )
  return { name: 'Ceph radosgw', endpoint, keys: KEYS, roleArn: 'arn:aws:iam:::role/reader' }
}

async function writeKeys(keyring: string): Promise<void> {
  const caps: readonly (readonly string[])[] = [
    ['mon.', 'mon', 'allow *'],
    ['client.admin', 'mon', 'allow *', 'osd', 'allow *', 'mgr', 'allow *'],
    ['client.rgw', 'mon', 'allow rwx', 'osd', 'allow rwx'],
    ['osd.0', 'mon', 'allow profile osd', 'osd', 'allow *'],
  ]
  for (const [index, [name = '', ...rights]] of caps.entries()) {
    const pairs = rights.flatMap((right, at) => (at % 2 === 0 ? ['--cap', right] : [right]))
    const create = index === 0 ? ['--create-keyring'] : []
    await run('ceph-authtool', [...create, keyring, '--gen-key', '-n', name, ...pairs])
  }
}

function writeConfig(
  folder: string,
  at: {
    readonly config: string
    readonly keyring: string
    readonly clusterId: string
    readonly address: string
    readonly gatewayPort: number
  },
): void {
  for (const name of ['mon', 'osd', 'log', 'run']) mkdirSync(join(folder, name))
  const section = (name: string, values: Readonly<Record<string, string | number | boolean>>): void => {
    const lines = Object.entries(values).map(([key, value]) => `${key} = ${value}`)
    appendFileSync(at.config, `[${name}]\n${lines.join('\n')}\n`)
  }
  writeFileSync(at.config, '')
  section('global', {
    fsid: at.clusterId,
    mon_host: `[${at.address}]`,
    auth_cluster_required: 'cephx',
    auth_service_required: 'cephx',
    auth_client_required: 'cephx',
    keyring: at.keyring,
    auth_allow_insecure_global_id_reclaim: false,
    public_addr: '127.0.0.1',
    cluster_addr: '127.0.0.1',
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    mon_allow_pool_size_one: true,
    mon_warn_on_pool_no_redundancy: false,
    mon_max_pg_per_osd: 1_000,
    osd_pool_default_pg_num: 4,
    osd_pool_default_pg_autoscale_mode: 'off',
    osd_crush_chooseleaf_type: 0,
    run_dir: join(folder, 'run'),
    admin_socket: join(folder, 'run/$name.asok'),
    pid_file: join(folder, 'run/$name.pid'),
    log_file: join(folder, 'log/$name.log'),
    mon_data: join(folder, 'mon'),
  })
  section('osd', {
    osd_data: join(folder, 'osd'),
    osd_objectstore: 'memstore',
    memstore_device_bytes: 2_147_483_648,
  })
  section('client', {
    // Without tcp_nodelay a small GET takes 48 ms instead of 6.
    rgw_frontends: `beast endpoint=127.0.0.1:${at.gatewayPort} tcp_nodelay=1`,
    rgw_s3_auth_use_sts: true,
    rgw_sts_key: randomUUID().replaceAll('-', '').slice(0, 16),
    rgw_thread_pool_size: 16,
    rgw_enable_usage_log: false,
    rgw_lc_debug_interval: 0,
  })
}
