// Parquet statistics of a column chunk as metrics of an Iceberg column, decoded exactly from the raw bytes: 64-bit
// integers, decimals and microseconds never pass through a float. Whatever is doubtful is unknown, which prunes nothing.
// Source: parquet-format parquet.thrift, Statistics and ColumnOrder.
import type { ColumnMetrics } from '@lake/core/expr/inclusive-metrics-evaluator.ts'
import { decodeSignedBigEndian } from '@lake/core/iceberg/literal-bytes.ts'
import type { LiteralValue, PrimitiveType } from '@lake/core/iceberg/types.ts'
import { decodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import type { ColumnChunk, RawStatistics, SchemaNode } from './parquet-metadata.ts'

const MICROS_PER_DAY = 86_400_000_000n

/**
 * Metrics of one chunk of a column outside of lists and maps.
 *
 * @param node the file's leaf; that its bytes can be read as `type` is checked elsewhere
 * @param hasColumnOrders without it, bounds of text and bytes may follow another order than ours
 */
export function chunkMetrics(
  type: PrimitiveType,
  node: SchemaNode,
  chunk: ColumnChunk,
  hasColumnOrders: boolean,
): ColumnMetrics {
  const { statistics, valueCount } = chunk
  if (statistics === undefined) return { valueCount }
  const nullCount =
    statistics.nullCount !== undefined && statistics.nullCount <= valueCount
      ? statistics.nullCount
      : undefined
  const [lowerBytes, upperBytes] = boundBytes(statistics, node, hasColumnOrders)
  return {
    valueCount,
    nullCount,
    lower: lowerBytes && decodePlain(type, node, lowerBytes),
    upper: upperBytes && decodePlain(type, node, upperBytes),
  }
}

function boundBytes(
  statistics: RawStatistics,
  node: SchemaNode,
  hasColumnOrders: boolean,
): readonly [Uint8Array | undefined, Uint8Array | undefined] {
  const { physicalType } = node.leaf ?? {}
  const isUnsigned = node.annotation.kind === 'integer' && !node.annotation.isSigned
  if (physicalType === undefined || physicalType === 'INT96' || isUnsigned) return [undefined, undefined]
  const isBytes = physicalType === 'BYTE_ARRAY' || physicalType === 'FIXED_LEN_BYTE_ARRAY'
  if (isBytes && !hasColumnOrders) return [undefined, undefined]
  if (statistics.minValue !== undefined || statistics.maxValue !== undefined) {
    return [statistics.minValue, statistics.maxValue]
  }
  // The older fields compare signed: right for integers, wrong for text, and unsafe for floats with NaN.
  const isSigned = physicalType === 'INT32' || physicalType === 'INT64'
  return isSigned ? [statistics.deprecatedMin, statistics.deprecatedMax] : [undefined, undefined]
}

/** Decodes one value in Parquet's plain encoding; undefined where its width or text is not what it must be. */
function decodePlain(type: PrimitiveType, node: SchemaNode, bytes: Uint8Array): LiteralValue | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (node.leaf?.physicalType) {
    case 'BOOLEAN':
      return type.kind === 'boolean' && bytes.byteLength === 1 ? bytes[0] === 1 : undefined
    case 'INT32':
      return bytes.byteLength === 4 ? scaleInteger(type, node, BigInt(view.getInt32(0, true))) : undefined
    case 'INT64':
      return bytes.byteLength === 8 ? scaleInteger(type, node, view.getBigInt64(0, true)) : undefined
    case 'FLOAT':
      return bytes.byteLength === 4 ? floating(type, view.getFloat32(0, true)) : undefined
    case 'DOUBLE':
      return bytes.byteLength === 8 ? floating(type, view.getFloat64(0, true)) : undefined
    case 'BYTE_ARRAY':
    case 'FIXED_LEN_BYTE_ARRAY':
      return decodeBytes(type, node, bytes)
    case 'INT96':
    case undefined:
      return undefined
  }
}

function scaleInteger(type: PrimitiveType, node: SchemaNode, value: bigint): bigint | undefined {
  const given = node.annotation
  const { kind } = type
  if (kind === 'int' || kind === 'long' || kind === 'date') return value
  if (kind === 'decimal') return given.kind !== 'decimal' || given.scale === type.scale ? value : undefined
  if (kind === 'time') return given.kind === 'time' && given.unit === 'millis' ? value * 1_000n : value
  if (kind === 'timestamp' || kind === 'timestamptz') {
    if (given.kind === 'date') return value * MICROS_PER_DAY
    return given.kind === 'timestamp' && given.unit === 'millis' ? value * 1_000n : value
  }
  if (kind === 'timestamp_ns' || kind === 'timestamptz_ns') {
    return given.kind === 'date' ? value * MICROS_PER_DAY * 1_000n : value
  }
  return undefined
}

function floating(type: PrimitiveType, value: number): number | undefined {
  return (type.kind === 'float' || type.kind === 'double') && !Number.isNaN(value) ? value : undefined
}

function decodeBytes(type: PrimitiveType, node: SchemaNode, bytes: Uint8Array): LiteralValue | undefined {
  // A bound that was cut within a character is no text, and then no bound.
  if (type.kind === 'string') return decodeUtf8(bytes)
  if (type.kind === 'binary') return bytes
  if (type.kind === 'uuid') return bytes.byteLength === 16 ? bytes : undefined
  if (type.kind === 'fixed') return bytes.byteLength === type.lengthBytes ? bytes : undefined
  if (type.kind !== 'decimal' || bytes.byteLength === 0) return undefined
  const isReadable = node.annotation.kind === 'decimal' && node.annotation.scale === type.scale
  return isReadable ? decodeSignedBigEndian(bytes) : undefined
}
