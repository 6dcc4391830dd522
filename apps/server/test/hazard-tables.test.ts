// Hazards of docs/hazards.md that no writer at hand produces, as whole tables of our own (support/hazard-tables.ts): what
// their metadata says is misleading, contradictory or broken, and the rows must be right all the same, or none.
import { describe, expect, it } from 'vitest'
import { withGeneratedStack } from './support/generated-stack.ts'
import { HAZARD_TABLES } from './support/hazard-tables.ts'

const generated = withGeneratedStack(HAZARD_TABLES)
const cells = async (select: string, rest: string): Promise<(string | null)[]> =>
  (await generated.texts(`SELECT ${select} FROM iceberg.generated.${rest}`)).flat()
const failureOf = async (sql: string) => {
  const result = await generated.stack.client.run(sql)
  return 'status' in result ? result : result.failure
}

describe('metrics that mislead', () => {
  it('[H29] bounds that contradict each other', async () => {
    expect(await cells('id', 'inverted_bounds WHERE id = 2')).toEqual(['2'])
    expect(await cells('id', 'inverted_bounds WHERE id > 3')).toEqual(['4'])
  })

  it('[H54] [B20] NaN is greater than everything and in no bound', async () => {
    expect(await cells('d', 'nan_bounds WHERE d > 5 ORDER BY d')).toEqual(['7.0', 'nan', 'nan'])
    expect(await cells('count(*)', `nan_bounds WHERE d = 'nan'::DOUBLE`)).toEqual(['2'])
    expect(await cells('d', 'nan_bounds WHERE d <= 2 ORDER BY d')).toEqual(['1.0', '2.0'])
    expect(await cells('max(d)', 'nan_bounds')).toEqual(['nan'])
  })

  it('[H55] the two zeros are equal', async () => {
    for (const where of ['d = 0', `d = '-0.0'::DOUBLE`, 'd >= 0 AND d <= 0', 'd IN (0, 1)']) {
      expect(await cells('count(*)', `zeros WHERE ${where}`)).toEqual(['2'])
    }
    expect(await cells('count(*)', 'zeros WHERE d < 0')).toEqual(['0'])
  })

  it('[H53] bounds of text are cut, may have no upper end, and are in the order of UTF-8', async () => {
    expect(await cells('n', `truncated_text WHERE s = 'ayz'`)).toEqual(['6'])
    expect(await cells('n', `truncated_text WHERE s LIKE 'ay%'`)).toEqual(['6'])
    expect(await cells('n', `truncated_text WHERE s > chr(65535) ORDER BY n`)).toEqual(['7', '8'])
    expect(await cells('n', `truncated_text WHERE s > chr(1114111)`)).toEqual(['7'])
    expect(await cells('n', `truncated_text WHERE s < '😀zz' AND s > '😀'`)).toEqual(['8'])
  })

  it('[H58c] least and greatest values are those of the data, not of bounds', async () => {
    const ends = 'min(s), max(n), min(n), count(n)'
    expect(await cells(ends, `truncated_text WHERE s < 'b'`)).toEqual(['abc', '6', '5', '2'])
    expect(await cells('max(n), min(n)', 'truncated_text')).toEqual(['8', '5'])
  })

  it('[H56] [H66] bounds from before a promotion', async () => {
    for (const where of [
      'id = -3',
      'id < 0',
      `ts = TIMESTAMP '1969-12-31 00:00:00'`,
      `ts < TIMESTAMP '1969-12-31 00:00:00.000001'`,
      'd = 0.5',
    ]) {
      expect(await cells('count(*)', `promoted WHERE ${where}`), where).toEqual(['1'])
    }
    expect(await cells('count(*)', `promoted WHERE ts > TIMESTAMP '1969-12-31 00:00:00'`)).toEqual(['0'])
  })

  it('[H57] [B5] of maps and what is in them', async () => {
    expect(await cells('id', `maps WHERE m['key'] = 'value1'`)).toEqual(['1'])
    expect(await cells('id', 'maps WHERE m IS NOT NULL ORDER BY id')).toEqual(['1', '2'])
    expect(await cells('id', 'maps WHERE m IS NULL')).toEqual(['3'])
  })

  it('[H51] [B11] [B18] NULL satisfies no comparison', async () => {
    expect(await cells('n', 'nulls WHERE n <= 7')).toEqual(['5'])
    expect(await cells('n', 'nulls WHERE n <> 5')).toEqual(['9'])
    expect(await cells('n', 'nulls WHERE n NOT IN (9, 10)')).toEqual(['5'])
    expect(await cells('count(*)', 'nulls WHERE n IS NULL')).toEqual(['2'])
  })

  it('[H58d] [B7] a deleted row stays deleted under IS NULL, whatever the metrics of the delete file', async () => {
    expect(await cells('count(*)', 'nulls WHERE x IS NULL')).toEqual(['4'])
    expect(await cells('n', 'nulls WHERE x IS NULL AND n = 5')).toEqual(['5'])
  })

  it.each([
    ['count(*)', 'very_many', '3000000000001'],
    ['count(1) AS n', 'very_many t LIMIT 100', '3000000000001'],
    ['2 * count(*) + 1', 'very_many', '6000000000003'],
    ['count(*)', 'very_many_less_two', '1999999999998'],
  ])('[QR5] [DL7] [H58b] %s of %s is %s without making the rows', async (select, table, expected) => {
    expect(await cells(select, table)).toEqual([expected])
  })

  it('[QR5] several such counts in one statement are each of its own table', async () => {
    const of = (table: string): string => `(SELECT count(*) FROM iceberg.generated.${table})`
    const tables = ['very_many', 'very_many_less_two', 'misleading', 'very_many']
    expect(await generated.texts(`SELECT ${tables.map(of).join(', ')}`)).toEqual([
      ['3000000000001', '1999999999998', '5', '3000000000001'],
    ])
  })

  it('[H14] [H15] [H16] summaries, statistics and properties are not what is read', async () => {
    expect(await cells('count(*)', 'misleading')).toEqual(['5'])
    expect(await cells('sum(id)', 'misleading')).toEqual(['10'])
  })
})

