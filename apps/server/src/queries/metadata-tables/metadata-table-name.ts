// Names of metadata tables: `t$snapshots` tells of the table `t`. Names and columns are those of other engines.

/** Those that tell of one snapshot: the current one, or the one that AT names. */
const OF_A_SNAPSHOT = ['manifests', 'files', 'data_files', 'delete_files', 'entries', 'partitions'] as const
/** Those that tell of the table as a whole, as it is when the statement runs. */
const OF_THE_TABLE = [
  'snapshots',
  'history',
  'refs',
  'all_files',
  'all_data_files',
  'all_delete_files',
  'all_entries',
] as const

const METADATA_TABLES = [...OF_A_SNAPSHOT, ...OF_THE_TABLE] as const
export type MetadataTableName = (typeof METADATA_TABLES)[number]

export function isMetadataTableName(name: string): name is MetadataTableName {
  return (METADATA_TABLES as readonly string[]).includes(name)
}

/** `t$files` taken apart; undefined for the name of any other table. Only these very letters count. */
export function parseMetadataTableName(
  tableName: string,
): { readonly table: string; readonly name: MetadataTableName } | undefined {
  const separator = tableName.lastIndexOf('$')
  const name = tableName.slice(separator + 1)
  return separator > 0 && isMetadataTableName(name)
    ? { table: tableName.slice(0, separator), name }
    : undefined
}

/** True for the tables that can be read at a version. */
export function hasVersions(name: MetadataTableName): boolean {
  return (OF_A_SNAPSHOT as readonly string[]).includes(name)
}
