// Refuses encrypted data files before the first row. Key metadata in a manifest is no proof: some writers set it on plain
// files. A file's own bytes tell: an encrypted footer, encryption named in a plain one, or Iceberg's encrypted stream.
// Files without key metadata are not looked at here; whoever reads one would find it out too.
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { LIMITS } from '../limits.ts'
import type { TableStorage } from '../storage/table-storage.ts'
import { createFileReader } from './file-reader.ts'
import { readFooter } from './footer.ts'
import { parquetUnsupported } from './thrift.ts'

const ENCRYPTED_STREAM_MAGIC = 'AGS1'

/** @throws AppError TABLE_UNSUPPORTED naming encryption, TABLE_CORRUPT, and those of the store */
export async function refuseEncryptedFiles(
  files: readonly DataFile[],
  { store, paths }: TableStorage,
  signal: AbortSignal,
): Promise<void> {
  await mapConcurrently(
    files.filter((file) => file.hasKeyMetadata),
    LIMITS.filesFetchedAtOnceMax,
    async ({ path, fileSizeBytes }, itemSignal) => {
      const uri = paths.canonicalUri(path)
      const head = await store.readRange(uri, { start: 0, end: ENCRYPTED_STREAM_MAGIC.length }, itemSignal)
      const magic = String.fromCharCode(...head)
      if (magic === ENCRYPTED_STREAM_MAGIC) throw parquetUnsupported('encryption')
      if (magic !== 'PAR1' && magic !== 'PARE') return
      const reader = createFileReader({ store, uri, fileSizeBytes })
      await readFooter(reader, { fileSizeBytes }, itemSignal)
    },
    signal,
  )
}
