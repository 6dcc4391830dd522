// A table pinned for one statement: one snapshot, one schema, and the words for it in receipts and in SQL. Pure.
import { AppError } from '@lake/core/errors.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { findSnapshot, schemaForSnapshot } from '@lake/core/iceberg/snapshot.ts'
import type { Snapshot, TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import type { CachedTable } from '../catalog/snapshot-cache.ts'
import type { LoadedTable } from '../catalog/rest-catalog.ts'
import type { EngineTable } from '../engine/engine.ts'
import type { SealedPin } from '@lake/core/flight/ticket.ts'
import { duckdbType, sqlColumnNames } from '../sql/duckdb-type.ts'

export interface PinnedTable {
  readonly loaded: LoadedTable
  /** undefined: the table has no snapshot, so it has no rows. */
  readonly snapshot: Snapshot | undefined
  readonly schema: Schema
  readonly engineTable: EngineTable
  readonly receipt: TableReceipt
}

/**
 * Pins the snapshot that the caller chose, else the table's current one.
 * @throws AppError NO_SUCH_SNAPSHOT, TABLE_UNSUPPORTED
 */
export function pinTable(cached: CachedTable, requestedSnapshotId: bigint | undefined): PinnedTable {
  const { metadata } = cached.table
  const snapshotId = requestedSnapshotId ?? metadata.currentSnapshotId
  const snapshot = snapshotId === undefined ? undefined : findSnapshot(metadata, snapshotId)
  if (snapshotId !== undefined && snapshot === undefined) {
    throw new AppError(
      'NO_SUCH_SNAPSHOT',
      `The table ${tableName(cached.table)} has no snapshot ${snapshotId}`,
      {
        details: { table: tableName(cached.table), snapshotId: String(snapshotId) },
      },
    )
  }
  const schema = schemaForSnapshot(metadata, snapshot, { isPinned: requestedSnapshotId !== undefined })
  return describe(cached, snapshot, schema)
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
  return describe({ table: loaded, ageMs, isStale: false }, snapshot, schema)
}

export function sealPin(pinned: PinnedTable): SealedPin {
  const { namespace, table, tableUuid, snapshotId, schemaId } = pinned.receipt
  return { namespace, table, tableUuid, snapshotId, schemaId }
}

export function tableName(loaded: LoadedTable): string {
  return `${loaded.ident.namespace.join('.')}.${loaded.ident.table}`
}

function describe(cached: CachedTable, snapshot: Snapshot | undefined, schema: Schema): PinnedTable {
  const { table: loaded } = cached
  const { metadata, ident } = loaded
  if (metadata.isEncrypted) {
    throw new AppError(
      'TABLE_UNSUPPORTED',
      `The table ${tableName(loaded)} is encrypted, which is not read`,
      {
        details: { table: tableName(loaded), feature: 'encryption' },
      },
    )
  }
  const names = sqlColumnNames(schema)
  return {
    loaded,
    snapshot,
    schema,
    engineTable: {
      schemaName: ident.namespace.join('.'),
      tableName: ident.table,
      // A column without a type here can be bound but not read: run-query refuses a statement that needs it.
      columns: schema.fields.map(({ type }, index) => ({
        name: names[index] ?? '',
        sqlType: duckdbType(type) ?? 'BLOB',
      })),
    },
    receipt: {
      namespace: [...ident.namespace],
      table: ident.table,
      tableUuid: metadata.tableUuid ?? null,
      snapshotId: snapshot ? String(snapshot.snapshotId) : null,
      committedAtMs: snapshot?.timestampMs ?? null,
      operation: snapshot?.summary['operation'] ?? null,
      schemaId: schema.schemaId,
      summary: { ...snapshot?.summary },
      ref: snapshot ? refOf(metadata, snapshot.snapshotId) : null,
      isCurrent: snapshot?.snapshotId === metadata.currentSnapshotId,
      metadataAgeMs: cached.ageMs,
      isStale: cached.isStale,
      scan: null,
    },
  }
}

function refOf(metadata: TableMetadata, snapshotId: bigint): string | null {
  const refs = metadata.refs.filter((ref) => ref.snapshotId === snapshotId)
  return (refs.find(({ name }) => name === 'main') ?? refs[0])?.name ?? null
}
