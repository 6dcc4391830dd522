// A table in files for tests of deletes: data and delete files that DuckDB writes, planned and read as the server does it,
// into a view of the same DuckDB. Only manifests are left out: files are given to planning as decoded entries.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ALWAYS_TRUE, type Predicate } from '@lake/core/expr/predicate.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import type { LiteralValue, Schema } from '@lake/core/iceberg/types.ts'
import { indexDeleteFiles, type SequencedFile } from '@lake/core/scan/delete-file-index.ts'
import { finishSteps } from '@lake/core/scan/steps.ts'
import { scanViewStatements } from '../../src/engine/scan-view.ts'
import { encodePuffin, encodeRoaring64, encodeVector } from '../../src/metadata/test/deletion-vector-file.ts'
import { createFooterGuesses } from '../../src/parquet/footer-guess.ts'
import { planEqualityDeletes } from '../../src/queries/equality-deletes.ts'
import { excerptScan, fetchExcerpts } from '../../src/queries/fetch-excerpts.ts'
import type { PlannedTable } from '../../src/queries/plan-tables.ts'
import type { RunProgress } from '../../src/queries/run-progress.ts'
import { createTableDeletes } from '../../src/queries/statement-deletes.ts'
import { duckdbType } from '../../src/sql/duckdb-type.ts'
import { createTablePaths } from '../../src/storage/table-paths.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { createLocalFiles, sizeOf, uriOf, type LocalFiles } from '../storage/local-files.ts'

const NEVER = new AbortController().signal
/** The columns of position delete files, for FIELD_IDS. */
export const POSITION_IDS = 'file_path: 2147483546, pos: 2147483545'

export interface FilePlace {
  readonly sequenceNumber: bigint
  readonly specId?: number
  readonly partition?: ReadonlyMap<number, LiteralValue | null>
}

export interface DeleteTable {
  readonly store: LocalFiles
  /** Delete files read by the last `define`. */
  readonly deleteFilesRead: number
  /** Writes a file and adds it. @param fieldIds as DuckDB's FIELD_IDS has them */
  add(
    sql: string,
    fieldIds: string | undefined,
    place: FilePlace,
    changes?: Partial<DataFile> & { readonly copyOptions?: string },
  ): Promise<SequencedFile>
  /** Adds a file that is written already. */
  addBytes(bytes: Uint8Array, place: FilePlace, changes: Partial<DataFile>): Promise<SequencedFile>
  /** Adds deletion vectors, all in one Puffin file. */
  addVectors(
    vectors: readonly {
      readonly of: SequencedFile
      readonly positions: readonly number[]
      readonly sequenceNumber: bigint
    }[],
  ): Promise<void>
  /** Defines the view `iceberg.ns.t` over the table with these columns fetched. */
  define(columnIndexes: Iterable<number>, predicate?: Predicate): Promise<void>
}

