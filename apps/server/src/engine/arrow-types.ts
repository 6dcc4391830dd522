// How each DuckDB type is written in Arrow. Nothing is rounded: a type without an exact Arrow twin travels as the
// engine's own text, and the field's metadata names the DuckDB type in every case.
//
// HUGEINT is Decimal128(38, 0): its 128 bits as they are, so values beyond 38 digits exceed the declared precision but
// not the format. UHUGEINT does not fit and is text, as are intervals, bit strings, unions and times with an offset.
import {
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId,
  DuckDBUnionType,
  type DuckDBType,
} from '@duckdb/node-api'
import {
  Binary,
  Bool,
  DateDay,
  Decimal,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  Int8,
  List,
  Map_,
  Schema,
  Struct,
  TimeMicrosecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint16,
  Uint32,
  Uint64,
  Uint8,
  Utf8,
  type DataType,
} from 'apache-arrow'
import { FIELD_TYPE_KEY } from '@lake/core/api/wire-keys.ts'
import { nameInstants } from './instant-types.ts'

const SIMPLE: Partial<Record<DuckDBTypeId, () => DataType>> = {
  [DuckDBTypeId.BOOLEAN]: () => new Bool(),
  [DuckDBTypeId.TINYINT]: () => new Int8(),
  [DuckDBTypeId.SMALLINT]: () => new Int16(),
  [DuckDBTypeId.INTEGER]: () => new Int32(),
  [DuckDBTypeId.BIGINT]: () => new Int64(),
  [DuckDBTypeId.UTINYINT]: () => new Uint8(),
  [DuckDBTypeId.USMALLINT]: () => new Uint16(),
  [DuckDBTypeId.UINTEGER]: () => new Uint32(),
  [DuckDBTypeId.UBIGINT]: () => new Uint64(),
  [DuckDBTypeId.HUGEINT]: () => new Decimal(0, 38, 128),
  [DuckDBTypeId.FLOAT]: () => new Float32(),
  [DuckDBTypeId.DOUBLE]: () => new Float64(),
  [DuckDBTypeId.DATE]: () => new DateDay(),
  [DuckDBTypeId.TIME]: () => new TimeMicrosecond(),
  [DuckDBTypeId.TIME_NS]: () => new TimeNanosecond(),
  [DuckDBTypeId.TIMESTAMP_S]: () => new TimestampSecond(),
  [DuckDBTypeId.TIMESTAMP_MS]: () => new TimestampMillisecond(),
  [DuckDBTypeId.TIMESTAMP]: () => new TimestampMicrosecond(),
  [DuckDBTypeId.TIMESTAMP_TZ]: () => new TimestampMicrosecond('UTC'),
  [DuckDBTypeId.BLOB]: () => new Binary(),
  [DuckDBTypeId.GEOMETRY]: () => new Binary(),
  [DuckDBTypeId.UUID]: () => new FixedSizeBinary(16),
}

/** Which nanosecond times of a column are instants, and the number of the next one. */
interface Instants {
  readonly numbers: readonly number[]
  next: number
}

export function arrowType(type: DuckDBType, instants: Instants = { numbers: [], next: 0 }): DataType {
  if (type instanceof DuckDBDecimalType) return new Decimal(type.scale, type.width, 128)
  if (type instanceof DuckDBListType) return new List(arrowField('item', type.valueType, instants))
  if (type instanceof DuckDBArrayType) {
    return new FixedSizeList(type.length, arrowField('item', type.valueType, instants))
  }
  if (type instanceof DuckDBStructType) {
    return new Struct(
      type.entryTypes.map((entry, index) => arrowField(type.entryNames[index] ?? '', entry, instants)),
    )
  }
  if (type instanceof DuckDBMapType) {
    const key = arrowField('key', type.keyType, instants, false)
    const entries = new Struct([key, arrowField('value', type.valueType, instants)])
    return new Map_(new Field('entries', entries, false) as never, false)
  }
  // Text, but its times have numbers too.
  if (type instanceof DuckDBUnionType) for (const member of type.memberTypes) arrowType(member, instants)
  if (type.typeId === DuckDBTypeId.TIMESTAMP_NS) {
    instants.next += 1
    return new TimestampNanosecond(instants.numbers.includes(instants.next - 1) ? 'UTC' : null)
  }
  return SIMPLE[type.typeId]?.() ?? new Utf8()
}

/** DuckDB's spelling of a type, as in `DECIMAL(18,2)`; an alias such as `JSON` goes first. */
export function typeText(type: DuckDBType): string {
  return type.alias ?? type.toString()
}

/** A column of a result. */
export interface ArrowColumn {
  readonly name: string
  readonly type: DuckDBType
  /** Which of its nanosecond times are instants (instant-types.ts). */
  readonly instants?: readonly number[]
}

function arrowField(name: string, type: DuckDBType, instants: Instants, isNullable = true): Field {
  const first = instants.next
  const arrow = arrowType(type, instants)
  const own = instants.numbers.flatMap((number) =>
    number >= first && number < instants.next ? [number - first] : [],
  )
  const metadata = new Map([[FIELD_TYPE_KEY, nameInstants(typeText(type), own)]])
  if (type.typeId === DuckDBTypeId.UUID) metadata.set('ARROW:extension:name', 'arrow.uuid')
  return new Field(name, arrow, isNullable, metadata)
}

/** Names may repeat; readers address columns by index. */
export function arrowSchema(columns: readonly ArrowColumn[]): Schema {
  return new Schema(
    columns.map(({ name, type, instants = [] }) => arrowField(name, type, { numbers: instants, next: 0 })),
  )
}
