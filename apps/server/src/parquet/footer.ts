// Reads the footer of a Parquet file with one ranged request where the guess of its length was large enough, else two.
// It is read as its exact ranges whatever was guessed, so that the chunk cache finds it again.
// Everything in it is checked (`parquet-metadata.ts`). Some writers put wrong file sizes into manifests, so a footer that
// is not where the manifest's size says is looked for once more at the end of the object as the store knows it.
import { isAppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import type { FileReader } from './file-reader.ts'
import { decodeParquetMetadata } from './parquet-metadata.ts'
import type { ParquetMetadata } from './parquet-metadata.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

/** Footer length and magic at the end, magic at the start. */
const TAIL_BYTES = 8
const FILE_BYTES_MIN = 12

type FooterReader = Pick<FileReader, 'readRange' | 'stat' | 'expectRange'>

/**
 * @param file.fileSizeBytes as the manifest has it
 * @param file.guessBytes what the first request reads from the end of the file
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED (encryption), and those of the store
 */
export async function readFooter(
  reader: FooterReader,
  file: { readonly fileSizeBytes: number; readonly guessBytes?: number },
  signal: AbortSignal,
): Promise<ParquetMetadata> {
  const { fileSizeBytes, guessBytes = LIMITS.parquetFooterGuessBytes } = file
  try {
    return await readFooterAt(reader, { fileSizeBytes, guessBytes }, signal)
  } catch (error) {
    if (!isAppError(error, 'TABLE_CORRUPT')) throw error
    const { sizeBytes } = await reader.stat(signal)
    if (sizeBytes === fileSizeBytes) throw error
    return await readFooterAt(reader, { fileSizeBytes: sizeBytes, guessBytes }, signal)
  }
}

async function readFooterAt(
  reader: FooterReader,
  { fileSizeBytes, guessBytes }: { readonly fileSizeBytes: number; readonly guessBytes: number },
  signal: AbortSignal,
): Promise<ParquetMetadata> {
  if (fileSizeBytes < FILE_BYTES_MIN) throw parquetCorrupt('it is too short to be one')
  reader.expectRange({ start: Math.max(0, fileSizeBytes - guessBytes), end: fileSizeBytes })
  const tailStart = fileSizeBytes - TAIL_BYTES
  const tail = await reader.readRange({ start: tailStart, end: fileSizeBytes }, signal)
  const footerStart = tailStart - readFooterLength(tail, fileSizeBytes)
  const bytes = await reader.readRange({ start: footerStart, end: tailStart }, signal)
  return decodeParquetMetadata(bytes, footerStart)
}

function readFooterLength(tail: Uint8Array, fileSizeBytes: number): number {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength)
  const magic = String.fromCharCode(...tail.subarray(-4))
  if (magic === 'PARE') throw parquetUnsupported('Parquet encryption')
  if (magic !== 'PAR1') {
    throw parquetCorrupt('it does not end as one, or its size is not the one in the manifest')
  }
  const footerBytes = view.getUint32(view.byteLength - TAIL_BYTES, true)
  if (footerBytes > fileSizeBytes - FILE_BYTES_MIN) throw parquetCorrupt('its footer is longer than the file')
  if (footerBytes > LIMITS.parquetFooterBytesMax) throw parquetUnsupported('a very large Parquet footer')
  return footerBytes
}
