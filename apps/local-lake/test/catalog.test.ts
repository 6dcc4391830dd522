// The catalog over real HTTP: what other engines meet.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asString } from '../src/catalog/json.ts'
import type { JsonObject } from '../src/catalog/json.ts'
import { createTable, openTestLake, SCHEMA } from './support/lake.ts'
import type { TestLake } from './support/lake.ts'

const BIG = 9_223_372_036_854_775_807n
const delegated = { 'x-iceberg-access-delegation': 'vended-credentials' }

function snapshotCommit(id: bigint, parent: bigint | null, sequence: number): JsonObject {
  return {
    requirements: [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': parent }],
    updates: [
      {
        action: 'add-snapshot',
        snapshot: {
          'snapshot-id': id,
          'sequence-number': sequence,
          'timestamp-ms': 1_700_000_000_000 + sequence,
          'manifest-list': 's3://lake/x/snap.avro',
          summary: { operation: 'append' },
          'schema-id': 0,
        },
      },
      { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': id },
    ],
  }
}

const errorType = (body: JsonObject): unknown => (body['error'] as JsonObject)['type']

let test: TestLake
beforeAll(async () => {
  test = await openTestLake()
  await test.call('POST', '/namespaces', { namespace: ['ns'] })
})
afterAll(async () => {
  await test[Symbol.asyncDispose]()
})

describe('access', () => {
  it('answers 401 in the error shape without the token, with a wrong one, and for every path', async () => {
    for (const [path, authorization] of [
      ['v1/config', ''],
      ['v1/config', 'Bearer wrong'],
      ['v1/demo/namespaces', `Basic ${test.lake.token}`],
      ['nowhere', ''],
    ] as const) {
      const response = await fetch(test.lake.restEndpoint + path, { headers: { authorization } })
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ error: { type: 'NotAuthorizedException', code: 401 } })
    }
  })

  it('names a prefix that clients must honour', async () => {
    const headers = { authorization: `Bearer ${test.lake.token}` }
    const config = await fetch(`${test.lake.restEndpoint}v1/config?warehouse=demo`, { headers })
    expect(await config.json()).toMatchObject({ overrides: { prefix: 'demo' } })
    expect((await fetch(`${test.lake.restEndpoint}v1/namespaces`, { headers })).status).toBe(404)
    const other = await fetch(`${test.lake.restEndpoint}v1/config?warehouse=other`, { headers })
    expect([other.status, errorType((await other.json()) as JsonObject)]).toEqual([
      404,
      'NoSuchWarehouseException',
    ])
  })

  it.each([
    ['GET', '/namespaces/ns/views', undefined, 406, 'UnsupportedOperationException'],
    ['POST', '/transactions/commit', {}, 406, 'UnsupportedOperationException'],
    ['GET', '/namespaces/none', undefined, 404, 'NoSuchNamespaceException'],
    ['GET', '/namespaces/ns/tables/none', undefined, 404, 'NoSuchTableException'],
    ['GET', '/namespaces/ns%1F../tables', undefined, 400, 'BadRequestException'],
    ['GET', '/namespaces/%ZZ', undefined, 400, 'BadRequestException'],
    ['POST', '/namespaces', { namespace: [] }, 400, 'BadRequestException'],
    ['POST', '/namespaces/ns/tables', { name: 'a', schema: 1 }, 400, 'BadRequestException'],
    ['POST', '/namespaces/ns/tables', { name: '..', schema: SCHEMA }, 400, 'BadRequestException'],
    [
      'POST',
      '/namespaces/ns/tables',
      { name: 'o', schema: SCHEMA, location: 's3://lake/../x' },
      400,
      'BadRequestException',
    ],
    [
      'POST',
      '/namespaces/ns/tables',
      { name: 'o', schema: SCHEMA, location: 'file:///etc' },
      400,
      'BadRequestException',
    ],
    ['GET', '/namespaces?pageToken=x', undefined, 400, 'BadRequestException'],
  ])('%s %s is a clear error', async (method, path, body, status, type) => {
    const answer = await test.call(method, path, body)
    expect([answer.status, errorType(answer.body)]).toEqual([status, type])
  })
})

