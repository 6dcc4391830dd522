// What the client promises over any catalog of the protocol, whatever its habits. One suite, run against stubs that have the
// habits of catalogs in the field, the local lake, and any catalog that LAKE_TEST_REST_… names.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentSnapshot } from '@lake/core/iceberg/snapshot.ts'
import { createRestCatalog, type RestCatalog } from '../../src/catalog/rest-catalog.ts'
import { createSecretResolver } from '../../src/catalog/secrets.ts'
import { systemClock } from '../../src/concurrency/clock.ts'
import { readConfig } from '../../src/config.ts'

export interface CatalogUnderTest extends AsyncDisposable {
  /** LAKE_ICEBERG_… as a deployment would set them. */
  readonly environment: Readonly<Record<string, string>>
  /** One that is there and has `table`, which has a snapshot. */
  readonly namespace: readonly string[]
  readonly table: string
}

const NEVER = new AbortController().signal
/** Names that encoding must carry as one segment. Catalogs may refuse them, but not read them as other names. */
const ODD_NAMES = ['a b', 'a+b', 'é', '100%', 'a/b', "it's(1)!*", 'a?b#c', '%2e%2e', 'a\tb', '日本']

/** @param start is called once; the suite disposes of what it gives */
export function describeCatalog(
  name: string,
  start: () => Promise<CatalogUnderTest>,
  options: { readonly skip?: boolean } = {},
): void {
  describe.skipIf(options.skip === true)(`[RC17] ${name}`, () => {
    let subject: CatalogUnderTest
    let catalog: RestCatalog
    beforeAll(async () => {
      subject = await start()
      const { iceberg: config } = readConfig({ ...subject.environment })
      if (!config) throw new Error('the catalog under test is not configured')
      const ignore = (): void => undefined
      const resolver = createSecretResolver({})
      const readMetadataFile = () => Promise.reject(new Error('no file is read by this suite'))
      catalog = createRestCatalog({
        config,
        resolver,
        clock: systemClock,
        readMetadataFile,
        onCall: ignore,
        onRenewal: ignore,
      })
    }, 120_000)
    afterAll(async () => {
      await catalog?.[Symbol.asyncDispose]()
      await subject?.[Symbol.asyncDispose]()
    })
    const ident = () => ({ namespace: subject.namespace, table: subject.table })
    const elsewhere = () => [...subject.namespace.slice(0, -1), 'no_such_namespace_here']

    it('tells whether a namespace is there', async () => {
      expect(await catalog.hasNamespace(subject.namespace, NEVER)).toBe(true)
      expect(await catalog.hasNamespace(elsewhere(), NEVER)).toBe(false)
    })

    it('lists every table once, in order', async () => {
      const { tables, isTruncated } = await catalog.listTables(subject.namespace, NEVER)
      expect(tables).toContain(subject.table)
      expect(tables).toEqual([...new Set(tables)].sort((a, b) => (a < b ? -1 : 1)))
      expect(isTruncated).toBe(false)
    })

    it('loads a table, of which refs and all snapshots tell the same', async () => {
      const all = await catalog.loadTable(ident(), NEVER)
      const refs = await catalog.refreshTable(ident(), { snapshots: 'refs', known: undefined }, NEVER)
      expect(currentSnapshot(all.metadata)).toBeDefined()
      expect(currentSnapshot(refs.metadata)).toEqual(currentSnapshot(all.metadata))
      expect(refs.metadata.tableUuid).toBe(all.metadata.tableUuid)
      expect(refs.metadata.schemas).toEqual(all.metadata.schemas)
      const ids = new Set(all.metadata.snapshots.map(({ snapshotId }) => snapshotId))
      expect(refs.metadata.snapshots.every(({ snapshotId }) => ids.has(snapshotId))).toBe(true)
    })

    it.each(['refs', 'all'] as const)(
      'refreshes a table loaded with %s, and finds the same',
      async (snapshots) => {
        const known = await catalog.refreshTable(ident(), { snapshots, known: undefined }, NEVER)
        const again = await catalog.refreshTable(ident(), { snapshots, known }, NEVER)
        expect(again.metadata).toEqual(known.metadata)
        expect(again.loadedAtMs).toBeGreaterThanOrEqual(known.loadedAtMs)
      },
    )

    it('loads all snapshots before one is missing', async () => {
      const table = await catalog.loadTableAt(ident(), [1n], NEVER)
      expect(table.snapshotsLoaded).toBe('all')
      expect(table.metadata.snapshots.map(({ snapshotId }) => snapshotId)).not.toContain(1n)
    })

    it('says that a table or a namespace is not there', async () => {
      const missing = { ...ident(), table: 'no_such_table_here' }
      await expect(catalog.loadTable(missing, NEVER)).rejects.toMatchObject({ code: 'NO_SUCH_TABLE' })
      await expect(catalog.listTables(elsewhere(), NEVER)).rejects.toMatchObject({
        code: 'NO_SUCH_NAMESPACE',
      })
    })

    it.each(ODD_NAMES)('carries the name %j without finding another table', async (table) => {
      const codes = [
        'NO_SUCH_TABLE',
        'CATALOG_REFUSED',
        'CATALOG_UNAVAILABLE',
        'CATALOG_PERMISSION_DENIED',
        'INVALID_REQUEST',
      ]
      const code = await catalog.loadTable({ ...ident(), table }, NEVER).then(
        () => 'found',
        (error: { code: string }) => error.code,
      )
      expect(codes).toContain(code)
    })

    it.each(['..', '.', ''])('refuses the name %j, which would be another path', async (name) => {
      for (const odd of [
        { ...ident(), table: name },
        { ...ident(), namespace: [name] },
      ])
        await expect(catalog.loadTable(odd, NEVER)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    })

    it('answers many at once, each what it asked', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 32 }, async (_, index) => {
          const table = index % 2 === 0 ? subject.table : `no_such_table_${index}`
          return await catalog.loadTable({ ...ident(), table }, NEVER).then(
            (loaded) => loaded.ident.table,
            (error: { code: string }) => error.code,
          )
        }),
      )
      expect(outcomes).toEqual(
        outcomes.map((_, index) => (index % 2 === 0 ? subject.table : 'NO_SUCH_TABLE')),
      )
    })

    it('ends with its caller', async () => {
      const caller = new AbortController()
      const call = catalog.loadTable(ident(), caller.signal)
      caller.abort()
      await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
    })
  })
}
