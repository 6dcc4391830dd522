// The catalog itself, without HTTP: namespaces, tables and commits. A commit writes a new metadata file and then moves
// the table's pointer by compare-and-set, so of two commits prepared against the same metadata one fails with 409. The
// metadata is kept and handed out as the text of its file, so no number in it is ever rewritten.
import { randomUUID } from 'node:crypto'
import { LIMITS } from '../limits.ts'
import type { ObjectFiles } from '../s3/object-files.ts'
import { S3Error } from '../s3/s3-error.ts'
import { joinNamespace, locationSegment } from './names.ts'
import type { CatalogDatabase, TableRow } from './catalog-database.ts'
import { LEVEL_SEPARATOR } from './catalog-database.ts'
import { CatalogError } from './catalog-error.ts'
import { asInt, asObject, asObjects, asString, asStringMap, formatJson, parseJson } from './json.ts'
import type { JsonObject } from './json.ts'
import { assertsCreate, checkRequirements } from './table-requirements.ts'
import { applyUpdates, blankMetadata } from './table-updates.ts'

/** The bucket that holds every table made here. */
export const LAKE_BUCKET = 'lake'

export interface LoadedTable {
  /** undefined for a table that is staged, not yet created. */
  readonly metadataLocation: string | undefined
  /** The metadata file as it is. */
  readonly metadataText: string
  /** `s3://bucket/prefix/` of everything the table's readers need, with a slash at the end. */
  readonly storagePrefixes: readonly string[]
  readonly isWritable: boolean
  readonly config: Readonly<Record<string, string>>
}

export interface Commit {
  readonly requirements: readonly JsonObject[]
  readonly updates: readonly JsonObject[]
}

export class Catalog {
  readonly #db: CatalogDatabase
  readonly #objects: ObjectFiles
  readonly #clock: () => number

  constructor(db: CatalogDatabase, objects: ObjectFiles, clock: () => number) {
    this.#db = db
    this.#objects = objects
    this.#clock = clock
  }

  /** Direct children of a namespace, or the top level, sorted. @throws CatalogError 404 */
  listNamespaces(parent: readonly string[]): string[][] {
    if (parent.length > 0) this.namespaceProperties(parent)
    return this.#db
      .namespaces()
      .map((joined) => joined.split(LEVEL_SEPARATOR))
      .filter(
        (levels) => levels.length === parent.length + 1 && parent.every((level, i) => levels[i] === level),
      )
  }

  /** @throws CatalogError 404 */
  namespaceProperties(namespace: readonly string[]): Record<string, string> {
    const text = this.#db.namespaceProperties(joinNamespace(namespace))
    if (text === undefined) throw CatalogError.noSuchNamespace(namespace)
    return asStringMap(parseJson(text), 'properties')
  }

  /** @throws CatalogError 409 when it exists, 404 when its parent does not */
  createNamespace(namespace: readonly string[], properties: Record<string, string>): void {
    if (namespace.length > 1) this.namespaceProperties(namespace.slice(0, -1))
    if (!this.#db.insertNamespace(joinNamespace(namespace), formatJson(properties)))
      throw CatalogError.alreadyExists(`Namespace already exists: ${namespace.join('.')}`)
  }

  /** Answers which keys were changed, removed and not there, as the protocol wants it. */
  updateNamespace(
    namespace: readonly string[],
    removals: readonly string[],
    updates: Readonly<Record<string, string>>,
  ): { updated: string[]; removed: string[]; missing: string[] } {
    const properties = this.namespaceProperties(namespace)
    const both = removals.find((key) => Object.hasOwn(updates, key))
    if (both !== undefined)
      throw new CatalogError(422, 'UnprocessableEntityException', `Both removed and updated: ${both}`)
    const isRemoved = (key: string): boolean => removals.includes(key)
    const kept = Object.entries(properties).filter(([key]) => !isRemoved(key))
    this.#db.updateNamespace(
      joinNamespace(namespace),
      formatJson({ ...Object.fromEntries(kept), ...updates }),
    )
    return {
      updated: Object.keys(updates),
      removed: removals.filter((key) => Object.hasOwn(properties, key)),
      missing: removals.filter((key) => !Object.hasOwn(properties, key)),
    }
  }

