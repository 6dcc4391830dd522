// Checks the way that queries take to a table's files: the catalog, the manifest list (metadata prefix), a manifest, and the
// last bytes of the first data file (data prefix). For configuring a deployment, and for the person whose query is refused.
import type { StorageCheck, VerifyStorageAccessResponse } from '@lake/core/api/contract.ts'
import { AppError } from '@lake/core/errors.ts'
import type { DataFile, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import { currentSnapshot } from '@lake/core/iceberg/snapshot.ts'
import type { LoadedTable, RestCatalog, TableIdent } from '../catalog/rest-catalog.ts'
import type { Clock } from '../concurrency/clock.ts'
import { readManifest, readSnapshotManifests } from '../metadata/manifest-reader.ts'
import type { TableStorage } from '../storage/table-storage.ts'

/** Enough to hold the magic of a Parquet file's end. */
const TAIL_BYTES = 8

export interface VerifyServices {
  readonly catalog: Pick<RestCatalog, 'loadTableAt'>
  readonly openStorage: (table: LoadedTable) => TableStorage
  readonly clock: Clock
}

/** Never throws for what it checks: failures are checks with a code. A table without rows has fewer steps. */
export async function verifyStorageAccess(
  ident: TableIdent,
  services: VerifyServices,
  signal: AbortSignal,
): Promise<VerifyStorageAccessResponse> {
  const checks: StorageCheck[] = []
  try {
    await walk(ident, services, createStep(checks, services.clock), signal)
  } catch (error) {
    // The step has noted it already.
    if (!(error instanceof AppError)) throw error
  }
  return { isAccessible: checks.every(({ code }) => code === null), checks }
}

type Step = <Result>(
  step: StorageCheck['step'],
  path: string | null,
  work: () => Promise<Result>,
) => Promise<Result>

function createStep(checks: StorageCheck[], clock: Clock): Step {
  return async (step, path, work) => {
    const startedAtMs = clock.nowMs()
    const note = (error: AppError | null): void => {
      const elapsedMs = Math.max(0, clock.nowMs() - startedAtMs)
      const details = error?.details ? { ...error.details } : null
      checks.push({
        step,
        code: error?.code ?? null,
        message: error?.message ?? null,
        path,
        details,
        elapsedMs,
      })
    }
    try {
      const result = await work()
      note(null)
      return result
    } catch (error) {
      if (error instanceof AppError) note(error)
      throw error
    }
  }
}

async function walk(
  ident: TableIdent,
  services: VerifyServices,
  step: Step,
  signal: AbortSignal,
): Promise<void> {
  const load = async (): Promise<LoadedTable> => await services.catalog.loadTableAt(ident, [], signal)
  const table = await step('catalog', null, load)
  const { metadata } = table
  const snapshot = currentSnapshot(metadata)
  if (snapshot === undefined) return
  const storage = services.openStorage(table)
  const manifests = await step(
    'manifest-list',
    snapshot.manifestList ?? null,
    async () => await readSnapshotManifests(storage, snapshot, signal),
  )
  const manifest = manifests.find(
    ({ content, addedFilesCount, existingFilesCount }) =>
      content === 'data' && (addedFilesCount !== 0 || existingFilesCount !== 0),
  )
  if (manifest === undefined) return
  const file = await step(
    'manifest',
    manifest.path,
    async () => await firstDataFile(table, storage, manifest, signal),
  )
  if (file === undefined) return
  await step('data-file', file.path, async () => {
    const start = Math.max(0, file.fileSizeBytes - TAIL_BYTES)
    const uri = storage.paths.canonicalUri(file.path)
    await storage.store.readRange(uri, { start, end: file.fileSizeBytes }, signal)
  })
}

async function firstDataFile(
  { metadata }: LoadedTable,
  storage: TableStorage,
  manifest: ManifestFile,
  signal: AbortSignal,
): Promise<DataFile | undefined> {
  const spec = metadata.partitionSpecs.find(({ specId }) => specId === manifest.partitionSpecId)
  const schema = metadata.schemas.find(({ schemaId }) => schemaId === metadata.currentSchemaId)
  if (!spec || !schema)
    throw new AppError(
      'TABLE_CORRUPT',
      `Manifest ${manifest.path} has a partition spec that the table does not have`,
    )
  const entries = await readManifest(storage, manifest, { spec, schema, metricsFieldIds: new Set() }, signal)
  return entries.find(({ status }) => status !== 'deleted')?.file
}
