// The limits of the format, from sources that would be slow to query.
import {
  Bool,
  Field,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
  type DataType,
} from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { assert } from '@lake/core/assert.ts'
import { isAppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import type { ResultSource, RowsPiece } from './result-source.ts'
import { columnLetters } from './xlsx-cells.ts'
import { writeXlsx } from './xlsx-file.ts'

function sourceOf(types: readonly DataType[], batches: Iterable<RecordBatch>): ResultSource {
  async function* rows(): AsyncGenerator<RowsPiece> {
    for (const batch of batches) yield { batch, bytes: new Uint8Array() }
  }
  return {
    schema: new Schema(types.map((type, index) => new Field(`c${index}`, type, true))),
    schemaMessage: new Uint8Array(),
    rows: rows(),
    receipt: () => ({
      statementId: 'x',
      tables: [],
      rowCount: 0,
      elapsedMs: 0,
      engine: 'none',
      sql: 'SELECT',
    }),
    rowCount: 0,
  }
}

async function limitOf(source: ResultSource): Promise<unknown> {
  try {
    for await (const bytes of writeXlsx(source, 0)) void bytes
    return undefined
  } catch (error) {
    assert(isAppError(error, 'EXPORT_FORMAT_LIMIT'), String(error))
    return error.details
  }
}

function* repeated(batch: RecordBatch, count: number): Generator<RecordBatch> {
  for (let i = 0; i < count; i += 1) yield batch
}

describe('[XP2] an XLSX sheet', () => {
  it('has no more columns than the format', async () => {
    const types = Array.from({ length: LIMITS.xlsxColumnsMax + 1 }, () => new Bool())
    expect(await limitOf(sourceOf(types, []))).toEqual({ format: 'xlsx', limit: 'columns', limitMax: 16_384 })
    expect(columnLetters(LIMITS.xlsxColumnsMax - 1)).toBe('XFD')
  })

  it('has no more rows than the format', async () => {
    const type = new Struct([new Field('c0', new Bool(), true)])
    const child = makeData({
      type: new Bool(),
      length: 16_384,
      nullCount: 16_384,
      nullBitmap: new Uint8Array(2_048),
    })
    const batch = new RecordBatch(
      new Schema(type.children),
      makeData({ type, length: 16_384, nullCount: 0, children: [child] }),
    )
    const source = (count: number) => sourceOf([new Bool()], repeated(batch, count))
    expect(await limitOf(source(63))).toBeUndefined()
    expect(await limitOf(source(64))).toEqual({ format: 'xlsx', limit: 'rows', limitMax: 1_048_576 })
  })

  it('has no cell with more characters than the format', async () => {
    const texts = (length: number) => {
      const type = new Struct([new Field('c0', new Utf8(), true)])
      const [child] = vectorFromArray(['x'.repeat(length)], new Utf8()).data
      assert(child !== undefined, 'a vector has data')
      const data = makeData({ type, length: 1, nullCount: 0, children: [child] })
      return sourceOf([new Utf8()], [new RecordBatch(new Schema(type.children), data)])
    }
    expect(await limitOf(texts(32_767))).toBeUndefined()
    expect(await limitOf(texts(32_768))).toEqual({ format: 'xlsx', limit: 'characters', limitMax: 32_767 })
  })
})
