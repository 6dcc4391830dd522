// Damaged JSON: what catalogs answer, table metadata with all that planning takes out of it, and files of ours.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { conjunctsOf } from '@lake/core/expr/conjuncts.ts'
import { isAppError } from '@lake/core/errors.ts'
import { parseNameMapping } from '@lake/core/iceberg/name-mapping.ts'
import { isUnpartitioned } from '@lake/core/iceberg/partition-spec.ts'
import {
  parsePrimitiveType,
  formatType,
  indexFields,
  isPrimitive,
  primitiveTypeOf,
} from '@lake/core/iceberg/schema.ts'
import { currentSnapshot, resolveVersion } from '@lake/core/iceberg/snapshot.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { nameMappingOf } from '@lake/core/iceberg/table-name-mapping.ts'
import { parseTransform, transformResultType } from '@lake/core/iceberg/transform.ts'
import { createTableScan } from '@lake/core/scan/table-scan.ts'
import { parsePrincipals } from '../../src/access/parse-principals.ts'
import { parseMetadataFile, parseTable } from '../../src/catalog/parsed-table.ts'
import {
  configAnswer,
  listTablesAnswer,
  loadCredentialsAnswer,
  parseAnswer,
  parseErrorBody,
} from '../../src/catalog/rest-schemas.ts'
import { missingFieldSql } from '../../src/parquet/default-sql.ts'
import { duckdbType } from '../../src/sql/duckdb-type.ts'
import { fuzz } from './fuzz.ts'
import { fixtureFiles } from './inputs.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { bytesOf, jsonTarget, textTarget, textOf } from './text-targets.ts'

const REST_CODES = ['CATALOG_UNAVAILABLE'] as const
const TABLE_CODES = [
  'CATALOG_UNAVAILABLE',
  'TABLE_CORRUPT',
  'TABLE_UNSUPPORTED',
  'READ_RESTRICTED',
  'NO_SUCH_SNAPSHOT',
  'SNAPSHOT_EXPIRED',
] as const

const METADATA_BYTES_MAX = 1_000_000

/** What planning and binding ask of metadata before any other file is read. */
function askAll(metadata: TableMetadata): unknown {
  const used: unknown[] = [nameMappingOf(metadata)]
  for (const schema of metadata.schemas) {
    const fields = indexFields(schema)
    used.push([...fields.values()].map(({ type }) => [duckdbType(type), formatType(type)]))
    used.push(schema.fields.map((field) => missingFieldSqlOf(field)))
    for (const { fields: partition } of metadata.partitionSpecs) {
      for (const { sourceIds, transform } of partition) {
        const source = primitiveTypeOf(fields, sourceIds[0] ?? -1)
        used.push(source && transformResultType(parseTransform(transform), source))
      }
    }
    const literal = { op: 'is-null', fieldId: schema.fields[0]?.id ?? 0 } as const
    createTableScan({ specs: metadata.partitionSpecs, schema, predicate: literal })
  }
  used.push(
    metadata.partitionSpecs.map(isUnpartitioned),
    conjunctsOf({ op: 'true' }),
    currentSnapshot(metadata),
  )
  for (const { name } of metadata.refs) used.push(resolveVersion(metadata, { kind: 'ref', name }))
  used.push(resolveVersion(metadata, { kind: 'time', timestampMs: 1_900_000_000_000 }))
  return used
}

/** A required field without a default is refused where a file lacks it, which is no fault of the metadata. */
function missingFieldSqlOf(field: Parameters<typeof missingFieldSql>[0]): string | undefined {
  try {
    return missingFieldSql(field, field.name)
  } catch (error) {
    if (isAppError(error)) return undefined
    throw error
  }
}

const metadataTexts = fixtureFiles(/\.metadata\.json$/, 20_000).map(textOf)
const answers = metadataTexts.map((text) =>
  JSON.stringify({
    'metadata-location': 's3://b/t/metadata/1.metadata.json',
    metadata: JSON.parse(text) as unknown,
    config: { 's3.endpoint': 'https://example.com', other: null },
    'storage-credentials': [{ prefix: 's3://b/', config: { 's3.access-key-id': 'a' } }],
  }),
)

