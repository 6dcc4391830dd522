// Excerpts in tests: from a Parquet file on disk and a schema to rows as the engine gives them.
import type { DuckDBConnection } from '@duckdb/node-api'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import { UNPARTITIONED } from '@lake/core/iceberg/partition-spec.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import type { IcebergType, NestedField, Schema } from '@lake/core/iceberg/types.ts'
import { writeExcerpt } from '../../src/parquet/excerpt-writer.ts'
import type { ExcerptOutcome, ExcerptRequest } from '../../src/parquet/excerpt-writer.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { excerptSql, rowsOf } from './duck.ts'
import { createLocalFiles, sizeOf, uriOf } from './local-files.ts'

let nextName = 0

export function field(
  id: number,
  name: string,
  type: IcebergType | 'int' | 'long' | 'string' | 'double',
  more: Partial<NestedField> = {},
): NestedField {
  const full = typeof type === 'string' ? { kind: type } : type
  return { id, name, type: full, isRequired: false, doc: undefined, initialDefault: undefined, ...more }
}

export const schemaOf = (...fields: NestedField[]): Schema => ({
  schemaId: 0,
  fields,
  identifierFieldIds: [],
})

export async function excerptOf(
  path: string,
  schema: Schema,
  directory: string,
  more: Partial<ExcerptRequest> & { readonly file?: Partial<DataFile>; readonly predicate?: Predicate } = {},
  signal = new AbortController().signal,
): Promise<ExcerptOutcome> {
  const { file, ...rest } = more
  nextName += 1
  const name = `excerpt-${nextName}`
  return await writeExcerpt(
    {
      task: {
        file: dataFile(path, { fileSizeBytes: await sizeOf(path), ...file }),
        sequenceNumber: 1n,
        deletes: [],
      },
      partitionSpec: UNPARTITIONED,
      schema,
      nameMapping: undefined,
      columnIndexes: new Set(schema.fields.keys()),
      predicate: ALWAYS_TRUE,
      store: createLocalFiles(),
      uri: uriOf(path),
      directory,
      name,
      ...rest,
    },
    signal,
  )
}

/** Rows of an excerpt, its columns cast to DuckDB types as a view does. */
export async function excerptRows(
  duck: DuckDBConnection,
  outcome: ExcerptOutcome,
  ...types: string[]
): Promise<unknown[]> {
  const rows = await rowsOf(duck, excerptSql(outcome.excerpt, new Map(types.entries())))
  return rows.map((row): unknown => JSON.parse(row))
}
