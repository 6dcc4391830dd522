// `npm run test:interop`: other implementations against the workbench. Opt-in: needs Java, Maven, Python and the network,
// and Ceph where it is there (docs/testing.md). pyiceberg writes to the local lake, and through Apache Iceberg's own REST
// catalog and Project Nessie's to a real S3 server; every step is read back. Says what was skipped and why. Ends what it
// started. `npm run test:interop -- Nessie` runs the parts with that word in their names.
import { lakeEnvironment, type LakeReady } from './programs.ts'
import { say, show, hasCommand, pythonWith } from './interop/commands.ts'
import { startCeph, whyNoCeph } from './interop/ceph.ts'
import { NESSIE_PACKAGES, startNessie, whyNoNessie } from './interop/nessie.ts'
import { PYICEBERG_PACKAGES, writeAndReadBack } from './interop/pyiceberg.ts'
import { startJavaCatalog, whyNoJavaCatalog, type JavaCatalog } from './interop/rest-catalog.ts'
import { assumeRole, createBucket } from '../apps/server/test/support/s3-admin.ts'
import type { S3Keys } from '../apps/server/test/contracts/s3-contract.ts'
import { startTestLake, startTestStack } from '../apps/server/test/support/test-stack.ts'

const NAMESPACE = 'interop'
const REGION = 'us-east-1'
const failures: string[] = []
const only = process.argv[2] ?? ''

