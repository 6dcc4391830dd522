// What the catalog pages show: lists of tables, and one table's metadata in words. Reads through the snapshot cache;
// authorization has been asked before.
import type { ColumnNode, TableResponse, TablesResponse } from '@lake/core/api/contract.ts'
import { AppError } from '@lake/core/errors.ts'
import { formatLiteral } from '@lake/core/iceberg/literal-display.ts'
import { literalFromJson } from '@lake/core/iceberg/literal.ts'
import { findField, formatType, isPrimitive } from '@lake/core/iceberg/schema.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { IcebergType, NestedField } from '@lake/core/iceberg/types.ts'
import type { Clock } from '../concurrency/clock.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { LIMITS } from '../limits.ts'
import type { RestCatalog, TableIdent } from './rest-catalog.ts'
import type { SnapshotCache } from './snapshot-cache.ts'

export interface CatalogBrowser {
  /** Throws INVALID_REQUEST where the deployment does not list, NO_SUCH_NAMESPACE, CATALOG_*. */
  listTables(namespace: readonly string[], signal: AbortSignal): Promise<TablesResponse>
  describeTable(ident: TableIdent, signal: AbortSignal): Promise<TableResponse>
}

export interface CatalogBrowserOptions {
  readonly catalog: Pick<RestCatalog, 'listTables'>
  readonly snapshotCache: SnapshotCache
  readonly discovery: 'exact' | 'list'
  readonly clock: Clock
}

export function createCatalogBrowser(options: CatalogBrowserOptions): CatalogBrowser {
  const { clock } = options
  const lists = new Map<string, { readonly loadedAtMs: number; readonly list: TablesResponse }>()
  const flights = createSingleFlight<TablesResponse>()

  return {
    async listTables(namespace, signal) {
      if (options.discovery === 'exact') {
        throw new AppError(
          'INVALID_REQUEST',
          'This deployment does not list tables; open one by its full name',
        )
      }
      const key = JSON.stringify(namespace)
      const known = lists.get(key)
      if (known && clock.nowMs() - known.loadedAtMs < LIMITS.catalogListFreshMs) return known.list
      const load = async (shared: AbortSignal): Promise<TablesResponse> => {
        const list = { namespace: [...namespace], ...(await options.catalog.listTables(namespace, shared)) }
        // Bounded by the number of configured namespaces: no other reaches this place.
        lists.set(key, { loadedAtMs: clock.nowMs(), list })
        return list
      }
      return await flights.run(key, load, signal)
    },

    async describeTable(ident, signal) {
      const { table, ageMs, isStale } = await options.snapshotCache.load(ident, signal)
      return { ...describeMetadata(ident, table.metadata), metadataAgeMs: ageMs, isStale }
    },
  }
}

function describeMetadata(
  ident: TableIdent,
  metadata: TableMetadata,
): Omit<TableResponse, 'metadataAgeMs' | 'isStale'> {
  const nameOf = (fieldId: number): string => {
    for (const schema of metadata.schemas.toReversed()) {
      const field = findField(schema, fieldId)
      if (field) return field.path.join('.')
    }
    return `field ${fieldId}`
  }
  return {
    namespace: [...ident.namespace],
    table: ident.table,
    tableUuid: metadata.tableUuid ?? null,
    formatVersion: metadata.formatVersion,
    location: metadata.location,
    lastUpdatedMs: metadata.lastUpdatedMs,
    currentSnapshotId: metadata.currentSnapshotId === undefined ? null : String(metadata.currentSnapshotId),
    currentSchemaId: metadata.currentSchemaId,
    schemas: metadata.schemas.map(({ schemaId, fields, identifierFieldIds }) => ({
      schemaId,
      columns: fields.map(columnNode),
      identifierFieldIds: [...identifierFieldIds],
    })),
    defaultSpecId: metadata.defaultSpecId,
    partitionSpecs: metadata.partitionSpecs.map(({ specId, fields }) => ({
      specId,
      fields: fields.map(({ name, transform, sourceIds, fieldId }) => ({
        name,
        transform,
        fieldId,
        source: sourceIds.map(nameOf).join(', '),
      })),
    })),
    defaultSortOrderId: metadata.defaultSortOrderId,
    sortOrders: metadata.sortOrders.map(({ orderId, fields }) => ({
      orderId,
      fields: fields.map(({ sourceId, transform, direction, nullOrder }) => ({
        source: nameOf(sourceId),
        transform,
        direction,
        nullOrder,
      })),
    })),
    snapshots: metadata.snapshots
      .map((snapshot) => ({
        snapshotId: String(snapshot.snapshotId),
        parentSnapshotId: snapshot.parentSnapshotId === undefined ? null : String(snapshot.parentSnapshotId),
        sequenceNumber: String(snapshot.sequenceNumber),
        committedAtMs: snapshot.timestampMs,
        operation: snapshot.summary['operation'] ?? null,
        schemaId: snapshot.schemaId ?? null,
        summary: { ...snapshot.summary },
      }))
      .toReversed(),
    refs: metadata.refs.map(({ name, kind, snapshotId }) => ({ name, kind, snapshotId: String(snapshotId) })),
    properties: { ...metadata.properties },
    hasDistinctCounts: (metadata.distinctCounts ?? []).length > 0,
  }
}

function columnNode(field: NestedField): ColumnNode {
  const { id, name, type, isRequired, doc } = field
  return {
    id,
    name,
    type: formatType(type),
    isRequired,
    doc: doc ?? null,
    initialDefault: defaultText(type, field.initialDefault),
    writeDefault: defaultText(type, field.writeDefault),
    children: childNodes(type),
  }
}

/** The text of a value where the type has literals, else its JSON; null where there is none. */
function defaultText(type: IcebergType, json: unknown): string | null {
  if (json === undefined || json === null) return null
  const value = isPrimitive(type) ? literalFromJson(type, json) : undefined
  return value === undefined || !isPrimitive(type) ? JSON.stringify(json) : formatLiteral(type, value)
}

function childNodes(type: IcebergType): ColumnNode[] {
  const part = (id: number, name: string, partType: IcebergType, isRequired: boolean): ColumnNode =>
    columnNode({ id, name, type: partType, isRequired, doc: undefined, initialDefault: undefined })
  switch (type.kind) {
    case 'struct':
      return type.fields.map(columnNode)
    case 'list':
      return [part(type.elementId, 'element', type.element, type.isElementRequired)]
    case 'map':
      return [
        part(type.keyId, 'key', type.key, true),
        part(type.valueId, 'value', type.value, type.isValueRequired),
      ]
    default:
      return []
  }
}
