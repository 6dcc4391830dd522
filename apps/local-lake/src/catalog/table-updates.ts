// The changes of table metadata that a commit may make. Source: REST OpenAPI, "TableUpdate", and the table spec, "Table
// Metadata". Pure: metadata in, metadata out. Creating a table is the same list of changes applied to blank metadata,
// so there is one place where metadata is made. An unknown update fails the commit, never half of it.
import { CatalogError } from './catalog-error.ts'
import { asArray, asInt, asLong, asObject, asObjects, asString, asStringMap, formatJson } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import {
  addSnapshot,
  removeSnapshotRef,
  removeSnapshots,
  removeStatistics,
  setSnapshotRef,
  setStatistics,
} from './snapshot-updates.ts'

/** What the updates of one commit know of each other. -1 as an id means "the one added last in this commit". */
export interface CommitContext {
  readonly nowMs: number
  readonly addedSnapshotIds: Set<bigint>
  schemaId: number | undefined
  specId: number | undefined
  sortOrderId: number | undefined
}

type Update = (metadata: JsonObject, update: JsonObject, context: CommitContext) => void

const FORMAT_VERSION_MIN = 2
const FORMAT_VERSION_MAX = 3
const FIRST_PARTITION_FIELD_ID = 1_000

/** Metadata of a table that has nothing yet, for the updates that create it. */
export function blankMetadata(): JsonObject {
  return {
    'format-version': FORMAT_VERSION_MIN,
    'last-sequence-number': 0,
    'last-updated-ms': 0,
    'last-column-id': 0,
    'current-schema-id': -1,
    schemas: [],
    'default-spec-id': -1,
    'partition-specs': [],
    'last-partition-id': FIRST_PARTITION_FIELD_ID - 1,
    'default-sort-order-id': -1,
    'sort-orders': [],
    properties: {},
    'current-snapshot-id': -1,
    refs: {},
    snapshots: [],
    statistics: [],
    'snapshot-log': [],
    'metadata-log': [],
  }
}

/**
 * Applies the updates in order to a copy of the metadata. `last-updated-ms` becomes the time of the snapshot added here,
 * or `nowMs` where none is.
 * @throws CatalogError 400 for an unknown, malformed or impossible update
 */
export function applyUpdates(base: JsonObject, updates: readonly JsonObject[], nowMs: number): JsonObject {
  const metadata = structuredClone(base)
  const context: CommitContext = {
    nowMs,
    addedSnapshotIds: new Set(),
    schemaId: undefined,
    specId: undefined,
    sortOrderId: undefined,
  }
  metadata['last-updated-ms'] = nowMs
  for (const update of updates) {
    const action = asString(update['action'], 'update action')
    const apply = Object.hasOwn(UPDATES, action) ? UPDATES[action] : undefined
    if (apply === undefined) throw CatalogError.badRequest(`This catalog does not do the update: ${action}`)
    apply(metadata, update, context)
  }
  return metadata
}

const UPDATES: Readonly<Record<string, Update>> = {
  'assign-uuid': (metadata, update) => {
    const uuid = asString(update['uuid'], 'uuid')
    if (metadata['table-uuid'] !== undefined && metadata['table-uuid'] !== uuid)
      throw CatalogError.badRequest('A table UUID cannot be changed')
    metadata['table-uuid'] = uuid
  },
  'upgrade-format-version': (metadata, update) => {
    const version = asInt(update['format-version'], 'format-version')
    if (version < FORMAT_VERSION_MIN || version > FORMAT_VERSION_MAX)
      throw CatalogError.badRequest(`Format version ${version} is not one this catalog writes (2 or 3)`)
    if (version < asInt(metadata['format-version'], 'format-version'))
      throw CatalogError.badRequest('A format version cannot be lowered')
    metadata['format-version'] = version
    if (version >= 3) metadata['next-row-id'] ??= 0
  },
  'add-schema': addSchema,
  'set-current-schema': (metadata, update, context) => {
    const id = resolveId(update['schema-id'], context.schemaId, 'schema')
    requireMember(metadata, 'schemas', 'schema-id', id)
    metadata['current-schema-id'] = id
  },
  'add-spec': addSpec,
  'set-default-spec': (metadata, update, context) => {
    const id = resolveId(update['spec-id'], context.specId, 'partition spec')
    requireMember(metadata, 'partition-specs', 'spec-id', id)
    metadata['default-spec-id'] = id
  },
  'add-sort-order': addSortOrder,
  'set-default-sort-order': (metadata, update, context) => {
    const id = resolveId(update['sort-order-id'], context.sortOrderId, 'sort order')
    requireMember(metadata, 'sort-orders', 'order-id', id)
    metadata['default-sort-order-id'] = id
  },
  'add-snapshot': addSnapshot,
  'set-snapshot-ref': setSnapshotRef,
  'remove-snapshots': removeSnapshots,
  'remove-snapshot-ref': removeSnapshotRef,
  'set-statistics': setStatistics,
  'remove-statistics': removeStatistics,
  'set-location': (metadata, update) => {
    metadata['location'] = asString(update['location'], 'location').replace(/\/+$/, '')
  },
  'set-properties': (metadata, update) => {
    const properties = asStringMap(update['updates'], 'set-properties.updates')
    metadata['properties'] = { ...asObject(metadata['properties'] ?? {}, 'properties'), ...properties }
  },
  'remove-properties': (metadata, update) => {
    const removed = new Set(asArray(update['removals'], 'remove-properties.removals'))
    const properties = asObject(metadata['properties'] ?? {}, 'properties')
    metadata['properties'] = Object.fromEntries(
      Object.entries(properties).filter(([key]) => !removed.has(key)),
    )
  },
}

