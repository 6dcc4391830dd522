// Random tables with random deletes of every kind, read with row groups pruned and not, against the same deletes carried
// out one by one on a copy of the rows. Seeded.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import type { SequencedFile } from '@lake/core/scan/delete-file-index.ts'
import { openDuck, rowsOf } from './storage/duck.ts'
import { field, schemaOf } from './storage/excerpt.ts'
import { createDeleteTable, POSITION_IDS, type DeleteTable } from './support/delete-table.ts'

const SPECS = [
  { specId: 0, fields: [{ sourceIds: [6], fieldId: 1000, name: 'p', transform: 'identity' }] },
  { specId: 1, fields: [] },
]
const STRUCT = { kind: 'struct', fields: [field(5, 'a', 'int')] } as const
const SCHEMA = schemaOf(
  field(1, 'id', 'long'),
  field(2, 'renamed', 'string'),
  field(3, 'd', 'double'),
  field(4, 's', STRUCT),
  field(6, 'p', 'int'),
  field(7, 'n', 'long'),
  field(9, 'late', 'int', { initialDefault: 7 }),
)
const OLD_SCHEMA = schemaOf(field(1, 'id', 'long'), field(7, 'n', 'int'), field(8, 'gone', 'int'))
const S_IDS = 's: {__duckdb_field_id: 4, a: 5}'
/** By field id: the column of the model, how a delete file holds it, and its field ids. */
const KEYS: Record<number, { model: string; select: string; ids: string }> = {
  1: { model: 'id', select: 'id', ids: 'id: 1' },
  2: { model: 'k', select: 'k', ids: 'k: 2' },
  3: { model: 'd', select: 'd', ids: 'd: 3' },
  5: { model: 'a', select: `{'a': a} AS s`, ids: S_IDS },
  6: { model: 'p', select: 'p', ids: 'p: 6' },
  7: { model: 'n', select: 'n::INTEGER AS n', ids: 'n: 7' },
  8: { model: 'gone', select: 'gone', ids: 'gone: 8' },
  9: { model: 'late', select: 'late', ids: 'late: 9' },
}
const KEY_SETS = [[1], [2], [1, 2], [3], [5], [7], [8, 7], [9, 1], [2, 3], [6, 1], [1, 5]]
/** Three row groups. */
const ROW_COUNT = 5_000

const directory = mkdtempSync(join(tmpdir(), 'deletes-'))
let duck: DuckDBConnection
beforeAll(async () => {
  duck = await openDuck()
  await duck.run(`ATTACH ':memory:' AS iceberg`)
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

function createRandom(seed: number): (max: number) => number {
  let state = seed
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * max)
  }
}

interface Place {
  readonly sequenceNumber: bigint
  readonly specId: number
  readonly partition: ReadonlyMap<number, bigint>
  readonly part: number | null
}

/** One table, and `model`: its rows with the file, position and place of each. */
class RandomTable {
  readonly table: DeleteTable
  readonly #random: (max: number) => number
  readonly #files: { readonly data: SequencedFile; readonly number: number; readonly place: Place }[] = []
  readonly #withVector = new Set<number>()

  constructor(random: (max: number) => number) {
    this.#random = random
    this.table = createDeleteTable(duck, directory, {
      schema: SCHEMA,
      schemas: [OLD_SCHEMA, SCHEMA],
      specs: SPECS,
    })
  }

