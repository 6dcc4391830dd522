// Sorts the references of a statement by what they read: one table at one version is pinned once, however often it is
// named. Decides which versions the engine sees under names of their own. Pure.
import { assertNever } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import type { TableVersion } from '@lake/core/iceberg/snapshot.ts'
import type { TextSubstitution } from '@lake/core/flight/ticket.ts'
import type { RequestedVersion } from '@lake/core/flight/receipt.ts'
import type { TableIdent } from '../catalog/rest-catalog.ts'
import type { TableReference } from '../sql/analyze-statement.ts'
import { chooseViewNames, substituteVersions } from '../sql/version-substitution.ts'
import {
  hasVersions,
  parseMetadataTableName,
  type MetadataTableName,
} from './metadata-tables/metadata-table-name.ts'

/** A reference whose namespace is found. */
export interface ResolvedReference extends TableReference {
  readonly namespace: readonly string[]
}

/** One table at one version, with the first reference to it. */
export interface VersionedTable {
  readonly reference: ResolvedReference
  /** The table; of a metadata table the one that it tells of. */
  readonly ident: TableIdent
  readonly metadataTable: MetadataTableName | undefined
  readonly version: TableVersion | undefined
  /** Where another version of the table has its name in the engine. */
  readonly viewName: string | undefined
}

/**
 * The distinct tables and versions of a statement in order of appearance, and what the engine must read otherwise.
 * @throws AppError SQL_UNSUPPORTED for a version of what has none
 */
export function planVersions(
  sql: string,
  references: readonly ResolvedReference[],
): { readonly versions: readonly VersionedTable[]; readonly substitutions: readonly TextSubstitution[] } {
  for (const reference of references) refuseVersionless(reference)
  const groups = [...Map.groupBy(references, versionKey)]
  const renamed = [...Map.groupBy(groups, ([, [first]]) => tableKey(first)).values()].flatMap(renamedGroups)
  const viewNames = new Map(chooseViewNames(sql, renamed.length).map((name, index) => [renamed[index], name]))
  const versions = groups.flatMap(([key, [reference]]) =>
    reference ? [describe(reference, viewNames.get(key))] : [],
  )
  const substituted = references.map((reference) => ({
    ...reference,
    viewName: viewNames.get(versionKey(reference)),
  }))
  return { versions, substitutions: substituteVersions(sql, substituted) }
}

/** How receipts and tickets write a version. */
export function formatVersion(version: TableVersion): RequestedVersion {
  switch (version.kind) {
    case 'snapshot':
      return { kind: 'snapshot', value: String(version.snapshotId) }
    case 'ref':
      return { kind: 'ref', value: version.name }
    case 'time':
      return { kind: 'time', value: formatTime(version.timestampMs) }
    default:
      return assertNever(version)
  }
}

function describe(reference: ResolvedReference, viewName: string | undefined): VersionedTable {
  const { namespace, tableName, at } = reference
  const metadata = parseMetadataTableName(tableName)
  return {
    reference,
    ident: { namespace, table: metadata?.table ?? tableName },
    metadataTable: metadata?.name,
    version: at?.version,
    viewName,
  }
}

function tableKey(reference: ResolvedReference | undefined): string {
  return JSON.stringify([reference?.namespace, reference?.tableName])
}

function versionKey(reference: ResolvedReference): string {
  const version = reference.at && formatVersion(reference.at.version)
  return JSON.stringify([reference.namespace, reference.tableName, version ?? null])
}

/**
 * All versions of one table but one, which keeps the table's name: the current one, whose mentions have no AT to take
 * the place of; else the first with a mention without alias, since columns may be written with the whole name there.
 */
function renamedGroups(
  groups: readonly (readonly [key: string, references: ResolvedReference[]])[],
): string[] {
  const keeper =
    groups.find(([, references]) => references.some(({ at }) => at === undefined)) ??
    groups.find(([, references]) => references.some(({ alias }) => alias === '')) ??
    groups[0]
  return groups.filter((group) => group !== keeper).map(([key]) => key)
}

function refuseVersionless({ tableName, at }: ResolvedReference): void {
  const metadata = parseMetadataTableName(tableName)
  if (at === undefined || metadata === undefined || hasVersions(metadata.name)) return
  const { startOffset, endOffset } = at
  throw new AppError('SQL_UNSUPPORTED', `"$${metadata.name}" tells of the whole table and has no versions.`, {
    details: { startOffset, endOffset },
  })
}

/** ISO 8601 in UTC; milliseconds where the calendar of the runtime ends. */
function formatTime(timestampMs: number): string {
  const date = new Date(timestampMs)
  return Number.isNaN(date.getTime()) ? `${timestampMs} ms` : date.toISOString()
}
