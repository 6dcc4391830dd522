// Arrow columns of lists, maps, fixed-size arrays and structs, built from DuckDB vectors. See column-writer.ts.
import { makeData, type DataType } from 'apache-arrow'
import { createOffsets, dataProps, type ColumnWriter } from './column-parts.ts'
import { createValidityBuilder } from './growable-buffer.ts'
import { isValid, type VectorSource } from './vector-source.ts'

/** Calls `visit` with runs of child rows that the lists `[start, start + count)` hold, neighbouring ones joined. */
function eachRun(
  source: VectorSource,
  start: number,
  count: number,
  visit: (childStart: number, childCount: number) => void,
): void {
  let runStart = 0
  let runEnd = 0
  for (let row = start; row < start + count; row += 1) {
    if (!isValid(source.validity, row)) continue
    const entryStart = source.words[row * 4] as number
    const entryCount = source.words[row * 4 + 2] as number
    if (entryCount === 0) continue
    if (entryStart === runEnd && runEnd > runStart) {
      runEnd += entryCount
    } else {
      if (runEnd > runStart) visit(runStart, runEnd - runStart)
      runStart = entryStart
      runEnd = entryStart + entryCount
    }
  }
  if (runEnd > runStart) visit(runStart, runEnd - runStart)
}

/** @param children one writer for a list, two for a map: key and value */
export function createListWriter(type: DataType, children: readonly ColumnWriter[]): ColumnWriter {
  const validity = createValidityBuilder()
  const offsets = createOffsets()
  let length = 0
  return {
    append(source, start, count) {
      let end = offsets.last
      for (let row = start; row < start + count; row += 1) {
        if (isValid(source.validity, row)) end += source.words[row * 4 + 2] as number
        offsets.push(end)
      }
      eachRun(source, start, count, (childStart, childCount) => {
        for (const [index, child] of children.entries()) {
          child.append(source.children[index] as VectorSource, childStart, childCount)
        }
      })
      validity.append(source.validity, start, count)
      length += count
    },
    measure(source, start, count) {
      let total = 4 * count
      eachRun(source, start, count, (childStart, childCount) => {
        for (const [index, child] of children.entries()) {
          total += child.measure(source.children[index] as VectorSource, childStart, childCount)
        }
      })
      return total
    },
    finish() {
      const parts = children.map((child) => child.finish())
      const [first] = parts
      const entries = type.children[0]?.type as DataType
      const child =
        children.length === 1
          ? first
          : makeData({
              type: entries,
              offset: 0,
              length: first?.length ?? 0,
              nullCount: 0,
              children: parts,
            } as never)
      return makeData({
        ...dataProps(type, length, validity),
        valueOffsets: offsets.finish(),
        child,
      } as never)
    },
    reset() {
      for (const child of children) child.reset()
      validity.reset()
      offsets.reset()
      length = 0
    },
  }
}

/** @param size values per row; a NULL row has as many in its child, as Arrow wants it too */
export function createArrayWriter(type: DataType, size: number, child: ColumnWriter): ColumnWriter {
  const validity = createValidityBuilder()
  let length = 0
  return {
    append(source, start, count) {
      child.append(source.children[0] as VectorSource, start * size, count * size)
      validity.append(source.validity, start, count)
      length += count
    },
    measure: (source, start, count) =>
      child.measure(source.children[0] as VectorSource, start * size, count * size),
    finish: () => makeData({ ...dataProps(type, length, validity), child: child.finish() } as never),
    reset() {
      child.reset()
      validity.reset()
      length = 0
    },
  }
}

export function createStructWriter(type: DataType, children: readonly ColumnWriter[]): ColumnWriter {
  const validity = createValidityBuilder()
  let length = 0
  return {
    append(source, start, count) {
      for (const [index, child] of children.entries()) {
        child.append(source.children[index] as VectorSource, start, count)
      }
      validity.append(source.validity, start, count)
      length += count
    },
    measure(source, start, count) {
      let total = 0
      for (const [index, child] of children.entries()) {
        total += child.measure(source.children[index] as VectorSource, start, count)
      }
      return total
    },
    finish: () =>
      makeData({
        ...dataProps(type, length, validity),
        children: children.map((child) => child.finish()),
      } as never),
    reset() {
      for (const child of children) child.reset()
      validity.reset()
      length = 0
    },
  }
}
