// Reads the footer of a Parquet file with one ranged request in the usual case, two when the footer is large.
// Everything in it is checked (`parquet-metadata.ts`). Some writers put wrong file sizes into manifests, so a footer that
// is not where the manifest's size says is looked for once more at the end of the object as the store knows it.
import { isAppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { decodeParquetMetadata } from './parquet-metadata.ts'
import type { ParquetMetadata } from './parquet-metadata.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

/** Footer length and magic at the end, magic at the start. */
const TAIL_BYTES = 8
const FILE_BYTES_MIN = 12

/**
 * @param fileSizeBytes as the manifest has it
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED (encryption), and those of the store
 */
export async function readFooter(
  store: Pick<ObjectStore, 'readRange' | 'statObject'>,
  uri: string,
  fileSizeBytes: number,
  signal: AbortSignal,
): Promise<ParquetMetadata> {
  try {
    return await readFooterAt(store, uri, fileSizeBytes, signal)
  } catch (error) {
    if (!isAppError(error, 'TABLE_CORRUPT')) throw error
    const { sizeBytes } = await store.statObject(uri, signal)
    if (sizeBytes === fileSizeBytes) throw error
    return await readFooterAt(store, uri, sizeBytes, signal)
  }
}

async function readFooterAt(
  store: Pick<ObjectStore, 'readRange'>,
  uri: string,
  fileSizeBytes: number,
  signal: AbortSignal,
): Promise<ParquetMetadata> {
  if (fileSizeBytes < FILE_BYTES_MIN) throw parquetCorrupt('it is too short to be one')
  const tailStart = Math.max(0, fileSizeBytes - LIMITS.parquetFooterGuessBytes)
  const tail = await store.readRange(uri, { start: tailStart, end: fileSizeBytes }, signal)
  const footerBytes = readFooterLength(tail, fileSizeBytes)
  const footerStart = fileSizeBytes - TAIL_BYTES - footerBytes
  if (footerStart >= tailStart) {
    const bytes = tail.subarray(footerStart - tailStart, tail.byteLength - TAIL_BYTES)
    return decodeParquetMetadata(bytes, footerStart)
  }
  const head = await store.readRange(uri, { start: footerStart, end: tailStart }, signal)
  const bytes = new Uint8Array(footerBytes)
  bytes.set(head)
  bytes.set(tail.subarray(0, tail.byteLength - TAIL_BYTES), head.byteLength)
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
