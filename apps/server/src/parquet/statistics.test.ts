// Statistics of column chunks as metrics: which bounds are believed, and what they are in the column's type.
import { describe, expect, it } from 'vitest'
import { parsePrimitiveType } from '@lake/core/iceberg/schema.ts'
import type { LiteralValue } from '@lake/core/iceberg/types.ts'
import type { Annotation } from './annotation.ts'
import type { ColumnChunk, PhysicalType, RawStatistics, SchemaNode } from './parquet-metadata.ts'
import { chunkMetrics } from './statistics.ts'

const NONE: Annotation = { kind: 'none' }
const timestamp = (unit: 'millis' | 'micros' | 'nanos'): Annotation => ({
  kind: 'timestamp',
  unit,
  isUtc: false,
})
const decimal = (scale: number): Annotation => ({ kind: 'decimal', precision: 9, scale })
const text = (value: string): Uint8Array => new TextEncoder().encode(value)
function bytesOf(physicalType: PhysicalType, value: number | bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(8))
  if (physicalType === 'INT64') view.setBigInt64(0, BigInt(value), true)
  else if (physicalType === 'DOUBLE') view.setFloat64(0, Number(value), true)
  else if (physicalType === 'FLOAT') view.setFloat32(0, Number(value), true)
  else view.setInt32(0, Number(value), true)
  return new Uint8Array(view.buffer, 0, physicalType === 'INT64' || physicalType === 'DOUBLE' ? 8 : 4)
}
const UNKNOWN: RawStatistics = {
  nullCount: undefined,
  minValue: undefined,
  maxValue: undefined,
  deprecatedMin: undefined,
  deprecatedMax: undefined,
}

function metricsOf(
  typeText: string,
  physicalType: PhysicalType,
  annotation: Annotation,
  statistics: Partial<RawStatistics> | undefined,
  hasColumnOrders = true,
) {
  const node: SchemaNode = {
    name: 'c',
    repetition: 'optional',
    annotation,
    fieldId: 1,
    leaf: { index: 0, physicalType, lengthBytes: physicalType === 'FIXED_LEN_BYTE_ARRAY' ? 4 : undefined },
    children: [],
  }
  const chunk: ColumnChunk = {
    range: { start: 0, end: 0 },
    codec: 0,
    encodings: [],
    valueCount: 10,
    compressedBytes: 0,
    uncompressedBytes: 0,
    dataPageOffset: 0,
    dictionaryPageOffset: undefined,
    statistics: statistics && { ...UNKNOWN, ...statistics },
    bloomFilter: undefined,
  }
  return chunkMetrics(parsePrimitiveType(typeText), node, chunk, hasColumnOrders)
}
const boundOf = (typeText: string, physicalType: PhysicalType, annotation: Annotation, bytes: Uint8Array) =>
  metricsOf(typeText, physicalType, annotation, { minValue: bytes }).lower

