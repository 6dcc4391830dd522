// The body of a loadTable answer as plain data. Pure; runs in a worker thread for large bodies, so what it gives can be
// cloned: credentials are still texts here, and become secrets in rest-catalog.ts.
import { AppError } from '@lake/core/errors.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { refuseRestrictions } from './read-restrictions.ts'
import { loadTableAnswer, parseAnswer } from './rest-schemas.ts'

export interface ParsedTable {
  readonly metadata: TableMetadata
  readonly metadataLocation: string | undefined
  readonly config: Readonly<Record<string, string>>
  readonly storageCredentials: readonly {
    readonly prefix: string
    readonly config: Readonly<Record<string, string>>
  }[]
  readonly remoteSigning:
    | {
        readonly properties: Readonly<Record<string, string>>
        readonly headers: Readonly<Record<string, string>>
      }
    | undefined
}

/** Throws AppError READ_RESTRICTED, TABLE_UNSUPPORTED, TABLE_CORRUPT, CATALOG_UNAVAILABLE (not the protocol). */
export function parseTable(text: string): ParsedTable {
  const answer = parseAnswer(loadTableAnswer, text, 'table')
  refuseRestrictions(answer)
  if (answer.metadata === null || answer.metadata === undefined) {
    throw new AppError('TABLE_UNSUPPORTED', 'The catalog sent the table without its metadata', {
      details: { feature: 'metadata by location only' },
    })
  }
  const signing = answer['remote-signing-config'] ?? undefined
  return {
    metadata: parseTableMetadata(answer.metadata),
    metadataLocation: answer['metadata-location'] ?? undefined,
    config: answer.config,
    storageCredentials: answer['storage-credentials'] ?? [],
    remoteSigning: signing && {
      properties: signing.properties,
      headers: Object.fromEntries(
        Object.entries(signing.headers ?? {}).map(([name, values]) => [name, values.join(', ')]),
      ),
    },
  }
}