  /** @throws CatalogError 404, 409 when it is not empty */
  dropNamespace(namespace: readonly string[]): void {
    const children = this.listNamespaces(namespace)
    this.namespaceProperties(namespace)
    if (children.length > 0 || this.#db.tables(joinNamespace(namespace)).length > 0)
      throw new CatalogError(
        409,
        'NamespaceNotEmptyException',
        `Namespace is not empty: ${namespace.join('.')}`,
      )
    this.#db.deleteNamespace(joinNamespace(namespace))
  }

  /** Names of the tables of a namespace, sorted. @throws CatalogError 404 */
  listTables(namespace: readonly string[]): string[] {
    this.namespaceProperties(namespace)
    return this.#db.tables(joinNamespace(namespace)).map((row) => row.name)
  }

  /** @throws CatalogError 404 for the namespace or the table */
  requireTable(namespace: readonly string[], name: string): TableRow {
    this.namespaceProperties(namespace)
    const row = this.#db.table(joinNamespace(namespace), name)
    if (row === undefined) throw CatalogError.noSuchTable(namespace, name)
    return row
  }

  async loadTable(namespace: readonly string[], name: string): Promise<LoadedTable> {
    const row = this.requireTable(namespace, name)
    return loaded(row.metadataLocation, await this.#readMetadata(row.metadataLocation), row.location)
  }

  /** Creates a table from the body of a create request, or only stages it. */
  async createTable(
    namespace: readonly string[],
    name: string,
    request: JsonObject,
    nowMs = this.#clock(),
  ): Promise<LoadedTable> {
    this.namespaceProperties(namespace)
    if (this.#db.table(joinNamespace(namespace), name) !== undefined)
      throw CatalogError.alreadyExists(`Table already exists: ${[...namespace, name].join('.')}`)
    const { 'format-version': version, ...properties } = asStringMap(request['properties'], 'properties')
    const given = request['location']
    const location =
      given === undefined || given === null ? newLocation(namespace, name) : asString(given, 'location')
    const updates: JsonObject[] = [
      { action: 'assign-uuid', uuid: randomUUID() },
      { action: 'upgrade-format-version', 'format-version': Number(version ?? '2') },
      { action: 'set-location', location },
      { action: 'add-schema', schema: request['schema'] },
      { action: 'set-current-schema', 'schema-id': -1 },
      { action: 'add-spec', spec: request['partition-spec'] ?? { fields: [] } },
      { action: 'set-default-spec', 'spec-id': -1 },
      { action: 'add-sort-order', 'sort-order': request['write-order'] ?? { fields: [] } },
      { action: 'set-default-sort-order', 'sort-order-id': -1 },
      { action: 'set-properties', updates: properties },
    ]
    const metadata = applyUpdates(blankMetadata(), updates, nowMs)
    if (request['stage-create'] === true)
      return loaded(undefined, formatJson(metadata), checkedLocation(metadata))
    return this.#insert(namespace, name, metadata)
  }

  /**
   * Checks the requirements, applies the updates and moves the table's pointer.
   * @param nowMs the time of the commit, for `last-updated-ms`
   * @throws CatalogError 409 CommitFailedException when a requirement fails or another commit was first
   */
  async commitTable(
    namespace: readonly string[],
    name: string,
    commit: Commit,
    nowMs = this.#clock(),
  ): Promise<LoadedTable> {
    const row = this.#db.table(joinNamespace(namespace), name)
    if (row === undefined && assertsCreate(commit.requirements)) {
      this.namespaceProperties(namespace)
      return this.#insert(namespace, name, applyUpdates(blankMetadata(), commit.updates, nowMs))
    }
    if (row === undefined) throw CatalogError.noSuchTable(namespace, name)
    const text = await this.#readMetadata(row.metadataLocation)
    const base = asObject(parseJson(text), 'metadata')
    checkRequirements(base, commit.requirements)
    if (commit.updates.length === 0) return loaded(row.metadataLocation, text, row.location)
    const metadata = applyUpdates(base, commit.updates, nowMs)
    logPreviousMetadata(metadata, base, row.metadataLocation)
    const location = checkedLocation(metadata)
    const metadataLocation = await this.#writeMetadata(
      location,
      metadata,
      versionOf(row.metadataLocation) + 1,
    )
    const next = { name, metadataLocation, location }
    if (!this.#db.swapMetadata(joinNamespace(namespace), next, row.metadataLocation)) {
      await this.#objects.remove(LAKE_BUCKET, toKey(metadataLocation))
      throw CatalogError.commitFailed(`Another commit to ${[...namespace, name].join('.')} was first`)
    }
    return loaded(metadataLocation, formatJson(metadata), location)
  }

  /** Takes in a table by its metadata file, which must be in the lake's bucket. */
  async registerTable(
    namespace: readonly string[],
    name: string,
    metadataLocation: string,
  ): Promise<LoadedTable> {
    this.namespaceProperties(namespace)
    const text = await this.#readMetadata(metadataLocation).catch((error: unknown) => {
      throw error instanceof S3Error ? CatalogError.badRequest('There is no metadata file there') : error
    })
    const location = checkedLocation(asObject(parseJson(text), 'metadata'))
    if (!this.#db.insertTable(joinNamespace(namespace), { name, metadataLocation, location }))
      throw CatalogError.alreadyExists(`Table already exists: ${[...namespace, name].join('.')}`)
    return loaded(metadataLocation, text, location)
  }

  renameTable(from: readonly [string[], string], to: readonly [string[], string]): void {
    this.requireTable(...from)
    this.namespaceProperties(to[0])
    const isRenamed = this.#db.renameTable([joinNamespace(from[0]), from[1]], [joinNamespace(to[0]), to[1]])
    if (!isRenamed) throw CatalogError.alreadyExists(`Table already exists: ${[...to[0], to[1]].join('.')}`)
  }

  /** Forgets a table; with `purge` its files go too, unless another table's location overlaps with its own. */
  async dropTable(namespace: readonly string[], name: string, purge: boolean): Promise<void> {
    const row = this.requireTable(namespace, name)
    this.#db.deleteTable(joinNamespace(namespace), name)
    const own = `${row.location}/`
    const isShared = this.#db
      .locations()
      .some((other) => `${other}/`.startsWith(own) || own.startsWith(`${other}/`))
    if (!purge || isShared) return
    await this.#objects.removeFolder(LAKE_BUCKET, toKey(row.location))
  }

  async #insert(namespace: readonly string[], name: string, metadata: JsonObject): Promise<LoadedTable> {
    const location = checkedLocation(metadata)
    const metadataLocation = await this.#writeMetadata(location, metadata, 0)
    if (!this.#db.insertTable(joinNamespace(namespace), { name, metadataLocation, location })) {
      await this.#objects.remove(LAKE_BUCKET, toKey(metadataLocation))
      throw CatalogError.alreadyExists(`Table already exists: ${[...namespace, name].join('.')}`)
    }
    return loaded(metadataLocation, formatJson(metadata), location)
  }