async function part(name: string, skipReason: string | undefined, work: () => Promise<void>): Promise<void> {
  if (!name.includes(only)) return
  say(`\n${name}`)
  if (skipReason !== undefined) {
    say(`skipped: ${skipReason}`)
    return
  }
  try {
    await work()
  } catch (error) {
    failures.push(name)
    say(`FAILED: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const noPython = hasCommand('python3') ? undefined : 'python3 not found'
const python = noPython === undefined ? await pythonWith([...PYICEBERG_PACKAGES, ...NESSIE_PACKAGES]) : ''

await part('pyiceberg writes to the local lake', noPython, async () => {
  await using lake = await startTestLake(['--no-demo'])
  const { restEndpoint: uri, warehouse, token } = lake.ready
  await writeAndReadBack(
    python,
    { properties: { uri, warehouse, token }, namespace: NAMESPACE, history: 'all' },
    async () => {
      const env = { LAKE_ICEBERG_NAMESPACES: NAMESPACE }
      return new Map([['vended credentials', await startTestStack(lake, env)]])
    },
  )
})

interface Store extends AsyncDisposable {
  readonly endpoint: string
  readonly warehouse: string
  readonly keys: S3Keys
}

async function startStore(): Promise<Store> {
  const reason = whyNoCeph()
  if (reason === undefined) {
    const ceph = await startCeph()
    await createBucket(ceph, 'workbench')
    say(`over ${ceph.name}, with keys of a session`)
    const keys = await assumeRole(ceph, ceph.roleArn)
    const dispose = async (): Promise<void> => await ceph[Symbol.asyncDispose]()
    return { endpoint: ceph.endpoint, warehouse: 's3://workbench/wh', keys, [Symbol.asyncDispose]: dispose }
  }
  say(`over the local lake’s store, not a real one: ${reason}`)
  const keys = { accessKeyId: 'ROOT', secretAccessKey: 'root-secret' }
  const lake = await startTestLake(['--no-demo', '--s3-access-key', 'ROOT', '--s3-secret-key', 'root-secret'])
  const dispose = async (): Promise<void> => await lake[Symbol.asyncDispose]()
  return { endpoint: lake.ready.s3Endpoint, warehouse: 's3://lake/wh', keys, [Symbol.asyncDispose]: dispose }
}

/** A server on one of the catalog's addresses. */
async function startOn(restEndpoint: string, env: Readonly<Record<string, string>>) {
  const ready: LakeReady = {
    restEndpoint,
    s3Endpoint: '',
    warehouse: 'interop',
    namespaces: [NAMESPACE],
    token: '',
  }
  const { LAKE_ICEBERG_REST_TOKEN: _none, ...catalog } = lakeEnvironment(ready)
  return await startTestStack({ ready }, { ...catalog, LAKE_ICEBERG_REST_TOKEN: '', ...env })
}

async function readThrough(catalog: JavaCatalog, store: Store): Promise<void> {
  const properties = {
    uri: catalog.bare,
    's3.endpoint': store.endpoint,
    's3.region': REGION,
    's3.access-key-id': store.keys.accessKeyId,
    's3.secret-access-key': store.keys.secretAccessKey,
    ...(store.keys.sessionToken === undefined ? {} : { 's3.session-token': store.keys.sessionToken }),
  }
  await writeAndReadBack(python, { properties, namespace: NAMESPACE, history: 'all' }, async () => {
    const override = {
      LAKE_ICEBERG_S3_ENDPOINT: store.endpoint,
      LAKE_ICEBERG_S3_REGION: REGION,
      LAKE_ICEBERG_S3_PATH_STYLE: 'true',
    }
    return new Map([
      ['the catalog says where the store is', await startOn(catalog.addressed, {})],
      ['the S3 override says it', await startOn(catalog.bare, override)],
    ])
  })
}

/** A name that the catalog has as a view is refused as one. */
async function refuseView({ addressed }: JavaCatalog): Promise<void> {
  const view = {
    name: 'a_view',
    schema: { type: 'struct', 'schema-id': 0, fields: [{ id: 1, name: 'x', required: false, type: 'int' }] },
    'view-version': {
      'version-id': 1,
      'schema-id': 0,
      'timestamp-ms': Date.now(),
      summary: {},
      representations: [{ type: 'sql', sql: 'SELECT 1 AS x', dialect: 'spark' }],
      'default-namespace': [NAMESPACE],
    },
    properties: {},
  }
  const headers = { 'content-type': 'application/json' }
  const url = `${addressed}v1/namespaces/${NAMESPACE}/views`
  const created = await fetch(url, { method: 'POST', headers, body: JSON.stringify(view) })
  if (!created.ok) throw new Error(`no view could be made: HTTP ${created.status} ${await created.text()}`)
  await using stack = await startOn(addressed, {})
  const outcome = await stack.client.outcome(`SELECT * FROM iceberg.${NAMESPACE}.a_view`)
  say(`a view: ${outcome}`)
  if (outcome !== 'TABLE_UNSUPPORTED') throw new Error('a view is not refused as one')
}

async function holdContract(endpoint: string): Promise<void> {
  say('the contract of catalogs:')
  const isRight = await show(
    'npm',
    [
      'run',
      '--silent',
      'unit',
      '--',
      '--project',
      'server',
      'catalog-contract',
      '-t',
      'LAKE_TEST_REST_ENDPOINT',
    ],
    {
      LAKE_TEST_REST_ENDPOINT: endpoint,
      LAKE_TEST_REST_WAREHOUSE: 'interop',
      LAKE_TEST_REST_NAMESPACE: NAMESPACE,
      LAKE_TEST_REST_TABLE: 't',
    },
  )
  if (!isRight) throw new Error('the contract does not hold')
}

await part(
  'Apache Iceberg’s REST catalog over S3, written by pyiceberg',
  noPython ?? whyNoJavaCatalog(),
  async () => {
    await using store = await startStore()
    await using catalog = await startJavaCatalog(store)
    await readThrough(catalog, store)
    await refuseView(catalog)
    await holdContract(catalog.bare)
  },
)

await part(
  'Project Nessie over S3, written by pyiceberg',
  noPython ?? whyNoNessie() ?? whyNoCeph(),
  async () => {
    await using ceph = await startCeph()
    await createBucket(ceph, 'workbench')
    const { endpoint, keys, roleArn } = ceph
    await using nessie = await startNessie(python, {
      endpoint,
      keys,
      roleArn,
      warehouse: 's3://workbench/wh',
    })
    const properties = { uri: nessie.endpoint, warehouse: 'interop', 's3.region': REGION }
    // The history of a table is Nessie's own: its metadata has the current snapshot alone.
    const of = { properties, namespace: NAMESPACE, history: 'current' } as const
    await writeAndReadBack(python, of, async () => {
      const signing = { LAKE_ICEBERG_STORAGE_ACCESS: 'remote-signing' }
      return new Map([
        ['credentials of a session that it vends', await startOn(nessie.endpoint, {})],
        ['requests that it signs', await startOn(nessie.endpoint, signing)],
      ])
    })
  },
)

say(failures.length === 0 ? '\nall of it holds' : `\nfailed: ${failures.join('; ')}`)
process.exitCode = failures.length === 0 ? 0 : 1
