// The data files of the tables as the local lake holds them now: found through its catalog and its manifests, as paths of
// local files, so that another engine can read the same bytes.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import { parseLosslessJson } from '@lake/core/iceberg/lossless-json.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import { planSnapshotScan } from '../apps/server/src/metadata/scan-planner.ts'
import type { ObjectStore } from '../apps/server/src/storage/object-store.ts'
import { createTablePaths } from '../apps/server/src/storage/table-paths.ts'
import type { LakeReady } from '../scripts/programs.ts'

/** A store over the folder in which a local lake keeps its objects. Whole objects only. */
function createFolderStore(pathOf: (uri: string) => string): ObjectStore {
  const notUsed = async (): Promise<never> => await Promise.reject(new Error('not used'))
  return {
    readObject: async (uri) => new Uint8Array(await readFile(pathOf(uri))),
    readRange: notUsed,
    statObject: notUsed,
  }
}

/** @param directory the lake's `--data` */
export async function findDataFiles(lake: LakeReady, directory: string, table: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${lake.token}` }
  const url = `${lake.restEndpoint}v1/${lake.warehouse}/namespaces/analytics/tables/${table}`
  const response = await fetch(url, { headers })
  const { metadata } = parseLosslessJson(await response.text()) as { metadata: unknown }
  const pathOf = (uri: string): string => join(directory, 'objects', uri.slice('s3://'.length))
  const parsed = parseTableMetadata(metadata)
  const snapshot = parsed.snapshots.find(({ snapshotId }) => snapshotId === parsed.currentSnapshotId)
  const schema = parsed.schemas.find(({ schemaId }) => schemaId === parsed.currentSchemaId)
  if (!schema) throw new Error('the table has no current schema')
  const { tasks } = await planSnapshotScan(
    { store: createFolderStore(pathOf), paths: createTablePaths(new Map()) },
    { metadata: parsed, snapshot, schema, predicate: ALWAYS_TRUE },
    new AbortController().signal,
  )
  return tasks.map(({ file }) => pathOf(file.path))
}