describe('partitions that mislead', () => {
  it('[H37] a transform that is not known keeps every file, and still parts the deletes', async () => {
    expect(await cells('n', 'odd_transform WHERE id = 1')).toEqual(['20'])
    expect(await cells('n', 'odd_transform')).toEqual(['20'])
  })

  it('[H36] [H86] equality deletes of a spec of void fields apply everywhere to what is older', async () => {
    expect(await cells('id', 'void_everywhere ORDER BY id')).toEqual(['1', '2', '3', '4'])
    expect(await cells('id', 'void_everywhere WHERE id = 2')).toEqual(['2'])
  })

  it('[H46] [H48] NaN is one partition and the zeros are two, and a missing column has the partition’s value', async () => {
    const all = 'SELECT id, d FROM iceberg.generated.signed_zero_partitions ORDER BY id'
    expect(await generated.texts(all)).toEqual([
      ['1', '0.0'],
      ['2', 'nan'],
    ])
    expect(await cells('id', 'signed_zero_partitions WHERE d = 0')).toEqual(['1'])
    expect(await cells('id', `signed_zero_partitions WHERE d = 'nan'::DOUBLE`)).toEqual(['2'])
  })

  it('[H44] hours beyond 32 bits', async () => {
    expect(await cells('count(*)', `wrapped_hours WHERE ts > TIMESTAMP '2262-04-12 00:00:00'`)).toEqual(['1'])
  })

  it('[H40] [B21] a truncation that went below the least integer', async () => {
    expect(await cells('x', 'wrapped_truncation WHERE x < 0')).toEqual(['-2147483648'])
  })
})

describe('deletes that reading learns of late', () => {
  it.each([1, 100, 4_999, 6_000])(
    '[DL1] [H94] LIMIT %i counts the rows that equality deletes leave',
    async (limit) => {
      // As it is, since a LIMIT inside of another statement ends no reading.
      const sql = `SELECT id FROM iceberg.generated.deleted_beginning LIMIT ${limit}`
      const { batches, receipt } = await generated.stack.client.query(sql)
      const ids = batches.flatMap((batch) => [...batch].map((row) => Number(row['id'])))
      expect(receipt?.rowCount).toBe(Math.min(limit, 5_000))
      expect(ids).toHaveLength(Math.min(limit, 5_000))
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.every((id) => id >= 5_000)).toBe(true)
    },
  )
})

