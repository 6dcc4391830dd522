// The body of a loadTable answer, and a table's metadata file, as plain data. Pure; runs in a worker thread for large bodies,
// so what it gives can be cloned: credentials are still texts here, and become secrets in rest-catalog.ts.
import { gunzipSync } from 'node:zlib'
import { AppError } from '@lake/core/errors.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import { parseLosslessJson } from '@lake/core/iceberg/lossless-json.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { refuseRestrictions } from './read-restrictions.ts'
import { loadTableAnswer, parseAnswer } from './rest-schemas.ts'

export interface ParsedTable {
  /** undefined where the catalog says only where its file is. */
  readonly metadata: TableMetadata | undefined
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
export function parseTable(body: Uint8Array): ParsedTable {
  const answer = parseAnswer(loadTableAnswer, textOf(body), 'table')
  refuseRestrictions(answer)
  const metadata = answer.metadata ?? undefined
  if (metadata === undefined && !answer['metadata-location']) {
    throw new AppError(
      'TABLE_UNSUPPORTED',
      'The catalog sent the table with neither its metadata nor where its file is',
      { details: { feature: 'table without metadata' } },
    )
  }
  const signing = answer['remote-signing-config'] ?? undefined
  return {
    metadata: metadata === undefined ? undefined : parseTableMetadata(metadata),
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

/** Compressed ones are known by how they begin: their names differ by writer. */
export function isGzip(file: Uint8Array): boolean {
  return file[0] === 0x1f && file[1] === 0x8b
}

/**
 * The content of a table's metadata file (`….metadata.json`, `….gz.metadata.json`, `….metadata.json.gz`).
 * @param bytesMax of what it is once decompressed
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED
 */
export function parseMetadataFile(file: Uint8Array, bytesMax: number): TableMetadata {
  let json: unknown
  try {
    json = parseLosslessJson(textOf(isGzip(file) ? gunzip(file, bytesMax) : file))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('TABLE_CORRUPT', 'The metadata file of the table is not JSON', { cause })
  }
  return parseTableMetadata(json)
}

function gunzip(file: Uint8Array, bytesMax: number): Uint8Array {
  try {
    return gunzipSync(file, { maxOutputLength: bytesMax })
  } catch (cause) {
    const isLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
    throw new AppError(
      'TABLE_CORRUPT',
      isLarge
        ? `The metadata file of the table is larger than the ${bytesMax} bytes that are read`
        : 'The metadata file of the table is not whole: it does not decompress',
      { cause, ...(isLarge ? { details: { bytesMax } } : {}) },
    )
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