describe('[FZ1] answers of catalogs', () => {
  fuzz('loadTable with its metadata', {
    ...jsonTarget,
    inputs: answers,
    runs: 300,
    codes: TABLE_CODES,
    run: (text) => {
      const table = parseTable(bytesOf(text))
      return [table, table.metadata && askAll(table.metadata)]
    },
  })
  fuzz('metadata files, compressed or not', {
    inputs: metadataTexts.flatMap((text) => [bytesOf(text), new Uint8Array(gzipSync(text))]),
    mutate: (inputs, random) => {
      if (random() < 0.3) return mutateBytes(inputs, random)
      const text = jsonTarget.mutate(metadataTexts, random)
      return random() < 0.5 ? bytesOf(text) : new Uint8Array(gzipSync(text))
    },
    sizeOf: (bytes) => bytes.byteLength,
    // Texts repeat themselves, and zlib packs them a thousandfold at most.
    multiple: 1_100 * 8,
    codes: TABLE_CODES,
    run: (bytes) => askAll(parseMetadataFile(bytes, METADATA_BYTES_MAX)),
  })
  it('a metadata file that swells beyond what is read is refused', () => {
    const bomb = gzipSync(new Uint8Array(METADATA_BYTES_MAX + 1))
    expect(() => parseMetadataFile(bomb, METADATA_BYTES_MAX)).toThrow(
      expect.objectContaining({ code: 'TABLE_CORRUPT', details: { bytesMax: METADATA_BYTES_MAX } }),
    )
  })
  fuzz('configuration, lists and credentials', {
    ...jsonTarget,
    inputs: [
      JSON.stringify({
        defaults: { prefix: 'p', a: null },
        overrides: { uri: 'https://c' },
        endpoints: ['GET /v1/x'],
      }),
      JSON.stringify({ identifiers: [{ namespace: ['a', 'b'], name: 't' }], 'next-page-token': 'x' }),
      JSON.stringify({ 'storage-credentials': [{ prefix: 's3://b', config: { k: 'v' } }] }),
    ],
    codes: REST_CODES,
    run: (text) => [
      parseAnswer(configAnswer, text, 'configuration'),
      parseAnswer(listTablesAnswer, text, 'list'),
      parseAnswer(loadCredentialsAnswer, text, 'credentials'),
    ],
  })
  fuzz('bodies of errors', {
    ...jsonTarget,
    inputs: [
      JSON.stringify({ error: { message: 'no', type: 'NoSuchTableException', code: 404 } }),
      JSON.stringify({ message: 'no', type: null }),
    ],
    isTotal: true,
    run: parseErrorBody,
  })
})

const MAPPING = JSON.stringify([
  { 'field-id': 1, names: ['a', 'b.c'] },
  { names: ['x'], fields: [{ 'field-id': 3, names: ['element'], fields: [{ 'field-id': 4, names: [] }] }] },
])

describe('[FZ1] texts of metadata', () => {
  fuzz('name mappings', { ...jsonTarget, inputs: [MAPPING], run: parseNameMapping })
  fuzz('types', {
    mutate: (inputs, random) => textTarget.mutate(inputs, random),
    sizeOf: (text: string) => text.length,
    inputs: [
      'decimal(38, 10)',
      'fixed[16]',
      'geometry(EPSG:4326)',
      'geography(OGC:CRS84, vincenty)',
      'timestamptz_ns',
    ],
    runs: 1_000,
    run: (text) => {
      const type = parsePrimitiveType(text)
      return [formatType(type), isPrimitive(type), duckdbType(type)]
    },
  })
  fuzz('transforms', {
    mutate: (inputs, random) => textTarget.mutate(inputs, random),
    sizeOf: (text: string) => text.length,
    inputs: ['bucket[16]', 'truncate[4]', 'identity', 'hour'],
    isTotal: true,
    run: (text) => transformResultType(parseTransform(text), { kind: 'timestamp' }),
  })
})

const PRINCIPALS = JSON.stringify({
  principals: [
    {
      name: 'ada',
      namespaces: ['a.b', ['c', 'd'], '*'],
      tokens: [{ sha256: 'a'.repeat(64), expiresAt: '2030-01-01T00:00:00Z', note: 'n' }],
    },
  ],
})

describe('[FZ1] files of the deployment', () => {
  fuzz('the principals file', {
    ...jsonTarget,
    inputs: [PRINCIPALS],
    isTotal: true,
    run: (text) => {
      const principals = parsePrincipals(text)
      if ('faults' in principals) return principals.faults
      return [principals.find('file:ada'), principals.findByDigest(Buffer.alloc(32, 0xaa), 0)]
    },
  })
})
