// Reads a position delete file in Avro, as `parquet/position-delete-file.ts` reads one in Parquet.
// Source: Iceberg table spec, "Position Delete Files" and "Reserved Field IDs".
import { AppError, isAppError } from '@lake/core/errors.ts'
import { DELETE_FILE_PATH_ID, DELETE_POSITION_ID } from '@lake/core/scan/delete-file-index.ts'
import { LIMITS } from '../limits.ts'
import { decodeAvroHeader, decodeAvroRecords } from '../metadata/avro-container.ts'
import { fieldKey } from '../metadata/avro-decoder.ts'
import type { AvroField } from '../metadata/avro-schema.ts'
import type { FileReader } from '../parquet/file-reader.ts'

/**
 * Hands over every row whose path is not NULL.
 * @param path names the file in messages
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, what `take` throws, and those of the store
 */
export async function readAvroPositionDeletes(
  reader: FileReader,
  { path, fileSizeBytes }: { readonly path: string; readonly fileSizeBytes: number },
  take: (path: string, position: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const bytes = await readWhole(reader, fileSizeBytes, signal)
  const header = decodeAvroHeader(bytes, path)
  const { fields } = header.schema
  const pathKey = keyOf(fields, DELETE_FILE_PATH_ID, 'file_path', path)
  const positionKey = keyOf(fields, DELETE_POSITION_ID, 'pos', path)
  await decodeAvroRecords(
    { bytes, path, header, decodedBytesMax: LIMITS.avroDataDecodedBytesMax },
    (record) => {
      const dataPath = record[pathKey]
      if (dataPath === null) return
      const position = record[positionKey]
      if (typeof dataPath !== 'string' || typeof position !== 'number') {
        throw new AppError('TABLE_CORRUPT', `Avro file ${path} has rows that are no position deletes`)
      }
      take(dataPath, position)
    },
    signal,
  )
}

/** Some writers put wrong file sizes into manifests. */
async function readWhole(
  reader: FileReader,
  fileSizeBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    return await readBytes(reader, fileSizeBytes, signal)
  } catch (error) {
    if (!isAppError(error, 'TABLE_CORRUPT')) throw error
    const { sizeBytes } = await reader.stat(signal)
    if (sizeBytes === fileSizeBytes) throw error
    return await readBytes(reader, sizeBytes, signal)
  }
}

async function readBytes(reader: FileReader, sizeBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  if (sizeBytes > LIMITS.avroDataFileBytesMax) {
    const feature = 'a very large Avro delete file'
    throw new AppError('TABLE_UNSUPPORTED', `The table uses ${feature}, which is not read`, {
      details: { feature },
    })
  }
  const bytes = new Uint8Array(sizeBytes)
  await reader.readRanges(
    [{ start: 0, end: sizeBytes }],
    async (_index, position, part) => {
      bytes.set(part, position)
      await Promise.resolve()
    },
    signal,
  )
  return bytes
}

/** By its reserved id; in a file without ids, by its name. */
function keyOf(fields: readonly AvroField[], fieldId: number, name: string, path: string): string {
  const byId = fields.find((field) => field.fieldId === fieldId)
  const hasFieldIds = fields.some((field) => field.fieldId !== undefined)
  const found = byId ?? (hasFieldIds ? undefined : fields.find((field) => field.name === name))
  if (!found)
    throw new AppError('TABLE_CORRUPT', `Avro file ${path} has no column ${name} of position deletes`)
  return fieldKey(found.fieldId, found.name)
}