describe('files that contradict each other', () => {
  it('[H30] a data file that is listed twice fails every statement, counts too', async () => {
    for (const select of ['count(*)', 'id']) {
      const failure = await failureOf(`SELECT ${select} FROM iceberg.generated.listed_twice`)
      expect(failure).toMatchObject({ code: 'TABLE_CORRUPT' })
      expect(failure?.message).toContain('f0.parquet')
    }
  })

  it('[H90] two deletion vectors for one file fail every statement', async () => {
    for (const select of ['count(*)', 'id']) {
      expect(await failureOf(`SELECT ${select} FROM iceberg.generated.two_vectors`)).toMatchObject({
        code: 'TABLE_CORRUPT',
      })
    }
  })

  it('[DF10] [H82] [H90] a vector under another partition than its file fails, whichever partition is asked for', async () => {
    const table = 'iceberg.generated.vector_of_another_partition'
    for (const filter of ['', ' WHERE day = 7', ' WHERE day = 7 AND id < 3']) {
      expect(await failureOf(`SELECT id FROM ${table}${filter}`)).toMatchObject({ code: 'TABLE_CORRUPT' })
    }
    // The other partition has no such file.
    expect(await cells('id', 'vector_of_another_partition WHERE day = 8 ORDER BY id')).toEqual(['0', '1'])
  })

  it('[H91] a vector that its Puffin file does not list as one fails every statement', async () => {
    for (const select of ['count(*)', 'id']) {
      expect(await failureOf(`SELECT ${select} FROM iceberg.generated.blob_of_another_kind`)).toMatchObject({
        code: 'TABLE_CORRUPT',
      })
    }
  })

  it('[H58b] [H90] a deletion vector stands for all position deletes of its file', async () => {
    expect(await cells('id', 'upgraded ORDER BY id')).toEqual(['1', '2', '3'])
    expect(await cells('count(*)', 'upgraded')).toEqual(['3'])
    expect(await cells('id', 'upgraded ORDER BY id LIMIT 1 OFFSET 1')).toEqual(['2'])
  })

  it('[H13] a data file that is missing fails, naming it, and never gives fewer rows', async () => {
    const failure = await failureOf('SELECT id FROM iceberg.generated.missing_data_file')
    const key = 'generated/missing_data_file/gone.parquet'
    expect(failure).toMatchObject({ code: 'OBJECT_MISSING', details: { bucket: 'corpus', key } })
    // The manifest says how many rows there are, as for any file.
    expect(await cells('count(*)', 'missing_data_file')).toEqual(['8'])
  })

  it('[H13] a manifest list that is missing fails, naming it', async () => {
    const failure = await failureOf('SELECT count(*) FROM iceberg.generated.missing_manifest_list')
    const key = 'generated/missing_manifest_list/metadata/gone.avro'
    expect(failure).toMatchObject({ code: 'OBJECT_MISSING', details: { bucket: 'corpus', key } })
  })

  it('[H31] an entry of no data format fails the statement', async () => {
    expect(await failureOf('SELECT count(*) FROM iceberg.generated.puffin_data')).toMatchObject({
      code: 'TABLE_CORRUPT',
    })
  })
})

describe('columns that mislead', () => {
  it('[H79] columns named like those of the reader are columns', async () => {
    expect(await generated.texts('SELECT * FROM iceberg.generated.reserved_names')).toEqual([
      ['1', '2', '3', '4', '5'],
    ])
    expect(await cells('_pos, _file', 'reserved_names WHERE _pos = 2')).toEqual(['2', '1'])
  })

  it('[H67] a default for writing fills nothing, and NULL in a file stays NULL', async () => {
    expect(await generated.texts('SELECT * FROM iceberg.generated.write_default ORDER BY id')).toEqual([
      ['1', null, '6'],
      ['2', null, null],
    ])
  })
})
