// A table pinned for one statement: one snapshot, one schema, and the words for it in receipts and in SQL. Pure.
import { assert } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import type { RequestedVersion, TableReceipt } from '@lake/core/flight/receipt.ts'
import {
  currentSnapshot,
  findSnapshot,
  resolveVersion,
  schemaForSnapshot,
  type TableVersion,
} from '@lake/core/iceberg/snapshot.ts'
import type { Snapshot, TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import type { CachedTable } from '../catalog/snapshot-cache.ts'
import type { LoadedTable } from '../catalog/rest-catalog.ts'
import type { EngineColumn, EngineTable } from '../engine/engine.ts'
import type { SealedPin } from '@lake/core/flight/ticket.ts'
import type { ReservedColumn } from '@lake/core/iceberg/reserved-columns.ts'
import { duckdbType, sqlColumnNames } from '../sql/duckdb-type.ts'
import { isMetadataTableName, type MetadataTableName } from './metadata-tables/metadata-table-name.ts'
import { metadataTableSchema } from './metadata-tables/metadata-table-schema.ts'
import { inMicros, instantsInMicros } from './instants.ts'
import { reservedFields } from './reserved-columns.ts'

export interface PinnedTable {
  readonly loaded: LoadedTable
  /** undefined: the table has no snapshot, so it has no rows. */
  readonly snapshot: Snapshot | undefined
  /** Of what the statement reads: the pinned table's, or a metadata table's; reserved columns behind its own. */
  readonly schema: Schema
  /** Columns of `schema` that no data file need have, by index. */
  readonly reserved: ReadonlyMap<number, ReservedColumn>
  readonly hasInstantsInMicros: boolean
  /** Of the pinned table. */
  readonly tableSchema: Schema
  /** Set where the statement reads what the metadata says of the table, and not the table. */
  readonly metadataTable: MetadataTableName | undefined
  readonly engineTable: EngineTable
  readonly receipt: TableReceipt
}

/** How a statement reads a table, besides its snapshot. */
export interface PinnedAs {
  /** What AT asks for. */
  readonly requested?: RequestedVersion | undefined
  readonly metadataTable?: MetadataTableName | undefined
  readonly viewName?: string | undefined
}

/**
 * Pins the version that was chosen, else the table's current snapshot.
 * @throws AppError NO_SUCH_SNAPSHOT, SNAPSHOT_EXPIRED, TABLE_UNSUPPORTED
 */
export function pinTable(
  cached: CachedTable,
  version: TableVersion | undefined,
  as: PinnedAs = {},
): PinnedTable {
  const { metadata } = cached.table
  try {
    if (version !== undefined) {
      const { snapshot, schema } = resolveVersion(metadata, version)
      return describe(cached, snapshot, schema, as)
    }
    const snapshot = currentSnapshot(metadata)
    return describe(cached, snapshot, schemaForSnapshot(metadata, snapshot, { isPinned: false }), as)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const table = tableName(cached.table)
    const { code, message, details } = error
    throw new AppError(code, `${table}: ${message}`, { cause: error, details: { ...details, table } })
  }
}

/**
 * Finds again, in a fresh load, what a ticket names.
 * @throws AppError TABLE_REPLACED when the name is another table now, SNAPSHOT_EXPIRED when the snapshot is gone
 */
export function provePin(loaded: LoadedTable, pin: SealedPin, ageMs: number): PinnedTable {
  const { metadata } = loaded
  const name = tableName(loaded)
  if ((metadata.tableUuid ?? null) !== pin.tableUuid) {
    throw new AppError(
      'TABLE_REPLACED',
      `The table ${name} was replaced by another of its name since the statement was planned`,
      {
        details: { table: name },
      },
    )
  }
  const snapshot = pin.snapshotId === null ? undefined : findSnapshot(metadata, BigInt(pin.snapshotId))
  if (pin.snapshotId !== null && snapshot === undefined) {
    throw new AppError(
      'SNAPSHOT_EXPIRED',
      `Snapshot ${pin.snapshotId} of ${name} has been removed from the table`,
      {
        details: { table: name, snapshotId: pin.snapshotId },
      },
    )
  }
  const schema = metadata.schemas.find(({ schemaId }) => schemaId === pin.schemaId)
  if (schema === undefined) {
    throw new AppError(
      'SNAPSHOT_EXPIRED',
      `Schema ${pin.schemaId} of ${name} has been removed from the table`,
      {
        details: { table: name, ...(pin.snapshotId === null ? {} : { snapshotId: pin.snapshotId }) },
      },
    )
  }
  const pinned = describe({ table: loaded, ageMs, isStale: false }, snapshot, schema, {
    requested: pin.requested,
    metadataTable: metadataTableOf(pin),
    viewName: pin.viewName,
  })
  const table = withReserved(pinned, pin.reserved ?? [])
  return pin.hasInstantsInMicros === true ? withInstantsInMicros(table) : table
}

/** Reads instants in nanoseconds as the engine's own instants, in microseconds; a value that needs more fails. */
export function withInstantsInMicros(pinned: PinnedTable): PinnedTable {
  const { reserved, metadataTable } = pinned
  // What manifests tell of instants is exact either way.
  const schema =
    metadataTable === undefined
      ? instantsInMicros(pinned.schema, (index) => !reserved.has(index))
      : pinned.schema
  if (schema === pinned.schema) return pinned
  return {
    ...pinned,
    schema,
    hasInstantsInMicros: true,
    engineTable: { ...pinned.engineTable, columns: engineColumns(schema, pinned.engineTable.columns) },
  }
}

function engineColumns(schema: Schema, named: readonly { readonly name: string }[]): readonly EngineColumn[] {
  // A column without a type here can be bound but not read: run-query refuses a statement that needs it.
  return schema.fields.map(({ type }, index) => {
    const sqlType = duckdbType(type) ?? 'BLOB'
    const zonedSqlType = duckdbType(inMicros(type)) ?? sqlType
    return {
      name: named[index]?.name ?? '',
      sqlType,
      ...(zonedSqlType === sqlType ? {} : { zonedSqlType }),
    }
  })
}

/** The table with those of the named reserved columns that it has, behind its own; a metadata table has none. */
export function withReserved(pinned: PinnedTable, names: readonly string[]): PinnedTable {
  const { loaded, schema, tableSchema, metadataTable, engineTable } = pinned
  const added = metadataTable === undefined ? reservedFields(names, loaded.metadata, tableSchema) : []
  if (added.length === 0) return pinned
  const fields = added.map(({ field }) => field)
  return {
    ...pinned,
    schema: { ...schema, fields: [...schema.fields, ...fields] },
    reserved: new Map(added.map(({ column }, index) => [schema.fields.length + index, column])),
    engineTable: {
      ...engineTable,
      columns: [
        ...engineTable.columns,
        ...fields.map(({ name, type }) => ({ name, sqlType: duckdbType(type) ?? 'BLOB' })),
      ],
    },
  }
}

export function sealPin({ receipt, engineTable, reserved, hasInstantsInMicros }: PinnedTable): SealedPin {
  const { namespace, table, tableUuid, snapshotId, schemaId, requested, metadataTable } = receipt
  const { viewName } = engineTable
  return {
    namespace,
    table,
    tableUuid,
    snapshotId,
    schemaId,
    ...(requested ? { requested } : {}),
    ...(metadataTable === undefined ? {} : { metadataTable }),
    ...(viewName === undefined ? {} : { viewName }),
    ...(hasInstantsInMicros ? { hasInstantsInMicros } : {}),
    ...(reserved.size > 0 ? { reserved: [...reserved.values()].map(({ name }) => name) } : {}),
  }
}

function metadataTableOf({ metadataTable }: SealedPin): MetadataTableName | undefined {
  if (metadataTable === undefined) return undefined
  assert(isMetadataTableName(metadataTable), 'a ticket names a metadata table that there is')
  return metadataTable
}

export function tableName(loaded: LoadedTable): string {
  return `${loaded.ident.namespace.join('.')}.${loaded.ident.table}`
}

function describe(
  cached: CachedTable,
  snapshot: Snapshot | undefined,
  tableSchema: Schema,
  { requested, metadataTable, viewName }: PinnedAs,
): PinnedTable {
  const { table: loaded } = cached
  const { metadata, ident } = loaded
  const schema =
    metadataTable === undefined ? tableSchema : metadataTableSchema(metadataTable, metadata, tableSchema)
  return {
    loaded,
    snapshot,
    schema,
    reserved: new Map(),
    hasInstantsInMicros: false,
    tableSchema,
    metadataTable,
    engineTable: {
      schemaName: ident.namespace.join('.'),
      tableName: metadataTable === undefined ? ident.table : `${ident.table}$${metadataTable}`,
      viewName,
      columns: engineColumns(
        schema,
        sqlColumnNames(schema).map((name) => ({ name })),
      ),
    },
    receipt: {
      namespace: [...ident.namespace],
      table: ident.table,
      tableUuid: metadata.tableUuid ?? null,
      snapshotId: snapshot ? String(snapshot.snapshotId) : null,
      committedAtMs: snapshot?.timestampMs ?? null,
      operation: snapshot?.summary['operation'] ?? null,
      schemaId: tableSchema.schemaId,
      summary: { ...snapshot?.summary },
      ref: snapshot ? refOf(metadata, snapshot.snapshotId, requested) : null,
      isCurrent: snapshot?.snapshotId === metadata.currentSnapshotId,
      metadataAgeMs: cached.ageMs,
      isStale: cached.isStale,
      scan: null,
      ...(requested ? { requested } : {}),
      ...(metadataTable === undefined ? {} : { metadataTable }),
    },
  }
}

/** The ref that was asked for, else main, else any that has the snapshot as its head. */
function refOf(
  metadata: TableMetadata,
  snapshotId: bigint,
  requested: RequestedVersion | undefined,
): string | null {
  const names = metadata.refs.filter((ref) => ref.snapshotId === snapshotId).map(({ name }) => name)
  if (requested?.kind === 'ref' && names.includes(requested.value)) return requested.value
  return names.includes('main') ? 'main' : (names[0] ?? null)
}
