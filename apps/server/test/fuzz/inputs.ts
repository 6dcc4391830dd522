// Real inputs to damage: the tables that reference writers wrote (`fixtures/`), in an order that does not change.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FileReader } from '../../src/parquet/file-reader.ts'
import { createFileReader } from '../../src/parquet/file-reader.ts'
import { AppError } from '@lake/core/errors.ts'

const FIXTURES = resolve(import.meta.dirname, '../../../../fixtures')

/** Contents of the files whose path within the fixtures matches and that are no larger than `bytesMax`. */
export function fixtureFiles(pattern: RegExp, bytesMax = 8_192): Uint8Array[] {
  return readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(FIXTURES, name))
    .filter((path) => statSync(path).size <= bytesMax)
    .map((path) => new Uint8Array(readFileSync(path)))
}

export const NEVER = new AbortController().signal

/** A store of one object. */
export function memoryStore(bytes: Uint8Array) {
  return {
    readRange: async (_uri: string, { start, end }: { readonly start: number; readonly end: number }) => {
      await Promise.resolve()
      if (end > bytes.byteLength || start < 0 || start > end)
        throw new AppError('TABLE_CORRUPT', 'shorter than asked for')
      return bytes.slice(start, end)
    },
    statObject: async () => await Promise.resolve({ sizeBytes: bytes.byteLength }),
  }
}

export function memoryReader(bytes: Uint8Array): FileReader {
  return createFileReader({ store: memoryStore(bytes), uri: 's3://b/f', fileSizeBytes: bytes.byteLength })
}
