// Reads partition tuples of manifests: matches the Avro struct's fields to the spec by partition field id (by name only
// where the file has no ids), and brings values to their canonical form. Source: Iceberg table spec, "Partition Values" of
// manifests and appendix A.
import type { LiteralValue, PrimitiveType } from '@lake/core/iceberg/types.ts'
import { indexFields, primitiveTypeOf } from '@lake/core/iceberg/schema.ts'
import { decodeSignedBigEndian } from '@lake/core/iceberg/literal-bytes.ts'
import { typePartitionFields } from '@lake/core/expr/partition-types.ts'
import { parseHex } from '@lake/core/iceberg/utf8.ts'
import { corruptAvro } from './avro-container.ts'
import type { AvroHeader } from './avro-container.ts'
import { fieldKey } from './avro-decoder.ts'
import type { AvroRecord, AvroValue } from './avro-decoder.ts'
import type { AvroField, AvroType } from './avro-schema.ts'
import type { ManifestContext } from './manifest-decoder.ts'

export type PartitionReader = (record: AvroRecord | undefined) => ReadonlyMap<number, LiteralValue | null>

const DATA_FILE_ID = 2
const PARTITION_ID = 102
const MICROS_PER_DAY = 86_400_000_000n

/** @param path names the file in messages */
export function compilePartitionReader(
  header: AvroHeader,
  { spec, schema }: ManifestContext,
  path: string,
): PartitionReader {
  const written = recordFields(
    fieldOf(
      recordFields(fieldOf(header.schema.fields, DATA_FILE_ID, 'data_file')),
      PARTITION_ID,
      'partition',
    ),
  )
  const index = indexFields(schema)
  const columns = typePartitionFields(spec, (fieldId) => primitiveTypeOf(index, fieldId)).flatMap((field) => {
    const column = fieldOf(written, field.fieldId, field.name)
    // A field that the file does not have stays out of the tuple: its value is unknown, not null.
    if (!column) return []
    const key = fieldKey(column.fieldId, column.name)
    return [{ fieldId: field.fieldId, key, convert: converterOf(nonNull(column.type), field.resultType) }]
  })
  const toValue = (value: AvroValue, convert: Converter): LiteralValue | null => {
    if (value === null || value === undefined) return null
    const literal = convert(value)
    if (literal === undefined) throw corruptAvro(path, 'has a partition value of an impossible type')
    return literal
  }
  return (record) =>
    new Map(columns.map(({ fieldId, key, convert }) => [fieldId, toValue(record?.[key], convert)]))
}

function recordFields(field: AvroField | undefined): readonly AvroField[] {
  const type = field && nonNull(field.type)
  return type?.kind === 'record' ? type.fields : []
}

function fieldOf(fields: readonly AvroField[], fieldId: number, name: string): AvroField | undefined {
  return (
    fields.find((field) => field.fieldId === fieldId) ??
    fields.find((field) => field.fieldId === undefined && field.name === name)
  )
}

/** The branch of an optional type that is not null. */
function nonNull(type: AvroType): AvroType {
  return type.kind === 'union' ? (type.branches.find((branch) => branch.kind !== 'null') ?? type) : type
}

type Converter = (value: AvroValue) => LiteralValue | undefined

function converterOf(written: AvroType, result: PrimitiveType | undefined): Converter {
  const logicalType = 'logicalType' in written ? written.logicalType : undefined
  const isDecimal = logicalType === 'decimal' || result?.kind === 'decimal'
  const unitsPerDay =
    logicalType === 'date' && result?.kind === 'timestamp'
      ? MICROS_PER_DAY
      : logicalType === 'date' && result?.kind === 'timestamp_ns'
        ? MICROS_PER_DAY * 1_000n
        : 1n
  return (value) => {
    switch (written.kind) {
      case 'int':
      case 'long':
        // A date that was promoted to a timestamp is still written as days.
        return typeof value === 'number' || typeof value === 'bigint'
          ? BigInt(value) * unitsPerDay
          : undefined
      case 'boolean':
      case 'float':
      case 'double':
        return value as boolean | number
      case 'string':
        return result?.kind === 'uuid' ? parseHex(String(value).replaceAll('-', '')) : (value as string)
      case 'bytes':
      case 'fixed':
        return isDecimal ? decodeSignedBigEndian(value as Uint8Array) : (value as Uint8Array)
      default:
        return undefined
    }
  }
}
