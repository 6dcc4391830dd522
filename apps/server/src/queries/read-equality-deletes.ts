// Excerpts of the equality delete files of one table, for the engine to compare rows with. Only the keys are read of them.
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import type { SequencedFile } from '@lake/core/scan/delete-file-index.ts'
import { writeAvroExcerpt } from '../avro/avro-excerpt.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import type { EqualityDeletes, ScanExcerpt } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import { writeExcerpt } from '../parquet/excerpt-writer.ts'
import { namingFile, type DeleteFileAccess } from './delete-file-access.ts'
import type { EqualityDeletePlan, EqualityDeleteSet } from './equality-deletes.ts'

export async function readEqualityDeletes(
  plan: EqualityDeletePlan,
  access: DeleteFileAccess,
  signal: AbortSignal,
): Promise<readonly EqualityDeletes[]> {
  const files = plan.sets.flatMap((set) => set.files.map((deletion) => ({ deletion, set })))
  const excerpts = await mapConcurrently(
    files,
    LIMITS.deleteFilesReadAtOnceMax,
    async ({ deletion, set }, itemSignal, index): Promise<ScanExcerpt> => {
      const name = `${access.tableIndex}-deletes-${index}`
      const excerpt = await readFile(deletion, set, { ...access, name }, itemSignal)
      return { ...excerpt, place: plan.placeOfDelete(deletion) }
    },
    signal,
  )
  let next = 0
  return plan.sets.map(({ keys, isGlobal, files: { length } }) => {
    next += length
    return { keys, isGlobal, excerpts: excerpts.slice(next - length, next) }
  })
}

async function readFile(
  deletion: SequencedFile,
  { keys, keySchema }: EqualityDeleteSet,
  target: DeleteFileAccess & { readonly name: string },
  signal: AbortSignal,
): Promise<ScanExcerpt> {
  const { table, tableIndex, directory, name, services, progress } = target
  const { storage, nameMapping } = table.plan
  const { file } = deletion
  const request = {
    task: { ...deletion, deletes: [] },
    schema: keySchema,
    nameMapping,
    columnIndexes: new Set(keys.keys()),
    predicate: ALWAYS_TRUE,
    isStrict: true,
    store: storage.store,
    uri: storage.paths.canonicalUri(file.path),
    partitionSpec: table.plan.specOf(file.specId),
    directory,
    name,
    cache: services.chunkCache,
  }
  const write = file.format === 'avro' ? writeAvroExcerpt : writeExcerpt
  const outcome = await namingFile('Delete file', file, write(request, signal))
  progress.addDeleteFiles(tableIndex, 1, outcome)
  return outcome.excerpt
}