  #place(sequenceNumber: number): Place {
    const specId = this.#random(3) === 0 ? 1 : 0
    const part = specId === 0 ? this.#random(2) : null
    const partition = part === null ? new Map<number, bigint>() : new Map([[1000, BigInt(part)]])
    return { sequenceNumber: BigInt(sequenceNumber), specId, partition, part }
  }

  async addData(number: number): Promise<void> {
    const place = this.#place(1 + this.#random(5))
    const isOld = this.#random(2) === 0
    const salt = this.#random(1_000)
    const rows = `SELECT i AS pos, ${number} AS file, i // 4 + ${salt} AS id,
      CASE WHEN hash(i, ${salt}, 1) % 9 = 0 THEN NULL ELSE 'k' || (hash(i, ${salt}, 2) % 40) END AS k,
      [0.0::DOUBLE, '-0.0'::DOUBLE, 'NaN'::DOUBLE, NULL, 1.5, 2.5][1 + (hash(i, ${salt}, 3) % 6)::INT] AS d,
      CASE WHEN hash(i, ${salt}, 4) % 7 = 0 THEN NULL ELSE (hash(i, ${salt}, 5) % 50)::INT END AS a,
      ${place.part ?? `(hash(i, ${salt}, 6) % 2)::INT`} AS p, (hash(i, ${salt}, 7) % 300)::BIGINT AS n,
      ${isOld ? `(hash(i, ${salt}, 8) % 6)::INT` : 'NULL::INT'} AS gone,
      ${isOld ? '7' : `nullif(hash(i, ${salt}, 9) % 9, 8)::INT`} AS late
      FROM range(${ROW_COUNT}) t(i)`
    const struct = `CASE WHEN a IS NULL AND pos % 2 = 0 THEN NULL ELSE {'a': a} END AS s`
    const keepsP = place.part === null || !isOld
    const [columns, ids] = isOld
      ? [`id, k, d, ${struct}, n::INTEGER AS n, gone`, `id: 1, k: 2, d: 3, ${S_IDS}, n: 7, gone: 8`]
      : [`id, k, d, ${struct}, n, late`, `id: 1, k: 2, d: 3, ${S_IDS}, n: 7, late: 9`]
    await duck.run(
      `INSERT INTO model SELECT pos, file, ${place.sequenceNumber}, ${place.specId}, ${place.part ?? 'NULL'},
        id, k, d, a, p, n, gone, late FROM (${rows})`,
    )
    const sql = `SELECT ${columns}${keepsP ? ', p' : ''} FROM (${rows}) ORDER BY pos`
    const data = await this.table.add(sql, keepsP ? `${ids}, p: 6` : ids, place)
    this.#files.push({ data, number, place })
  }

  async addPositions(): Promise<void> {
    const place = this.#place(2 + this.#random(6))
    const salt = this.#random(1_000)
    const forms = ['s3://local', 's3a://local', 'file://', 'hdfs://host:8020', '']
    const rows = this.#files.flatMap(({ data, number }) => {
      if (this.#random(3) === 0) return []
      const path = data.file.path.replace('s3://local', forms[this.#random(forms.length)] ?? '')
      const positions = `range(${ROW_COUNT}) t(i) WHERE hash(i, ${salt}, ${number}) % ${2 + this.#random(9)} = 0`
      const select = `SELECT ${number} AS number, '${path}' AS file_path, i::BIGINT AS pos FROM ${positions}`
      return this.#random(4) === 0 ? [select, select] : [select]
    })
    const dangling = `SELECT -1 AS number, 's3://local/gone.parquet' AS file_path, 3::BIGINT AS pos UNION ALL
      SELECT -1, NULL, 5 UNION ALL SELECT -1, 'value_1', 7`
    const sql = [...rows, dangling].join(' UNION ALL ')
    await this.table.add(
      `SELECT file_path, pos FROM (${sql}) ORDER BY hash(pos, file_path)`,
      this.#random(2) === 0 ? POSITION_IDS : undefined,
      place,
      { content: 'position-deletes' },
    )
    const withVector = [-2, ...this.#withVector].join(', ')
    await duck.run(
      `DELETE FROM model USING (${sql}) AS d WHERE model.file = d.number AND model.pos = d.pos
        AND model.seq <= ${place.sequenceNumber} AND model.spec = ${place.specId}
        AND model.part IS NOT DISTINCT FROM ${place.part ?? 'NULL'} AND model.file NOT IN (${withVector})`,
    )
  }

  /** Before position deletes, which then no longer count for these files. */
  async addVectors(): Promise<void> {
    const chosen = this.#files.filter(() => this.#random(3) === 0)
    const vectors = chosen.map(({ data, number }) => {
      this.#withVector.add(number)
      const positions = Array.from({ length: ROW_COUNT }, (_, row) => row).filter(() => this.#random(5) < 2)
      return { of: data, number, positions, sequenceNumber: data.sequenceNumber + BigInt(this.#random(2)) }
    })
    if (vectors.length === 0) return
    await this.table.addVectors(vectors)
    for (const { number, positions } of vectors) {
      await duck.run(`DELETE FROM model WHERE file = ${number} AND pos IN (${[-1, ...positions].join(', ')})`)
    }
  }

  async addEquality(): Promise<void> {
    const place = this.#place(1 + this.#random(7))
    const ids = KEY_SETS[this.#random(KEY_SETS.length)] ?? [1]
    const keys = ids.map((id) => KEYS[id]!)
    const count = 1 + this.#random(ids.length === 1 ? 3 : 60)
    const extra = ids.includes(2) ? ['', ''] : [`, 'no key' AS k`, ', k: 2']
    const sample = `SELECT DISTINCT ${keys.map(({ model }) => model).join(', ')} FROM
      (SELECT * FROM everything ORDER BY hash(file, pos, ${this.#random(1_000)}) LIMIT ${count})`
    await this.table.add(
      `SELECT ${keys.map(({ select }) => select).join(', ')}${extra[0]} FROM (${sample})`,
      `${keys.map((key) => key.ids).join(', ')}${extra[1]}`,
      place,
      { content: 'equality-deletes', equalityIds: ids },
    )
    const scope = place.part === null ? 'true' : `model.spec = 0 AND model.part = ${place.part}`
    const equal = keys.map(({ model }) => `model.${model} IS NOT DISTINCT FROM d.${model}`).join(' AND ')
    await duck.run(
      `DELETE FROM model USING (${sample}) AS d WHERE ${equal} AND ${scope} AND model.seq < ${place.sequenceNumber}`,
    )
  }
}

// The writer of the files makes one zero of the two, so that their sign is left out.
const COLUMNS = 'id, k, (d + 0.0)::VARCHAR, a, p, n, late'
const VIEW_COLUMNS = 'id, renamed AS k, (d + 0.0)::VARCHAR, s.a, p, n, late'

it.each(Array.from({ length: 12 }, (_, index) => 4_000 + index))(
  '[DL1] [DL4] [H58b] [H83] [H84] [H87] [H94] [B14] [B16] [B19] [B30] reads what is left after random deletes, seed %i',
  async (seed) => {
    const random = createRandom(seed)
    await duck.run(`CREATE OR REPLACE TABLE model (pos INT, file INT, seq BIGINT, spec INT, part INT, id BIGINT,
      k VARCHAR, d DOUBLE, a INT, p INT, n BIGINT, gone INT, late INT)`)
    const made = new RandomTable(random)
    for (let number = 0; number < 2 + random(4); number += 1) await made.addData(number)
    await duck.run('CREATE OR REPLACE TABLE everything AS FROM model')
    if (random(2) === 0) await made.addVectors()
    for (let left = random(4); left > 0; left -= 1) await made.addPositions()
    for (let left = random(6); left > 0; left -= 1) await made.addEquality()
    const sorted = async (sql: string): Promise<string[]> => (await rowsOf(duck, sql)).sort()

    await made.table.define([0, 1, 2, 3, 4, 5, 6])
    const live = await sorted(`SELECT ${COLUMNS} FROM model`)
    expect(await sorted(`SELECT ${VIEW_COLUMNS} FROM iceberg.ns.t`)).toEqual(live)

    await made.table.define([])
    expect(await rowsOf(duck, 'SELECT count(*)::INT FROM iceberg.ns.t')).toEqual([`[${live.length}]`])

    const low = random(700)
    const between: Predicate = {
      op: 'and',
      operands: [
        { op: 'gt-eq', fieldId: 1, literal: BigInt(low) },
        { op: 'lt-eq', fieldId: 1, literal: BigInt(low + 300) },
      ],
    }
    const where = `WHERE id BETWEEN ${low} AND ${low + 300}`
    for (const predicate of [between, { op: 'true' } as const]) {
      await made.table.define([0, 6], predicate)
      expect(await sorted(`SELECT id, late FROM iceberg.ns.t ${where}`)).toEqual(
        await sorted(`SELECT id, late FROM model ${where}`),
      )
      const some = await rowsOf(
        duck,
        `SELECT count(*)::INT FROM (FROM iceberg.ns.t ${where} LIMIT 100)`.replace(
          'FROM iceberg',
          'SELECT id FROM iceberg',
        ),
      )
      expect(some).toEqual(await rowsOf(duck, `SELECT least(100, count(*))::INT FROM model ${where}`))
    }
  },
  30_000,
)