describe('bounds', () => {
  it.each<[string, PhysicalType, Annotation, number | bigint, LiteralValue | undefined]>([
    ['int', 'INT32', NONE, -5, -5n],
    ['int', 'INT32', { kind: 'integer', bitWidth: 8, isSigned: true }, -5, -5n],
    // Beyond the signed range they would be below zero.
    ['int', 'INT32', { kind: 'integer', bitWidth: 32, isSigned: false }, 5, undefined],
    ['long', 'INT64', NONE, 2n ** 62n + 1n, 2n ** 62n + 1n],
    ['long', 'INT32', NONE, 7, 7n],
    ['float', 'FLOAT', NONE, 0.5, 0.5],
    ['double', 'FLOAT', NONE, 0.5, 0.5],
    ['double', 'DOUBLE', NONE, Number.NaN, undefined],
    ['date', 'INT32', { kind: 'date' }, -1, -1n],
    ['time', 'INT64', { kind: 'time', unit: 'micros', isUtc: false }, 7, 7n],
    ['time', 'INT32', { kind: 'time', unit: 'millis', isUtc: false }, 7, 7_000n],
    ['timestamp', 'INT64', timestamp('micros'), -7, -7n],
    ['timestamp', 'INT64', timestamp('millis'), -7, -7_000n],
    ['timestamptz', 'INT64', timestamp('millis'), 7, 7_000n],
    ['timestamp', 'INT32', { kind: 'date' }, -1, -86_400_000_000n],
    ['timestamp_ns', 'INT64', timestamp('nanos'), 7, 7n],
    ['timestamp_ns', 'INT32', { kind: 'date' }, 1, 86_400_000_000_000n],
    ['decimal(9, 2)', 'INT32', decimal(2), 150, 150n],
    ['decimal(9, 2)', 'INT64', NONE, 150, 150n],
    // Of another scale it would be another number.
    ['decimal(9, 2)', 'INT32', decimal(3), 150, undefined],
    ['string', 'INT32', NONE, 1, undefined],
  ])('of %s in %s (%j) at %s are %s', (typeText, physicalType, annotation, value, expected) => {
    expect(boundOf(typeText, physicalType, annotation, bytesOf(physicalType, value))).toEqual(expected)
  })

  it.each<[string, PhysicalType, Annotation, Uint8Array, LiteralValue | undefined]>([
    ['string', 'BYTE_ARRAY', { kind: 'string' }, text('é'), 'é'],
    // Cut within a character.
    ['string', 'BYTE_ARRAY', { kind: 'string' }, text('é').slice(0, 1), undefined],
    ['binary', 'BYTE_ARRAY', NONE, Uint8Array.of(255), Uint8Array.of(255)],
    ['fixed[4]', 'FIXED_LEN_BYTE_ARRAY', NONE, Uint8Array.of(1, 2, 3, 4), Uint8Array.of(1, 2, 3, 4)],
    ['fixed[4]', 'FIXED_LEN_BYTE_ARRAY', NONE, Uint8Array.of(1, 2, 3), undefined],
    ['uuid', 'FIXED_LEN_BYTE_ARRAY', NONE, new Uint8Array(16), new Uint8Array(16)],
    ['uuid', 'FIXED_LEN_BYTE_ARRAY', NONE, new Uint8Array(15), undefined],
    ['decimal(9, 2)', 'FIXED_LEN_BYTE_ARRAY', decimal(2), Uint8Array.of(255, 106), -150n],
    ['decimal(9, 2)', 'FIXED_LEN_BYTE_ARRAY', decimal(1), Uint8Array.of(255, 106), undefined],
    ['int', 'INT32', NONE, Uint8Array.of(1), undefined],
    ['long', 'INT64', NONE, Uint8Array.of(1, 0, 0, 0), undefined],
    ['timestamp', 'INT96', NONE, new Uint8Array(12), undefined],
  ])('of %s in %s (%j) from the bytes %o are %o', (typeText, physicalType, annotation, bytes, expected) => {
    expect(boundOf(typeText, physicalType, annotation, bytes)).toEqual(expected)
  })

  it('of the older fields are believed of signed integers alone, and where there are no others', () => {
    const older = (typeText: string, physicalType: PhysicalType, bytes: Uint8Array) =>
      metricsOf(typeText, physicalType, NONE, { deprecatedMin: bytes, deprecatedMax: bytes })
    expect(older('int', 'INT32', bytesOf('INT32', 3))).toMatchObject({ lower: 3n, upper: 3n })
    for (const [typeText, physicalType, bytes] of [
      ['string', 'BYTE_ARRAY', text('a')],
      ['double', 'DOUBLE', bytesOf('DOUBLE', 1)],
      ['float', 'FLOAT', bytesOf('FLOAT', 1)],
      ['boolean', 'BOOLEAN', Uint8Array.of(1)],
    ] as const)
      expect(older(typeText, physicalType, bytes), typeText).toMatchObject({
        lower: undefined,
        upper: undefined,
      })
    const both = {
      minValue: bytesOf('INT32', 1),
      deprecatedMin: bytesOf('INT32', 9),
      deprecatedMax: bytesOf('INT32', 9),
    }
    expect(metricsOf('int', 'INT32', NONE, both)).toMatchObject({ lower: 1n, upper: undefined })
  })

  it('of text and bytes are believed where the writer says which order they follow', () => {
    const bounds = { minValue: text('a'), maxValue: text('b') }
    expect(metricsOf('string', 'BYTE_ARRAY', NONE, bounds, true)).toMatchObject({ lower: 'a', upper: 'b' })
    expect(metricsOf('string', 'BYTE_ARRAY', NONE, bounds, false)).toMatchObject({
      lower: undefined,
      upper: undefined,
    })
    const number = { minValue: bytesOf('INT32', 1) }
    expect(metricsOf('int', 'INT32', NONE, number, false)).toMatchObject({ lower: 1n })
  })
})

describe('counts', () => {
  it('that are absent or more than there are values are unknown', () => {
    expect(metricsOf('int', 'INT32', NONE, undefined)).toEqual({ valueCount: 10 })
    expect(metricsOf('int', 'INT32', NONE, {}).nullCount).toBeUndefined()
    expect(metricsOf('int', 'INT32', NONE, { nullCount: 11 }).nullCount).toBeUndefined()
    expect(metricsOf('int', 'INT32', NONE, { nullCount: 10 })).toMatchObject({
      nullCount: 10,
      valueCount: 10,
    })
    // Of NaN a file says nothing.
    expect(metricsOf('double', 'DOUBLE', NONE, { nullCount: 0 }).nanCount).toBeUndefined()
  })
})
