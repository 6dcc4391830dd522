// Metadata files of tables that the catalog sends without their metadata, which the protocol has inline: some catalogs give
// only `metadata-location` for tables that they take from elsewhere. A file is immutable, so its content is kept by its
// name; which file it is, the catalog says at every load.
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { LIMITS } from '../limits.ts'
import type { TableAccess } from './rest-catalog.ts'
import type { TableParser } from './table-parser.ts'

/**
 * Reads the file at `location` as other files of the table are read.
 * Throws STORAGE_*, OBJECT_MISSING, CATALOG_CREDENTIALS_NOT_VENDED, TABLE_UNSUPPORTED, TABLE_CORRUPT (too large).
 */
export type ReadMetadataFile = (
  access: TableAccess,
  location: string,
  signal: AbortSignal,
) => Promise<Uint8Array>

export interface MetadataFiles {
  /** Throws what the reading throws, and TABLE_CORRUPT, TABLE_UNSUPPORTED for what the file holds. */
  load(access: TableAccess, location: string, signal: AbortSignal): Promise<TableMetadata>
}

export function createMetadataFiles(
  read: ReadMetadataFile,
  parser: Pick<TableParser, 'parseFile'>,
): MetadataFiles {
  /** In order of use: the first key is the one used longest ago. */
  const kept = new Map<string, TableMetadata>()
  const flights = createSingleFlight<TableMetadata>()
  const keep = (key: string, metadata: TableMetadata): void => {
    kept.delete(key)
    kept.set(key, metadata)
    const oldest = kept.keys().next()
    if (kept.size > LIMITS.metadataFilesCachedMax && !oldest.done) kept.delete(oldest.value)
  }
  return {
    async load(access, location, signal) {
      const { namespace, table } = access.ident
      const key = JSON.stringify([namespace, table, location])
      const known = kept.get(key)
      const metadata =
        known ??
        (await flights.run(
          key,
          async (shared) => await parser.parseFile(await read(access, location, shared), shared),
          signal,
        ))
      keep(key, metadata)
      return metadata
    },
  }
}
