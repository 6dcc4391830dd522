// What manifests say of the columns of a snapshot, summed up over its data files. No row is read: counts include deleted
// rows, bounds are what writers wrote, and each figure says of how many files it is. Pure.
import { compareLiterals, decodeBound } from '../iceberg/literal.ts'
import type { DataFile } from '../iceberg/manifest.ts'
import { indexFields, isPrimitive } from '../iceberg/schema.ts'
import type { LiteralValue, PrimitiveType, Schema } from '../iceberg/types.ts'

/** A sum over the files that say it. */
export interface CountedOverFiles {
  readonly count: number
  readonly fileCount: number
}

/** The least lower or greatest upper bound of the files that have one, or that hold no value to bound. */
export interface BoundOverFiles {
  readonly value: LiteralValue
  readonly fileCount: number
}

export interface LeafStatistics {
  readonly fieldId: number
  readonly path: readonly string[]
  readonly type: PrimitiveType
  /** As stored, compressed. */
  readonly bytes: CountedOverFiles
  /** NULL and NaN included; elements where the column is in a list or map. */
  readonly values: CountedOverFiles
  readonly nulls: CountedOverFiles
  readonly nans: CountedOverFiles
  readonly lower: BoundOverFiles | undefined
  readonly upper: BoundOverFiles | undefined
}

export interface ColumnStatistics {
  add(file: DataFile): void
  /** By leaf, in the schema's order. */
  leaves(): readonly LeafStatistics[]
}

class Sum {
  count = 0
  fileCount = 0

  add(value: number | undefined): void {
    if (value === undefined) return
    this.count += value
    this.fileCount += 1
  }
}

class Bound {
  #value: LiteralValue | undefined
  #fileCount = 0
  readonly #isBetter: (order: number) => boolean

  /** @param isBetter whether a value takes the place of the present one, by how they compare */
  constructor(isBetter: (order: number) => boolean) {
    this.#isBetter = isBetter
  }

  add(value: LiteralValue | undefined, holdsNothing: boolean): void {
    if (
      value !== undefined &&
      (this.#value === undefined || this.#isBetter(compareLiterals(value, this.#value)))
    )
      this.#value = value
    if (value !== undefined || holdsNothing) this.#fileCount += 1
  }

  result(): BoundOverFiles | undefined {
    return this.#value === undefined ? undefined : { value: this.#value, fileCount: this.#fileCount }
  }
}

class Leaf {
  readonly fieldId: number
  readonly path: readonly string[]
  readonly type: PrimitiveType
  readonly #bytes = new Sum()
  readonly #values = new Sum()
  readonly #nulls = new Sum()
  readonly #nans = new Sum()
  readonly #lower = new Bound((order) => order < 0)
  readonly #upper = new Bound((order) => order > 0)

  constructor(fieldId: number, path: readonly string[], type: PrimitiveType) {
    this.fieldId = fieldId
    this.path = path
    this.type = type
  }

  add(file: DataFile): void {
    const id = this.fieldId
    const [values, nulls] = [file.valueCounts?.get(id), file.nullValueCounts?.get(id)]
    const nans = file.nanValueCounts?.get(id)
    this.#bytes.add(file.columnSizes?.get(id))
    this.#values.add(values)
    this.#nulls.add(nulls)
    this.#nans.add(nans)
    const [lower, upper] = this.#boundsOf(file)
    const holdsNothing = values !== undefined && nulls !== undefined && nulls + (nans ?? 0) === values
    this.#lower.add(lower, holdsNothing)
    this.#upper.add(upper, holdsNothing)
  }

  /** A bound that is no value of the type is none, nor is one of a pair that contradicts itself. */
  #boundsOf({ lowerBounds, upperBounds }: DataFile): [LiteralValue | undefined, LiteralValue | undefined] {
    const decode = (bytes: Uint8Array | undefined): LiteralValue | undefined => {
      const value = bytes && decodeBound(this.type, bytes)
      return typeof value === 'number' && Number.isNaN(value) ? undefined : value
    }
    const [lower, upper] = [decode(lowerBounds?.get(this.fieldId)), decode(upperBounds?.get(this.fieldId))]
    if (lower !== undefined && upper !== undefined && compareLiterals(lower, upper) > 0)
      return [undefined, undefined]
    return [lower, upper]
  }

  result(): LeafStatistics {
    const counted = ({ count, fileCount }: Sum): CountedOverFiles => ({ count, fileCount })
    return {
      fieldId: this.fieldId,
      path: this.path,
      type: this.type,
      bytes: counted(this.#bytes),
      values: counted(this.#values),
      nulls: counted(this.#nulls),
      nans: counted(this.#nans),
      lower: this.#lower.result(),
      upper: this.#upper.result(),
    }
  }
}

/** @param leavesMax of very wide schemas the first ones */
export function createColumnStatistics(schema: Schema, leavesMax: number): ColumnStatistics {
  const leaves = [...indexFields(schema)]
    .flatMap(([id, { path, type }]) => (isPrimitive(type) ? [new Leaf(id, path, type)] : []))
    .slice(0, leavesMax)
  return {
    add(file) {
      for (const leaf of leaves) leaf.add(file)
    },
    leaves: () => leaves.map((leaf) => leaf.result()),
  }
}

/** Letters or bytes that writers keep of a bound unless they are told otherwise (`truncate(16)`). */
const KEPT_BY_DEFAULT = 16

/**
 * Whether a bound may be less than the whole of a value: writers cut long text and binary, and the upper one is then
 * above every value.
 * @param properties the table's: `write.metadata.metrics.*`
 */
export function mayBeCut(
  { path, type }: Pick<LeafStatistics, 'path' | 'type'>,
  value: LiteralValue,
  properties: Readonly<Record<string, string>>,
): boolean {
  if (typeof value !== 'string' && !(value instanceof Uint8Array && type.kind !== 'uuid')) return false
  const mode =
    properties[`write.metadata.metrics.column.${path.join('.')}`] ??
    properties['write.metadata.metrics.default']
  const stated = /^truncate\((\d{1,9})\)$/i.exec(mode ?? '')?.[1]
  const kept = Math.min(KEPT_BY_DEFAULT, Number(stated ?? KEPT_BY_DEFAULT))
  return (typeof value === 'string' ? Array.from(value).length : value.length) >= kept
}