describe('namespaces', () => {
  it('nests, pages, updates and drops', async () => {
    for (const namespace of [['p'], ['p', 'a b'], ['p', 'é.'], ['p', 'z']])
      expect((await test.call('POST', '/namespaces', { namespace, properties: { k: 'v' } })).status).toBe(200)
    expect((await test.call('POST', '/namespaces', { namespace: ['p'] })).status).toBe(409)
    expect((await test.call('POST', '/namespaces', { namespace: ['q', 'r'] })).status).toBe(404)
    const seen: unknown[] = []
    let token = ''
    do {
      const page = await test.call(
        'GET',
        `/namespaces?parent=p&pageSize=2&pageToken=${encodeURIComponent(token)}`,
      )
      seen.push(...(page.body['namespaces'] as unknown[]))
      token = asString(page.body['next-page-token'] ?? '', 'token')
    } while (token !== '')
    expect(seen).toEqual([
      ['p', 'a b'],
      ['p', 'z'],
      ['p', 'é.'],
    ])
    const path = `/namespaces/p%1F${encodeURIComponent('é.')}`
    expect((await test.call('HEAD', path)).status).toBe(204)
    const updated = await test.call('POST', `${path}/properties`, {
      removals: ['k', 'x'],
      updates: { n: '1' },
    })
    expect(updated.body).toEqual({ updated: ['n'], removed: ['k'], missing: ['x'] })
    expect((await test.call('GET', path)).body).toEqual({ namespace: ['p', 'é.'], properties: { n: '1' } })
    expect((await test.call('DELETE', '/namespaces/p')).status).toBe(409)
    expect((await test.call('DELETE', path)).status).toBe(204)
    expect((await test.call('HEAD', path)).status).toBe(404)
  })
})