export function createDeleteTable(
  duck: DuckDBConnection,
  directory: string,
  {
    schema,
    schemas = [schema],
    specs,
  }: { schema: Schema; schemas?: readonly Schema[]; specs: readonly PartitionSpec[] },
): DeleteTable {
  const store = createLocalFiles()
  const paths = createTablePaths(new Map([['/', 's3://local/']]))
  const data: SequencedFile[] = []
  const deletes: SequencedFile[] = []
  const specsById = new Map(specs.map((spec) => [spec.specId, spec]))
  let fileCount = 0
  let runCount = 0
  let deleteFilesRead = 0
  const keep = (file: DataFile, sequenceNumber: bigint): SequencedFile => {
    const sequenced = { file, sequenceNumber }
    if (file.content === 'data') data.push(sequenced)
    else deletes.push(sequenced)
    return sequenced
  }
  const plan = (columnIndexes: ReadonlySet<number>, predicate: Predicate): PlannedTable => {
    const canonicalPath = (path: string): string => paths.canonicalUri(path)
    const index = finishSteps(indexDeleteFiles({ deletes, specs: specsById, canonicalPath }))
    const tasks = data.map((file) => ({ ...file, deletes: index.deletesFor(file) }))
    const specOf = (specId: number): PartitionSpec => specsById.get(specId)!
    const columns = schema.fields.map(({ name, type }) => ({ name, sqlType: duckdbType(type)! }))
    const isEquality = deletes.some(({ file }) => file.content === 'equality-deletes')
    return {
      pinned: {
        schema,
        reserved: new Map(),
        loaded: { metadata: { location: directory } },
        engineTable: { schemaName: 'ns', tableName: 't', columns },
      },
      requirement: { columnIndexes, predicate, unused: [] },
      plan: {
        tasks,
        storage: { store, paths },
        nameMapping: undefined,
        equality: isEquality
          ? finishSteps(
              planEqualityDeletes([...new Set(tasks.flatMap((task) => task.deletes))], {
                schema,
                schemas,
                specOf,
              }),
            )
          : undefined,
        specOf,
      },
    } as unknown as PlannedTable
  }

  return {
    store,
    get deleteFilesRead() {
      return deleteFilesRead
    },
    async add(sql, fieldIds, { sequenceNumber, specId = 0, partition = new Map() }, changes = {}) {
      fileCount += 1
      const { copyOptions = '', ...more } = changes
      const path = join(directory, `file-${fileCount}.parquet`)
      const ids = fieldIds === undefined ? '' : `, FIELD_IDS {${fieldIds}}`
      await duck.run(`COPY (${sql}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048${ids}${copyOptions})`)
      const counted = await duck.runAndReadAll(`SELECT count(*)::INT FROM read_parquet('${path}')`)
      const recordCount = Number(counted.getRows()[0]?.[0])
      const file = dataFile(uriOf(path), {
        fileSizeBytes: await sizeOf(path),
        recordCount,
        specId,
        partition,
        ...more,
      })
      return keep(file, sequenceNumber)
    },
    async addBytes(bytes, { sequenceNumber, specId = 0, partition = new Map() }, changes) {
      fileCount += 1
      const path = join(directory, `file-${fileCount}`)
      await writeFile(path, bytes)
      return keep(
        dataFile(uriOf(path), { fileSizeBytes: bytes.length, specId, partition, ...changes }),
        sequenceNumber,
      )
    },
    async addVectors(vectors) {
      fileCount += 1
      const path = join(directory, `file-${fileCount}.puffin`)
      const { bytes, places } = encodePuffin(
        vectors.map(({ positions }, index) =>
          encodeVector(encodeRoaring64(positions, index % 2 === 0 ? 'plain' : 'run')),
        ),
      )
      await writeFile(path, bytes)
      vectors.forEach(({ of, positions, sequenceNumber }, index) => {
        const vector = dataFile(uriOf(path), {
          fileSizeBytes: bytes.length,
          content: 'position-deletes',
          format: 'puffin',
          recordCount: new Set(positions).size,
          specId: of.file.specId,
          partition: of.file.partition,
          referencedDataFile: of.file.path,
          contentOffset: places[index]?.offset,
          contentSizeBytes: places[index]?.sizeBytes,
        })
        keep(vector, sequenceNumber)
      })
    },
    async define(columnIndexes, predicate = ALWAYS_TRUE) {
      runCount += 1
      deleteFilesRead = 0
      const table = plan(new Set(columnIndexes), predicate)
      const progress = {
        addFile: () => undefined,
        addDeleteFiles: (_table: number, count: number) => {
          deleteFilesRead += count
        },
      } as unknown as RunProgress
      const services = { chunkCache: undefined, footerGuesses: createFooterGuesses() }
      const context = { services, directory, progress }
      const tableDeletes = createTableDeletes(table, runCount, context, NEVER)
      const fetched = { ...context, deletes: { [runCount]: tableDeletes } as unknown as readonly [] }
      const excerpts = await fetchExcerpts(table, runCount, table.plan.tasks, fetched, NEVER)
      const scan = excerptScan(table, excerpts, await tableDeletes.equalityDeletes())
      for (const statement of scanViewStatements([scan])) await duck.run(statement)
    },
  }
}

/** Lets a test spoil a file of the table. */
export async function removeFile({ file }: SequencedFile): Promise<void> {
  await rm(file.path.slice('s3://local'.length))
}
