// Damaged values: bounds and partition values of every type, variants, geometries, paths, sealed texts.
import { describe } from 'vitest'
import { formatLiteralSql, decodeBound, parseLiteral, compareLiterals } from '@lake/core/iceberg/literal.ts'
import { encodeBound } from '@lake/core/iceberg/literal-bytes.ts'
import { formatLiteral } from '@lake/core/iceberg/literal-display.ts'
import { applyTransform, parseTransform } from '@lake/core/iceberg/transform.ts'
import type { LiteralValue, PrimitiveType } from '@lake/core/iceberg/types.ts'
import { formatWkt } from '@lake/core/iceberg/wkt.ts'
import { decodeVariantNames } from '../../src/parquet/variant/variant-bytes.ts'
import { VariantText, writeVariant } from '../../src/parquet/variant/variant-json.ts'
import { createSealer } from '../../src/sealing/sealer.ts'
import { Secret } from '../../src/observability/redaction.ts'
import { storageError } from '../../src/storage/storage-errors.ts'
import { createTablePaths } from '../../src/storage/table-paths.ts'
import { fuzz } from './fuzz.ts'
import { concat, mutateBytes } from './mutate-bytes.ts'
import { bytesOf, textTarget, textOf } from './text-targets.ts'

const bytesTarget = { mutate: mutateBytes, sizeOf: (bytes: Uint8Array) => bytes.byteLength }

const VALUES: readonly (readonly [PrimitiveType, LiteralValue])[] = [
  [{ kind: 'boolean' }, true],
  [{ kind: 'int' }, -5n],
  [{ kind: 'long' }, 2n ** 62n],
  [{ kind: 'float' }, 0.5],
  [{ kind: 'double' }, -1e300],
  [{ kind: 'date' }, 19_000n],
  [{ kind: 'time' }, 86_399_999_999n],
  [{ kind: 'timestamp' }, -1n],
  [{ kind: 'timestamptz' }, 1_700_000_000_000_000n],
  [{ kind: 'timestamp_ns' }, 1_700_000_000_000_000_000n],
  [{ kind: 'timestamptz_ns' }, -1n],
  [{ kind: 'decimal', precision: 38, scale: 10 }, -(10n ** 30n)],
  [{ kind: 'string' }, 'text 😀'],
  [{ kind: 'uuid' }, new Uint8Array(16).fill(0xab)],
  [{ kind: 'fixed', lengthBytes: 4 }, Uint8Array.of(1, 2, 3, 4)],
  [{ kind: 'binary' }, Uint8Array.of(0, 255)],
  [{ kind: 'unknown' }, Uint8Array.of(1)],
  [{ kind: 'variant' }, Uint8Array.of(1)],
]
const TRANSFORMS = ['identity', 'bucket[7]', 'truncate[3]', 'year', 'month', 'day', 'hour', 'void'].map(
  parseTransform,
)

interface ValueInput {
  readonly type: PrimitiveType
  readonly bytes: Uint8Array
}

/** All that is done with a value that stands in metadata. */
function applyAll(type: PrimitiveType, value: LiteralValue): unknown {
  const transformed = TRANSFORMS.map((transform) => applyTransform(transform, type, value))
  return [
    transformed,
    formatLiteral(type, value),
    formatLiteralSql(type, value),
    compareLiterals(value, value),
  ]
}

describe('[FZ1] values', () => {
  const encoded = VALUES.map(([type, value]) => ({ type, bytes: encodeBound(type, value) }))
  fuzz('bounds', {
    inputs: encoded,
    mutate: (inputs: readonly ValueInput[], random) => ({
      type: inputs[Math.floor(random() * inputs.length)]!.type,
      bytes: mutateBytes(
        inputs.map(({ bytes }) => bytes),
        random,
      ),
    }),
    sizeOf: ({ bytes }) => bytes.byteLength,
    isTotal: true,
    runs: 2_000,
    run: ({ type, bytes }) => {
      const value = decodeBound(type, bytes)
      return value === undefined ? undefined : applyAll(type, value)
    },
  })
  fuzz('texts of constants', {
    inputs: VALUES.filter(([{ kind }]) => kind !== 'unknown' && kind !== 'variant').map(([type, value]) => ({
      type,
      bytes: bytesOf(formatLiteral(type, value)),
    })),
    mutate: (inputs: readonly ValueInput[], random) => ({
      type: inputs[Math.floor(random() * inputs.length)]!.type,
      bytes: mutateBytes(
        inputs.map(({ bytes }) => bytes),
        random,
      ),
    }),
    sizeOf: ({ bytes }) => bytes.byteLength,
    isTotal: true,
    runs: 2_000,
    run: ({ type, bytes }) => {
      const value = parseLiteral(type, textOf(bytes))
      return value === undefined ? undefined : applyAll(type, value)
    },
  })
})