  async #writeMetadata(location: string, metadata: JsonObject, version: number): Promise<string> {
    const file = `${String(version).padStart(5, '0')}-${randomUUID()}.metadata.json`
    const metadataLocation = `${location}/metadata/${file}`
    await this.#objects.write(LAKE_BUCKET, toKey(metadataLocation), Buffer.from(formatJson(metadata)), true)
    return metadataLocation
  }

  async #readMetadata(metadataLocation: string): Promise<string> {
    return (await this.#objects.read(LAKE_BUCKET, toKey(metadataLocation))).toString('utf8')
  }
}

function loaded(metadataLocation: string | undefined, metadataText: string, location: string): LoadedTable {
  return { metadataLocation, metadataText, storagePrefixes: [`${location}/`], isWritable: true, config: {} }
}

/** A location of its own for each table, so that credentials for one never reach another, dropped ones included. */
function newLocation(namespace: readonly string[], name: string): string {
  const segments = [...namespace, name].map(locationSegment)
  return `s3://${LAKE_BUCKET}/${segments.join('/')}-${randomUUID().slice(0, 8)}`
}

/** The location of complete metadata. @throws CatalogError 400 when something that every table has is missing */
function checkedLocation(metadata: JsonObject): string {
  asString(metadata['table-uuid'], 'table-uuid')
  for (const list of ['schemas', 'partition-specs', 'sort-orders'])
    if (asObjects(metadata[list], list).length === 0) throw CatalogError.badRequest(`A table needs ${list}`)
  if (asInt(metadata['current-schema-id'], 'current-schema-id') < 0)
    throw CatalogError.badRequest('A table needs a current schema')
  const location = asString(metadata['location'], 'location')
  toKey(location)
  return location
}

/** @throws CatalogError 400 for a location outside of the lake's bucket */
export function toKey(location: string): string {
  const prefix = `s3://${LAKE_BUCKET}/`
  const key = location.startsWith(prefix) ? location.slice(prefix.length) : ''
  if (key === '' || key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..'))
    throw CatalogError.badRequest(`Locations are below ${prefix} and have no empty, . or .. segments`)
  return key
}

function versionOf(metadataLocation: string): number {
  return Number(/\/(\d+)-[^/]*$/.exec(metadataLocation)?.[1] ?? '0')
}

function logPreviousMetadata(metadata: JsonObject, base: JsonObject, location: string): void {
  const log = asObjects(metadata['metadata-log'] ?? [], 'metadata-log')
  const entry: JsonObject = { 'timestamp-ms': base['last-updated-ms'], 'metadata-file': location }
  metadata['metadata-log'] = [...log, entry].slice(-LIMITS.previousMetadataMax)
}
