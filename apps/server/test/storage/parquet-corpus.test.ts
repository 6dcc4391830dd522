// Every Parquet file of the corpus, excerpted and read by the engine, gives the rows of the original.
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isAppError } from '@lake/core/errors.ts'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import { UNPARTITIONED } from '@lake/core/iceberg/partition-spec.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeExcerpt } from '../../src/parquet/excerpt-writer.ts'
import { createFileReader } from '../../src/parquet/file-reader.ts'
import { readFooter } from '../../src/parquet/footer.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { excerptSql, openDuck, rowsOf } from './duck.ts'
import { schemaOfFile } from './file-schema.ts'
import { createLocalFiles, sizeOf, uriOf } from './local-files.ts'

const corpus = process.env['LAKE_CORPUS_DIR'] ?? resolve(import.meta.dirname, '../../../../../shared/corpus')
const files = existsSync(corpus) ? globSync('**/*.parquet', { cwd: corpus }).sort() : []
const signal = new AbortController().signal

describe.skipIf(files.length === 0)('the corpus', () => {
  const directory = mkdtempSync(join(tmpdir(), 'excerpts-'))
  let duck: Awaited<ReturnType<typeof openDuck>>
  beforeAll(async () => {
    duck = await openDuck()
  })
  afterAll(() => {
    duck.closeSync()
    rmSync(directory, { recursive: true })
  })

  test('excerpts of all and of some columns give the rows of the original, and what is refused says why', async () => {
    const refused = new Map<string, number>()
    let compared = 0
    for (const [number, name] of files.entries()) {
      const path = join(corpus, name)
      if ((await sizeOf(path)) === 0) continue
      try {
        await compareFile(path, `f${number}`)
        compared += 1
      } catch (error) {
        if (!isAppError(error)) throw new Error(name, { cause: error })
        const reason = `${error.code}: ${error.message}`
        refused.set(reason, (refused.get(reason) ?? 0) + 1)
      }
    }
    expect(compared).toBeGreaterThan(360)
    // Variant and geometry files, and shapes that no table has.
    expect([...refused.keys()].map((reason) => reason.replace(/.* \(geo\w+\) .*/, 'geo')).sort()).toEqual([
      'TABLE_UNSUPPORTED: The table uses a struct without fields, which is not read',
      'TABLE_UNSUPPORTED: The table uses structs in files without field ids or name mapping, which is not read',
      'TABLE_UNSUPPORTED: group other',
      'geo',
      'geo',
    ])
  }, 300_000)

  async function compareFile(path: string, name: string): Promise<void> {
    const store = createLocalFiles()
    const uri = uriOf(path)
    const sizeBytes = await sizeOf(path)
    const metadata = await readFooter(
      createFileReader({ store, uri, fileSizeBytes: sizeBytes }),
      { fileSizeBytes: sizeBytes },
      signal,
    )
    const schema = schemaOfFile(metadata)
    const all = schema.fields.map((_field, index) => index)
    for (const [round, indexes] of [all, all.filter((index) => index % 2 === 1), []].entries()) {
      const outcome = await writeExcerpt(
        {
          task: { file: dataFile(path, { fileSizeBytes: sizeBytes }), sequenceNumber: 1n, deletes: [] },
          partitionSpec: UNPARTITIONED,
          schema,
          nameMapping: undefined,
          columnIndexes: new Set(indexes),
          predicate: ALWAYS_TRUE,
          store,
          uri,
          directory,
          name: `${name}-${round}`,
        },
        signal,
      )
      expect(outcome.excerpt.rowCount, path).toBe(metadata.rowCount)
      if (indexes.length === 0) continue
      // By place, since names may differ in case only.
      const places = metadata.columns.flatMap((node, place) =>
        metadata.hasFieldIds && node.fieldId === undefined ? [] : [place],
      )
      const all = await duck.runAndReadAll(`SELECT * FROM read_parquet('${path}', hive_partitioning=false)`)
      const expected = all
        .getRowsJson()
        .map((row) => JSON.stringify(indexes.map((index) => row[places[index]!])))
        // The engine gives a time that claims a zone one; the table's type has none.
        .map((row) => row.replaceAll(/"(\d\d:\d\d:\d\d(?:\.\d+)?)\+00"/g, '"$1"'))
      expect(await rowsOf(duck, excerptSql(outcome.excerpt)), path).toEqual(expected)
      if (outcome.excerpt.path) rmSync(outcome.excerpt.path)
    }
  }
})