function addSchema(metadata: JsonObject, update: JsonObject, context: CommitContext): void {
  const schema = asObject(update['schema'], 'schema')
  const highest = highestFieldId(asObjects(schema['fields'], 'schema.fields'))
  const given = update['last-column-id']
  const claimed = given === undefined || given === null ? highest : asInt(given, 'last-column-id')
  metadata['last-column-id'] = Math.max(highest, claimed, asInt(metadata['last-column-id'], 'last-column-id'))
  context.schemaId = addMember(metadata, 'schemas', 'schema-id', { type: 'struct', ...schema }, 0)
}

/** The largest field id of a schema, nested ones included. */
function highestFieldId(fields: readonly JsonObject[]): number {
  let highest = 0
  const visitType = (type: Json | undefined): void => {
    if (typeof type !== 'object' || type === null || Array.isArray(type)) return
    for (const key of ['element-id', 'key-id', 'value-id'])
      if (type[key] !== undefined) highest = Math.max(highest, asInt(type[key], key))
    for (const key of ['element', 'key', 'value']) visitType(type[key])
    if (type['fields'] !== undefined) visitFields(asObjects(type['fields'], 'fields'))
  }
  const visitFields = (nested: readonly JsonObject[]): void => {
    for (const field of nested) {
      highest = Math.max(highest, asInt(field['id'], 'field id'))
      asString(field['name'], 'field name')
      visitType(field['type'])
    }
  }
  visitFields(fields)
  return highest
}

function addSpec(metadata: JsonObject, update: JsonObject, context: CommitContext): void {
  const spec = asObject(update['spec'], 'spec')
  let last = asInt(metadata['last-partition-id'], 'last-partition-id')
  const fields = asObjects(spec['fields'], 'spec.fields').map((field): JsonObject => {
    const given = field['field-id']
    const fieldId = given === undefined || given === null ? last + 1 : asInt(given, 'field-id')
    last = Math.max(last, fieldId)
    return { ...field, 'field-id': fieldId }
  })
  metadata['last-partition-id'] = last
  context.specId = addMember(metadata, 'partition-specs', 'spec-id', { ...spec, fields }, 0)
}

function addSortOrder(metadata: JsonObject, update: JsonObject, context: CommitContext): void {
  const order = asObject(update['sort-order'], 'sort-order')
  const isUnsorted = asArray(order['fields'], 'sort-order.fields').length === 0
  context.sortOrderId = addMember(metadata, 'sort-orders', 'order-id', order, isUnsorted ? 0 : 1)
}

/** Adds a schema, spec or sort order under the next free id, or finds the equal one that is already there. */
function addMember(
  metadata: JsonObject,
  list: string,
  idField: string,
  member: JsonObject,
  firstId: number,
): number {
  const members = asObjects(metadata[list], list)
  const content = (item: JsonObject): string => formatJson({ ...item, [idField]: undefined })
  const known = members.find((item) => content(item) === content(member))
  if (known !== undefined) return asInt(known[idField], idField)
  const id = Math.max(firstId - 1, ...members.map((item) => asInt(item[idField], idField))) + 1
  metadata[list] = [...members, { ...member, [idField]: id }]
  return id
}

function resolveId(value: Json | undefined, lastAdded: number | undefined, what: string): number {
  const id = asInt(value, `${what} id`)
  if (id !== -1) return id
  if (lastAdded === undefined)
    throw CatalogError.badRequest(`No ${what} was added in this commit to refer to by -1`)
  return lastAdded
}

function requireMember(metadata: JsonObject, list: string, idField: string, id: number): void {
  const known = asObjects(metadata[list], list).some((item) => asLong(item[idField], idField) === BigInt(id))
  if (!known) throw CatalogError.badRequest(`No ${idField} ${id} in ${list}`)
}
