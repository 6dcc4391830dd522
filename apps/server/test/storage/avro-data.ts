// Avro data files in tests: encoded by avsc, another implementation than the one under test, and their excerpts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import avsc from 'avsc'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import { UNPARTITIONED } from '@lake/core/iceberg/partition-spec.ts'
import type { IcebergType, NestedField, Schema } from '@lake/core/iceberg/types.ts'
import { writeAvroExcerpt } from '../../src/avro/avro-excerpt.ts'
import { container, longType, type Codec } from '../../src/metadata/test/avro-file.ts'
import type { ExcerptOutcome, ExcerptRequest } from '../../src/parquet/excerpt-writer.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { createLocalFiles, sizeOf, uriOf } from './local-files.ts'

let next = 0

const isLong = (schema: unknown): boolean =>
  schema === 'long' ||
  (typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'long')

interface FileOptions {
  readonly codec?: Codec
  readonly rowsPerBlock?: number
}

export function writeAvro(
  directory: string,
  fields: readonly unknown[],
  rows: readonly unknown[],
  options: FileOptions = {},
): string {
  const { codec = 'null', rowsPerBlock = 3 } = options
  const schema = { type: 'record', name: 'table', fields }
  const type = avsc.Type.forSchema(schema as avsc.Schema, {
    typeHook: (attributes) => (isLong(attributes) ? longType : undefined),
  })
  const blocks = Array.from({ length: Math.ceil(rows.length / rowsPerBlock) }, (_, index) => {
    const part = rows.slice(index * rowsPerBlock, (index + 1) * rowsPerBlock)
    return { count: part.length, data: Buffer.concat(part.map((row) => type.toBuffer(row))) }
  })
  next += 1
  const path = join(directory, `${next}.avro`)
  writeFileSync(path, container(schema, { codec, blocks }))
  return path
}

export async function avroExcerptOf(
  directory: string,
  path: string,
  schema: Schema,
  more: Partial<ExcerptRequest> = {},
): Promise<ExcerptOutcome> {
  next += 1
  const size = await sizeOf(path)
  return await writeAvroExcerpt(
    {
      task: {
        file: dataFile(path, { fileSizeBytes: size, format: 'avro' }),
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
      name: `excerpt-${next}`,
      ...more,
    },
    new AbortController().signal,
  )
}

export const struct = (...fields: NestedField[]): IcebergType => ({ kind: 'struct', fields })
export const list = (elementId: number, element: IcebergType): IcebergType => ({
  kind: 'list',
  elementId,
  element,
  isElementRequired: false,
})
export const map = (keyId: number, key: IcebergType, valueId: number, value: IcebergType): IcebergType => ({
  kind: 'map',
  keyId,
  key,
  valueId,
  value,
  isValueRequired: false,
})
export const logical = (type: string, logicalType: string, more = {}) => ({ type, logicalType, ...more })
