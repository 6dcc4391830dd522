// Decompression of the pages of Parquet files that the server reads itself. The size of the output is bounded by what the
// page's header says, which callers have checked.
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { CompressionCodec, Compressors } from 'hyparquet'

/** By number in the footer; Snappy is the library's own. */
export const PAGE_CODECS: Readonly<Record<number, CompressionCodec>> = {
  0: 'UNCOMPRESSED',
  1: 'SNAPPY',
  2: 'GZIP',
  4: 'BROTLI',
  6: 'ZSTD',
}

export const PAGE_DECOMPRESSORS: Compressors = {
  GZIP: (input, outputBytes) => gunzipSync(input, { maxOutputLength: Math.max(1, outputBytes) }),
  BROTLI: (input, outputBytes) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, outputBytes) }),
  ZSTD: (input, outputBytes) => zstdDecompressSync(input, { maxOutputLength: Math.max(1, outputBytes) }),
}
