import { afterEach, describe, expect, it } from 'vitest'
import { startStubCatalog, tableBody } from '../../test/support/stub-catalog.ts'
import type { StubAnswer, StubRequest } from '../../test/support/stub-http.ts'
import { LIMITS } from '../limits.ts'
import type { LoadedTable, SnapshotsLoaded } from './rest-catalog.ts'

const NEVER = new AbortController().signal
const IDENT = { namespace: ['ns'], table: 't' }
const CURRENT = 7_505_300_640_432_048_841n
const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of opened.splice(0)) await part[Symbol.asyncDispose]()
})

const credentials = (endsAtMs?: number): string => {
  const end = endsAtMs === undefined ? '' : `,"s3.session-token-expires-at-ms":"${endsAtMs}"`
  return `,"storage-credentials":[{"prefix":"s3://b/t","config":{"s3.access-key-id":"k"${end}}}]`
}

/** A catalog whose table has the tag `"1"` and answers conditions on it. */
async function setUp(more = '', answer?: (request: StubRequest) => StubAnswer | undefined) {
  const started = await startStubCatalog(
    (request) =>
      answer?.(request) ??
      (request.headers['if-none-match'] === 'W/"1"'
        ? { status: 304, body: '' }
        : { body: tableBody(more), headers: { etag: 'W/"1"' } }),
  )
  opened.push(started)
  const refresh = async (known?: LoadedTable, snapshots: SnapshotsLoaded = 'refs') =>
    await started.catalog.refreshTable(IDENT, { snapshots, known }, NEVER)
  const tags = (): unknown[] => started.stub.requests.slice(1).map(({ headers }) => headers['if-none-match'])
  return { ...started, refresh, tags }
}

describe('[RC13] a refresh', () => {
  it('keeps what the catalog confirms, with the age of the confirmation and of the credentials', async () => {
    const { refresh, clock, tags } = await setUp()
    const first = await refresh()
    clock.advance(10_000)
    const second = await refresh(first)
    expect(tags()).toEqual([undefined, 'W/"1"'])
    expect(second).toMatchObject({ loadedAtMs: first.loadedAtMs + 10_000, receivedAtMs: first.receivedAtMs })
    expect(second.metadata).toBe(first.metadata)
  })

  it('asks for the whole table once more after five minutes, whatever was confirmed', async () => {
    const { refresh, clock, tags } = await setUp()
    let table = await refresh()
    clock.advance(LIMITS.tableRevalidatedForMs - 1)
    table = await refresh(table)
    clock.advance(1)
    table = await refresh(table)
    expect(tags()).toEqual([undefined, 'W/"1"', undefined])
    expect(table.receivedAtMs).toBe(table.loadedAtMs)
  })

  it('does not let a confirmation prolong credentials that end within the margin of their renewal', async () => {
    const base = 1_700_000_000_000
    const { refresh, clock, tags } = await setUp(
      credentials(base + LIMITS.storageCredentialsMarginMs + 1_000),
    )
    clock.advance(base - clock.nowMs())
    let table = await refresh()
    clock.advance(999)
    table = await refresh(table)
    clock.advance(1)
    await refresh(table)
    expect(tags()).toEqual([undefined, 'W/"1"', undefined])
  })

  it('is unconditional where the catalog sends no tag, and takes an unasked 304 for a failure', async () => {
    const bare = await setUp('', () => ({ body: tableBody() }))
    await bare.refresh(await bare.refresh())
    expect(bare.tags()).toEqual([undefined, undefined])
    const odd = await setUp('', () => ({ status: 304, body: '' }))
    await expect(odd.refresh()).rejects.toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
  })
})

describe('[RC14] a load at snapshots', () => {
  it('asks for those of refs, and for all where one is not among them', async () => {
    const { catalog, stub } = await setUp()
    const asked = (): (string | null)[] => stub.requests.slice(1).map(({ query }) => query.get('snapshots'))
    expect((await catalog.loadTableAt(IDENT, [CURRENT], NEVER)).snapshotsLoaded).toBe('refs')
    expect(asked()).toEqual(['refs'])
    expect((await catalog.loadTableAt(IDENT, [CURRENT, 5n], NEVER)).snapshotsLoaded).toBe('all')
    expect(asked()).toEqual(['refs', 'refs', 'all'])
  })

  it('asks for all where the current snapshot is left out, and never conditionally', async () => {
    const { catalog, stub, tags } = await setUp('', ({ query }) =>
      query.get('snapshots') === 'refs'
        ? { body: tableBody().replace(/"snapshots":\[.*\]\}/, '"snapshots":[]}'), headers: { etag: 'W/"1"' } }
        : undefined,
    )
    const table = await catalog.loadTableAt(IDENT, [], NEVER)
    expect(table.metadata.snapshots.map(({ snapshotId }) => snapshotId)).toEqual([CURRENT])
    expect(stub.requests.map(({ query }) => query.get('snapshots'))).toEqual([null, 'refs', 'all'])
    expect(tags()).toEqual([undefined, undefined])
  })
})
