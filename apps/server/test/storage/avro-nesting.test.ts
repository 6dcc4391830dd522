// Random nesting in Avro data files: lists, maps and structs in each other, null or empty at every level.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { avroExcerptOf, list, map, struct, writeAvro } from './avro-data.ts'
import { openDuck } from './duck.ts'
import { excerptRows, field, schemaOf } from './excerpt.ts'

const directory = mkdtempSync(join(tmpdir(), 'avro-excerpt-'))
let duck: Awaited<ReturnType<typeof openDuck>>
beforeAll(async () => {
  duck = await openDuck()
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

const write = (fields: readonly unknown[], rows: readonly unknown[], options = {}): string =>
  writeAvro(directory, fields, rows, options)

describe('[AV1] nesting', () => {
  /** The same numbers every time (mulberry32). */
  function createRandom(seed: number): () => number {
    let state = seed
    return () => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    }
  }

  interface Shape {
    readonly avro: unknown
    readonly type: IcebergType
    readonly sql: string
    /** A value for avsc, and the same as the engine's JSON. */
    readonly make: (random: () => number) => { readonly value: unknown; readonly json: unknown }
  }

  const orNull = (shape: Shape): Shape => ({
    ...shape,
    avro: ['null', shape.avro],
    make: (random) => (random() < 0.3 ? { value: null, json: null } : shape.make(random)),
  })
  const many = (random: () => number, shape: Shape) =>
    Array.from({ length: Math.floor(random() * 4) }, () => shape.make(random))
  const ofLong: Shape = {
    avro: 'long',
    type: { kind: 'long' },
    sql: 'BIGINT',
    make: (random) => {
      const value = BigInt(Math.floor(random() * 1e6)) - 500_000n
      return { value, json: String(value) }
    },
  }
  const ofText: Shape = {
    avro: 'string',
    type: { kind: 'string' },
    sql: 'VARCHAR',
    make: (random) => {
      const value = 'é'.repeat(Math.floor(random() * 3))
      return { value, json: value }
    },
  }
  const listOf = (id: number, element: Shape): Shape => ({
    avro: { type: 'array', items: element.avro },
    type: list(id, element.type),
    sql: `${element.sql}[]`,
    make: (random) => {
      const made = many(random, element)
      return { value: made.map(({ value }) => value), json: made.map(({ json }) => json) }
    },
  })
  const mapOf = (id: number, element: Shape): Shape => ({
    avro: { type: 'map', values: element.avro },
    type: map(id, { kind: 'string' }, id + 1, element.type),
    sql: `MAP(VARCHAR, ${element.sql})`,
    make: (random) => {
      const made = many(random, element)
      return {
        value: Object.fromEntries(made.map(({ value }, index) => [`k${index}`, value])),
        json: made.map(({ json }, index) => ({ key: `k${index}`, value: json })),
      }
    },
  })
  const structOf = (id: number, left: Shape, right: Shape): Shape => ({
    avro: {
      type: 'record',
      name: `r${id}`,
      fields: [
        { name: 'left', type: left.avro, 'field-id': id },
        { name: 'right', type: right.avro, 'field-id': id + 1 },
      ],
    },
    type: struct(field(id, 'left', left.type), field(id + 1, 'right', right.type)),
    sql: `STRUCT("left" ${left.sql}, "right" ${right.sql})`,
    make: (random) => {
      const [a, b] = [left.make(random), right.make(random)]
      return { value: { left: a.value, right: b.value }, json: { left: a.json, right: b.json } }
    },
  })

  test.each<[string, Shape]>([
    ['lists of lists of lists', orNull(listOf(10, orNull(listOf(11, orNull(listOf(12, orNull(ofLong)))))))],
    [
      'required lists of structs of lists',
      listOf(10, structOf(20, listOf(11, ofLong), orNull(listOf(12, ofText)))),
    ],
    [
      'structs of maps of structs of lists',
      orNull(
        structOf(
          20,
          orNull(mapOf(30, orNull(structOf(40, ofLong, orNull(listOf(10, orNull(ofText))))))),
          orNull(ofText),
        ),
      ),
    ],
    [
      'maps of maps of lists',
      mapOf(30, orNull(mapOf(32, orNull(listOf(10, orNull(structOf(20, orNull(ofLong), ofText))))))),
    ],
  ])('%s come out as they went in', async (_name, shape) => {
    const random = createRandom(7)
    const made = Array.from({ length: 400 }, () => shape.make(random))
    const path = write(
      [{ name: 'v', type: shape.avro, 'field-id': 1 }],
      made.map(({ value }) => ({ v: value })),
      { rowsPerBlock: 50 },
    )
    const rows = await excerptRows(
      duck,
      await avroExcerptOf(directory, path, schemaOf(field(1, 'v', shape.type))),
      shape.sql,
    )
    expect(rows.map((row) => (row as unknown[])[0])).toEqual(made.map(({ json }) => json))
  })
})