describe('tables', () => {
  it('keeps 64-bit ids digit by digit', async () => {
    await createTable(test, 'ids')
    const commit = snapshotCommit(BIG, null, 1)
    const committed = await test.call('POST', '/namespaces/ns/tables/ids', commit)
    expect(committed.status).toBe(200)
    const loaded = await test.call('GET', '/namespaces/ns/tables/ids')
    expect(loaded.text).toContain(`"current-snapshot-id":${BIG}`)
    const wrong = await test.call('POST', '/namespaces/ns/tables/ids', snapshotCommit(5n, BIG - 1n, 2))
    expect([wrong.status, errorType(wrong.body)]).toEqual([409, 'CommitFailedException'])
    expect((await test.call('POST', '/namespaces/ns/tables/ids', snapshotCommit(5n, BIG, 2))).status).toBe(
      200,
    )
  })

  it('lets one of two concurrent commits win, and answers 409 to the other', async () => {
    await createTable(test, 'race')
    const commits = [11n, 12n, 13n].map((id) =>
      test.call('POST', '/namespaces/ns/tables/race', snapshotCommit(id, null, 1)),
    )
    const statuses = (await Promise.all(commits)).map(({ status }) => status)
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 409, 409])
    const { body } = await test.call('GET', '/namespaces/ns/tables/race')
    expect((body['metadata'] as { snapshots: unknown[] }).snapshots).toHaveLength(1)
  })

  it('answers 304 until the metadata changes, and not across snapshot modes', async () => {
    await createTable(test, 'etag')
    const path = '/namespaces/ns/tables/etag'
    const etag = (await test.call('GET', path)).headers.get('etag') ?? ''
    expect((await test.call('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304)
    expect(
      (await test.call('GET', `${path}?snapshots=refs`, undefined, { 'if-none-match': etag })).status,
    ).toBe(200)
    await test.call('POST', path, {
      requirements: [],
      updates: [{ action: 'set-properties', updates: { a: 'b' } }],
    })
    expect((await test.call('GET', path, undefined, { 'if-none-match': etag })).status).toBe(200)
  })

  it('leaves out unreferenced snapshots when asked for refs', async () => {
    await createTable(test, 'refs')
    await test.call('POST', '/namespaces/ns/tables/refs', snapshotCommit(BIG, null, 1))
    await test.call('POST', '/namespaces/ns/tables/refs', snapshotCommit(7n, BIG, 2))
    const { text } = await test.call('GET', '/namespaces/ns/tables/refs?snapshots=refs')
    expect(text).toContain('"snapshots":[{"snapshot-id":7,')
  })

  it('vends credentials only on request, and on the credentials route', async () => {
    const { prefix } = await createTable(test, 'vend')
    const plain = await test.call('GET', '/namespaces/ns/tables/vend')
    expect(plain.text).not.toContain('secret-access-key')
    expect(plain.body['config']).toEqual({
      's3.endpoint': test.lake.s3Endpoint,
      'client.region': 'us-east-1',
      's3.path-style-access': 'true',
    })
    const asked = await test.call('GET', '/namespaces/ns/tables/vend', undefined, delegated)
    expect(asked.body['storage-credentials']).toMatchObject([{ prefix: `s3://lake/${prefix}` }])
    const renewed = await test.call('GET', '/namespaces/ns/tables/vend/credentials')
    expect(renewed.body['storage-credentials']).toHaveLength(1)
  })

  it('stages a table and creates it by a commit with assert-create, once', async () => {
    const staged = await test.call('POST', '/namespaces/ns/tables', {
      name: 'st',
      schema: SCHEMA,
      'stage-create': true,
    })
    expect(staged.body['metadata-location']).toBeUndefined()
    expect((await test.call('HEAD', '/namespaces/ns/tables/st')).status).toBe(404)
    const metadata = staged.body['metadata'] as JsonObject
    const commit = {
      requirements: [{ type: 'assert-create' }],
      updates: [
        { action: 'assign-uuid', uuid: metadata['table-uuid'] },
        { action: 'set-location', location: metadata['location'] },
        { action: 'add-schema', schema: SCHEMA },
        { action: 'set-current-schema', 'schema-id': -1 },
        { action: 'add-spec', spec: { fields: [] } },
        { action: 'set-default-spec', 'spec-id': -1 },
        { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
        { action: 'set-default-sort-order', 'sort-order-id': -1 },
      ],
    }
    expect((await test.call('POST', '/namespaces/ns/tables/st', commit)).status).toBe(200)
    expect((await test.call('POST', '/namespaces/ns/tables/st', commit)).status).toBe(409)
  })

  it('lists in pages, renames, registers and drops', async () => {
    await test.call('POST', '/namespaces', { namespace: ['list'] })
    for (const name of ['b', 'a', 'c/d'])
      expect((await test.call('POST', '/namespaces/list/tables', { name, schema: SCHEMA })).status).toBe(200)
    const page = await test.call('GET', '/namespaces/list/tables?pageToken=&pageSize=2')
    expect(page.body['identifiers']).toMatchObject([{ name: 'a' }, { name: 'b' }])
    const next = await test.call(
      'GET',
      `/namespaces/list/tables?pageToken=${asString(page.body['next-page-token'], 'token')}`,
    )
    expect(next.body).toEqual({
      identifiers: [{ namespace: ['list'], name: 'c/d' }],
      'next-page-token': null,
    })
    const [source, destination] = ['c/d', 'e'].map((name) => ({ namespace: ['list'], name }))
    expect((await test.call('POST', '/tables/rename', { source, destination })).status).toBe(204)
    expect((await test.call('POST', '/tables/rename', { source, destination })).status).toBe(404)
    const clash = { source: destination, destination: { namespace: ['list'], name: 'a' } }
    expect((await test.call('POST', '/tables/rename', clash)).status).toBe(409)
    const { body } = await test.call('GET', '/namespaces/list/tables/e')
    const register = { name: 'f', 'metadata-location': body['metadata-location'] }
    expect((await test.call('POST', '/namespaces/list/register', register)).status).toBe(200)
    expect((await test.call('POST', '/namespaces/list/register', register)).status).toBe(409)
    const missing = { name: 'g', 'metadata-location': 's3://lake/none.metadata.json' }
    expect((await test.call('POST', '/namespaces/list/register', missing)).status).toBe(400)
    // The files are shared with the registered table, so the purge must leave them.
    expect((await test.call('DELETE', '/namespaces/list/tables/e?purgeRequested=true')).status).toBe(204)
    expect((await test.call('GET', '/namespaces/list/tables/f')).status).toBe(200)
    expect((await test.call('POST', '/namespaces/list/tables/f/metrics', {})).status).toBe(204)
  })
})

it('keeps namespaces, tables and the token over a restart', async () => {
  const { dataFolder } = test
  await createTable(test, 'kept')
  const before = await test.call('GET', '/namespaces/ns/tables/kept')
  await using again = await openTestLake({ dataFolder })
  expect(again.lake.token).toBe(test.lake.token)
  expect((await again.call('GET', '/namespaces/ns/tables/kept')).body['metadata']).toEqual(
    before.body['metadata'],
  )
})
