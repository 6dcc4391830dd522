import { describe, expect, it } from 'vitest'
import { openStubs } from '../../test/support/open-stubs.ts'
import { load, tableBody } from '../../test/support/stub-catalog.ts'

const { setUp } = openStubs()

describe('[RC20] a name that is a view', () => {
  const VIEW = '/v1/{prefix}/namespaces/{namespace}/views/{view}'
  const viewPath = '/v1/namespaces/ns/views/a%20view'
  const listed = (...methods: string[]) => ({ endpoints: methods.map((method) => `${method} ${VIEW}`) })
  const legacy = { defaults: { 'view-endpoints-supported': 'true' } }

  it.each([
    ['listed with HEAD', listed('GET', 'HEAD'), { HEAD: 204 }, ['HEAD'], 'TABLE_UNSUPPORTED'],
    [
      'listed with a HEAD that is not served',
      listed('GET', 'HEAD'),
      { HEAD: 405, GET: 200 },
      ['HEAD', 'GET'],
      'TABLE_UNSUPPORTED',
    ],
    ['listed without HEAD', listed('GET'), { GET: 200 }, ['GET'], 'TABLE_UNSUPPORTED'],
    ['in a catalog from before lists', legacy, { GET: 200 }, ['GET'], 'TABLE_UNSUPPORTED'],
    ['in a catalog that lists others', listed('POST'), { GET: 200 }, [], 'NO_SUCH_TABLE'],
    ['in a catalog that lists nothing', {}, { GET: 200 }, [], 'NO_SUCH_TABLE'],
    ['or is not', listed('GET'), { GET: 404 }, ['GET'], 'NO_SUCH_TABLE'],
    ['or is hidden', listed('GET'), { GET: 403 }, ['GET'], 'NO_SUCH_TABLE'],
    ['or may be', listed('GET'), { GET: 500 }, ['GET'], 'NO_SUCH_TABLE'],
  ])('%s', async (_how, config, statuses: Record<string, number>, methods, code) => {
    const { catalog, stub } = await setUp(
      ({ path, method }) =>
        path === viewPath ? { status: statuses[method] ?? 405, body: '' } : { status: 404, body: '' },
      { config },
    )
    await expect(load(catalog, ['ns'], 'a view')).rejects.toMatchObject({
      code,
      ...(code === 'TABLE_UNSUPPORTED' ? { details: { feature: 'view', table: 'ns.a view' } } : {}),
    })
    const asked = stub.requests.filter(({ path }) => path === viewPath)
    expect(asked.map(({ method }) => method)).toEqual(methods)
  })

  it('or is never told: the table is missing all the same, unless the caller has gone', async () => {
    const caller = new AbortController()
    const { catalog } = await setUp(
      ({ path }, response) => {
        if (path !== viewPath) return { status: 404, body: '' }
        response.socket?.resetAndDestroy()
        return undefined
      },
      { config: listed('GET') },
    )
    await expect(load(catalog, ['ns'], 'a view')).rejects.toMatchObject({ code: 'NO_SUCH_TABLE' })
    const silent = await setUp(
      ({ path }) => {
        if (path !== viewPath) return { status: 404, body: '' }
        caller.abort()
        return undefined
      },
      { config: listed('GET') },
    )
    const asking = silent.catalog.loadTable({ namespace: ['ns'], table: 'a view' }, caller.signal)
    await expect(asking).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('costs a table nothing', async () => {
    const { catalog, stub } = await setUp(() => ({ body: tableBody() }), { config: listed('GET', 'HEAD') })
    await load(catalog)
    expect(stub.requests.map(({ path }) => path)).toEqual(['/v1/config', '/v1/namespaces/ns/tables/t'])
  })
})
