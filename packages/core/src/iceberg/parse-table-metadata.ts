// Parsing of table metadata JSON of format versions 1 to 3 (rules TM in SPEC.md).
// Source: Iceberg table spec, "Table Metadata" and appendices C and E. Lenient where catalogs are lax (absent lists,
// `-1` for none), strict where a guess could read other rows. Statistics are in `parse-statistics.ts`.
import { AppError } from '../errors.ts'
import {
  asInteger,
  asLong,
  asObject,
  asString,
  asStringMap,
  corruptAt,
  listOf,
  optional,
  required,
} from './json-reader.ts'
import type { JsonObject } from './json-reader.ts'
import { parsePartitionFields, parsePartitionSpec, parseSortOrder, UNPARTITIONED } from './partition-spec.ts'
import { parseSchema } from './schema.ts'
import { parseDistinctCounts } from './parse-statistics.ts'
import type { Schema } from './types.ts'
import type { Snapshot, SnapshotLogEntry, SnapshotRef, TableMetadata } from './table-metadata.ts'

const FORMAT_VERSION_MAX = 3
const NO_SNAPSHOT = -1n

/**
 * Parses the metadata JSON of a table, as `parseLosslessJson` makes it.
 * @throws AppError TABLE_UNSUPPORTED for a later format version or an unknown type; TABLE_CORRUPT naming the JSON path
 */
export function parseTableMetadata(json: unknown): TableMetadata {
  const path = '$'
  const object = asObject(json, path)
  const formatVersion = parseFormatVersion(object, path)
  const properties = optional(object, 'properties', path, asStringMap) ?? {}
  const currentSnapshotId = optional(object, 'current-snapshot-id', path, asLong)
  const hasCurrent = currentSnapshotId !== undefined && currentSnapshotId !== NO_SNAPSHOT
  const current = hasCurrent ? currentSnapshotId : undefined
  return {
    formatVersion,
    tableUuid: optional(object, 'table-uuid', path, asString),
    location: optional(object, 'location', path, asString) ?? '',
    lastUpdatedMs: optional(object, 'last-updated-ms', path, asInteger) ?? 0,
    lastSequenceNumber: optional(object, 'last-sequence-number', path, asLong) ?? 0n,
    ...parseSchemas(object, path),
    ...parseSpecs(object, path),
    defaultSortOrderId: optional(object, 'default-sort-order-id', path, asInteger) ?? 0,
    sortOrders: optional(object, 'sort-orders', path, (value, at) => listOf(value, at, parseSortOrder)) ?? [],
    properties,
    currentSnapshotId: current,
    snapshots: optional(object, 'snapshots', path, (value, at) => listOf(value, at, parseSnapshot)) ?? [],
    snapshotLog:
      optional(object, 'snapshot-log', path, (value, at) => listOf(value, at, parseLogEntry)) ?? [],
    refs: parseRefs(object, path, current),
    distinctCounts: parseDistinctCounts(object['statistics']),
  }
}

function parseFormatVersion(object: JsonObject, path: string): 1 | 2 | 3 {
  const version = required(object, 'format-version', path, asInteger)
  if (version > FORMAT_VERSION_MAX) {
    throw new AppError('TABLE_UNSUPPORTED', `Format version ${version} is not read`, {
      details: { feature: `format version ${version}` },
    })
  }
  if (version === 1 || version === 2 || version === 3) return version
  throw corruptAt(`${path}.format-version`, 'a format version')
}

function parseSchemas(object: JsonObject, path: string): Pick<TableMetadata, 'schemas' | 'currentSchemaId'> {
  const listed = optional(object, 'schemas', path, (value, at) => listOf(value, at, parseSchema)) ?? []
  const schemas = listed.length > 0 ? listed : [required(object, 'schema', path, parseSchema)]
  const currentSchemaId =
    optional(object, 'current-schema-id', path, asInteger) ?? (schemas.at(-1) as Schema).schemaId
  if (!schemas.some((schema) => schema.schemaId === currentSchemaId)) {
    throw corruptAt(`${path}.current-schema-id`, 'the id of a listed schema')
  }
  return { schemas, currentSchemaId }
}

function parseSpecs(
  object: JsonObject,
  path: string,
): Pick<TableMetadata, 'partitionSpecs' | 'defaultSpecId'> {
  const listed =
    optional(object, 'partition-specs', path, (value, at) => listOf(value, at, parsePartitionSpec)) ?? []
  const bare = optional(object, 'partition-spec', path, parsePartitionFields)
  const fallback = bare ? { specId: 0, fields: bare } : UNPARTITIONED
  const partitionSpecs = listed.length > 0 ? listed : [fallback]
  if (new Set(partitionSpecs.map((spec) => spec.specId)).size !== partitionSpecs.length) {
    throw corruptAt(`${path}.partition-specs`, 'free of repeated spec ids')
  }
  return {
    partitionSpecs,
    defaultSpecId: optional(object, 'default-spec-id', path, asInteger) ?? partitionSpecs.at(-1)?.specId ?? 0,
  }
}

function parseSnapshot(json: unknown, path: string): Snapshot {
  const object = asObject(json, path)
  return {
    snapshotId: required(object, 'snapshot-id', path, asLong),
    parentSnapshotId: optional(object, 'parent-snapshot-id', path, asLong),
    sequenceNumber: optional(object, 'sequence-number', path, asLong) ?? 0n,
    timestampMs: required(object, 'timestamp-ms', path, asInteger),
    manifestList: optional(object, 'manifest-list', path, asString),
    manifests: optional(object, 'manifests', path, (value, at) => listOf(value, at, asString)),
    summary: optional(object, 'summary', path, asStringMap) ?? {},
    schemaId: optional(object, 'schema-id', path, asInteger),
    firstRowId: optional(object, 'first-row-id', path, asLong),
  }
}

function parseLogEntry(json: unknown, path: string): SnapshotLogEntry {
  const object = asObject(json, path)
  return {
    timestampMs: required(object, 'timestamp-ms', path, asInteger),
    snapshotId: required(object, 'snapshot-id', path, asLong),
  }
}

function parseRefs(object: JsonObject, path: string, current: bigint | undefined): readonly SnapshotRef[] {
  const json = optional(object, 'refs', path, asObject) ?? {}
  const listed = Object.entries(json).map(([name, item]): SnapshotRef => {
    const at = `${path}.refs[${JSON.stringify(name)}]`
    const ref = asObject(item, at)
    return {
      name,
      snapshotId: required(ref, 'snapshot-id', at, asLong),
      kind: optional(ref, 'type', at, asString) === 'tag' ? 'tag' : 'branch',
      maxRefAgeMs: optional(ref, 'max-ref-age-ms', at, asLong),
      minSnapshotsToKeep: optional(ref, 'min-snapshots-to-keep', at, asInteger),
      maxSnapshotAgeMs: optional(ref, 'max-snapshot-age-ms', at, asLong),
    }
  })
  // Some catalogs write a main of -1 for a table without snapshots.
  const refs = listed.filter(({ snapshotId }) => snapshotId !== NO_SNAPSHOT)
  const main = refs.find((ref) => ref.name === 'main')
  if (current === undefined) return refs
  if (!main) return [{ name: 'main', snapshotId: current, kind: 'branch' }, ...refs]
  if (main.snapshotId !== current) throw corruptAt(`${path}.refs.main`, 'the current snapshot')
  return refs
}
