// Drops row groups whose bloom filters prove that none of the values looked for occurs. Only for `=` and `IN` that every
// row must pass, and only for types whose equal values have equal bytes: not floats, where 0 and -0 are equal.
// A filter is read only where it is smaller than what it may save. Source: parquet-format BloomFilter.md.
import type { Predicate } from '@lake/core/expr/predicate.ts'
import type { LiteralValue } from '@lake/core/iceberg/types.ts'
import { encodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { readBloomFilter, sbbfContains } from 'hyparquet/src/bloom.js'
import { xxhash64 } from 'hyparquet/src/xxhash.js'
import { LIMITS } from '../limits.ts'
import type { ByteRange } from '../storage/object-store.ts'
import type { FileReader } from './file-reader.ts'
import type { RawStatistics, RowGroup } from './parquet-metadata.ts'
import type { FilterableColumn } from './row-group-pruning.ts'
import { decodeThrift } from './thrift.ts'

interface Search {
  readonly leafIndex: number
  /** A row passes only if its value has one of these hashes. */
  readonly hashes: readonly bigint[]
}

interface Probe {
  readonly group: RowGroup
  readonly search: Search
  readonly range: ByteRange
}

/**
 * The row groups that may still hold a matching row, in order.
 *
 * @param neededLeaves leaves that would be read of every group that stays
 */
export async function dropByBloomFilters(
  groups: readonly RowGroup[],
  filter: { readonly columns: ReadonlyMap<number, FilterableColumn>; readonly predicate: Predicate },
  neededLeaves: readonly number[],
  reader: FileReader,
  signal: AbortSignal,
): Promise<readonly RowGroup[]> {
  const searches = findSearches(filter.predicate, filter.columns)
  if (searches.length === 0) return groups
  const probes = groups.flatMap((group) => probesOf(group, searches, neededLeaves))
  const dropped = new Set<RowGroup>()
  await reader.readRanges(
    probes.map((probe) => probe.range),
    async (index, _position, bytes) => {
      const probe = probes[index]
      if (probe && !mightContain(bytes, probe.search)) dropped.add(probe.group)
      await Promise.resolve()
    },
    signal,
  )
  return groups.filter((group) => !dropped.has(group))
}

function findSearches(
  predicate: Predicate,
  columns: ReadonlyMap<number, FilterableColumn>,
): readonly Search[] {
  if (predicate.op === 'and') {
    return predicate.operands.flatMap((operand) => findSearches(operand, columns))
  }
  const literals = literalsOf(predicate)
  const column = 'fieldId' in predicate ? columns.get(predicate.fieldId) : undefined
  if (literals === undefined || column?.node.leaf === undefined) return []
  const encoded = literals.map((literal) => encodeValue(column, literal))
  const hashes = encoded.flatMap((bytes) => (bytes === undefined ? [] : [xxhash64(bytes)]))
  return hashes.length < literals.length ? [] : [{ leafIndex: column.node.leaf.index, hashes }]
}

/** Of a predicate that only rows with one of some values pass. */
function literalsOf(predicate: Predicate): readonly LiteralValue[] | undefined {
  if (predicate.op === 'eq') return [predicate.literal]
  return predicate.op === 'in' ? predicate.literals : undefined
}

function probesOf(group: RowGroup, searches: readonly Search[], neededLeaves: readonly number[]): Probe[] {
  let budgetBytes = neededLeaves.reduce(
    (total, index) => total + (group.chunks[index]?.compressedBytes ?? 0),
    0,
  )
  return searches.flatMap((search): Probe[] => {
    const { bloomFilter, statistics } = group.chunks[search.leafIndex] ?? {}
    if (bloomFilter === undefined || bloomFilter.lengthBytes === 0) return []
    if (hasOneValue(statistics)) return []
    const { lengthBytes } = bloomFilter
    if (lengthBytes > LIMITS.bloomFilterBytesMax || lengthBytes >= budgetBytes) return []
    budgetBytes -= lengthBytes
    const range = { start: bloomFilter.offset, end: bloomFilter.offset + lengthBytes }
    return [{ group, search, range }]
  })
}

/** Then it is one looked for: other row groups have been dropped by these statistics. */
function hasOneValue(statistics: RawStatistics | undefined): boolean {
  const { minValue, maxValue } = statistics ?? {}
  return minValue !== undefined && maxValue !== undefined && Buffer.compare(minValue, maxValue) === 0
}

function mightContain(bytes: Uint8Array, { hashes }: Search): boolean {
  let filter: ReturnType<typeof readBloomFilter>
  try {
    // The library takes what the header claims on trust.
    decodeThrift(bytes)
    filter = readBloomFilter({
      view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      offset: 0,
    })
  } catch {
    // A damaged filter proves nothing.
    return true
  }
  const { blocks } = filter ?? {}
  return blocks === undefined || hashes.some((hash) => sbbfContains(blocks, hash))
}

/** The value in the file's plain encoding; undefined where equal values may have other bytes. */
function encodeValue({ type, node }: FilterableColumn, value: LiteralValue): Uint8Array | undefined {
  const physical = node.leaf?.physicalType
  const { annotation } = node
  if (typeof value === 'string') {
    return physical === 'BYTE_ARRAY' && type.kind === 'string' ? encodeUtf8(value) : undefined
  }
  if (value instanceof Uint8Array) {
    return physical === 'BYTE_ARRAY' || physical === 'FIXED_LEN_BYTE_ARRAY' ? value : undefined
  }
  if (typeof value !== 'bigint') return undefined
  const isInteger = (type.kind === 'int' || type.kind === 'long') && isSigned(annotation)
  const isDate = type.kind === 'date'
  const isMicros =
    (type.kind === 'timestamp' || type.kind === 'timestamptz') &&
    annotation.kind === 'timestamp' &&
    annotation.unit === 'micros'
  if (physical === 'INT32' && (isInteger || isDate)) return encodeInteger(value, 4)
  if (physical === 'INT64' && (isInteger || isMicros)) return encodeInteger(value, 8)
  return undefined
}

function isSigned(annotation: FilterableColumn['node']['annotation']): boolean {
  return annotation.kind === 'none' || (annotation.kind === 'integer' && annotation.isSigned)
}

function encodeInteger(value: bigint, lengthBytes: 4 | 8): Uint8Array | undefined {
  if (BigInt.asIntN(lengthBytes * 8, value) !== value) return undefined
  const bytes = new Uint8Array(lengthBytes)
  const view = new DataView(bytes.buffer)
  if (lengthBytes === 4) view.setInt32(0, Number(value), true)
  else view.setBigInt64(0, value, true)
  return bytes
}