const double = (value: number): Uint8Array => new Uint8Array(new Float64Array([value]).buffer)
const wkb = (kind: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  concat(Uint8Array.of(1, kind & 0xff, kind >>> 8, 0, 0), ...parts)
const count = (value: number): Uint8Array => Uint8Array.of(value, 0, 0, 0)
const POINT = wkb(1, double(1.5), double(-2))
const RING = concat(count(3), ...[0, 0, 1, 1, 0, 0].map(double))
const GEOMETRIES = [
  POINT,
  wkb(2, count(2), ...[1, 2, 3, 4].map(double)),
  wkb(3, count(1), RING),
  wkb(4, count(2), POINT, POINT),
  wkb(6, count(1), wkb(3, count(1), RING)),
  wkb(7, count(2), POINT, wkb(7, count(1), wkb(1_001, double(1), double(2), double(3)))),
  concat(Uint8Array.of(1, 1, 0, 0, 0x20), count(4), double(1), double(2)),
]

describe('[H78] [FZ1] geometries', () => {
  fuzz('well-known binary', {
    ...bytesTarget,
    inputs: GEOMETRIES,
    isTotal: true,
    runs: 3_000,
    run: (bytes) => formatWkt(bytes),
  })
})

/** A dictionary of two names, and an object, a list and primitives. */
const NAMES = Uint8Array.of(0x11, 2, 0, 1, 3, 0x61, 0x62, 0x63)
const int8 = (value: number): Uint8Array => Uint8Array.of(0x0c, value)
const VARIANTS = [
  Uint8Array.of(0x00),
  int8(7),
  Uint8Array.of(0x0d, 0x61, 0x62, 0x63),
  concat(Uint8Array.of(0x02, 2, 0, 1, 0, 2, 4), int8(1), int8(2)),
  concat(Uint8Array.of(0x03, 2, 0, 2, 4), int8(1), int8(2)),
  Uint8Array.of(0x20, 2, 1, 0, 0, 0),
  concat(Uint8Array.of(0x28, 38), new Uint8Array(16).fill(0x11)),
  concat(Uint8Array.of(0x40, 3, 0, 0, 0), bytesOf('abc')),
  concat(Uint8Array.of(0x4c), new Uint8Array(8).fill(0x11)),
  concat(Uint8Array.of(0x50), new Uint8Array(16).fill(0xcd)),
]

interface VariantInput {
  readonly names: Uint8Array
  readonly value: Uint8Array
}

describe('[H77] [FZ1] variants', () => {
  fuzz('dictionaries and values', {
    inputs: VARIANTS.map((value): VariantInput => ({ names: NAMES, value })),
    mutate: (inputs, random) => {
      const input = inputs[Math.floor(random() * inputs.length)]!
      return random() < 0.25
        ? { ...input, names: mutateBytes([input.names], random) }
        : {
            ...input,
            value: mutateBytes(
              inputs.map(({ value }) => value),
              random,
            ),
          }
    },
    sizeOf: ({ names, value }) => names.byteLength + value.byteLength,
    runs: 3_000,
    run: ({ names, value }) => {
      const text = new VariantText()
      writeVariant(value, decodeVariantNames(names), 0, text)
      return JSON.parse(text.toString())
    },
  })
})

describe('[FZ1] answers of stores', () => {
  fuzz('bodies of errors of object stores', {
    ...textTarget,
    inputs: ['<?xml version="1.0"?><Error><Code>AccessDenied</Code><Region>eu-west-1</Region></Error>', ''],
    isTotal: true,
    run: (bodyText) => {
      const answer = { status: [301, 400, 403, 404, 503][bodyText.length % 5] ?? 500, headers: {}, bodyText }
      const options = { isCredentialFailure: () => false, missingBucketCodes: ['NoSuchBucket'] }
      return storageError(answer, { bucket: 'b', key: bodyText }, options).message
    },
  })
})

describe('[H17] [FZ1] texts that come back', () => {
  const paths = createTablePaths(
    new Map([
      ['/warehouse', 's3://b/w'],
      ['s3://old/t', 's3://b/t'],
    ]),
  )
  fuzz('paths of files', {
    ...textTarget,
    inputs: [
      's3://b/t/data/f.parquet',
      's3a://b/x%20y//z',
      'hdfs://h:8020/warehouse/f',
      'gs://b/t/f.parquet',
      'abfss://c@account.dfs.core.windows.net/t/f.parquet',
      's3://old/t/f',
      '/warehouse/a',
    ],
    runs: 2_000,
    run: (path) => {
      const uri = paths.canonicalUri(path)
      return [uri, paths.canonicalUri(uri)]
    },
  })
  const keys = [{ id: 'k', key: new Secret(Buffer.alloc(32, 1).toString('base64')) }]
  const sealer = createSealer({ keys, purpose: 'fuzz' })
  fuzz('sealed texts', {
    ...textTarget,
    // Sealed once: every seal is another text.
    inputs: ['AQFreU1lZT1eemMx2vD30fYQJU68HOEKCL5Pm30wSkFXOFFLBc8'],
    isTotal: true,
    runs: 2_000,
    run: (sealed) => sealer.open(sealed),
  })
})
