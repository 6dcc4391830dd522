// Whether a file is encrypted is read from the file, never from what a manifest says of its keys.
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import { expect, test } from 'vitest'
import { refuseEncryptedFiles } from '../../src/parquet/encrypted-files.ts'
import { createTablePaths } from '../../src/storage/table-paths.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'

const signal = new AbortController().signal
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

function parquet(footer: Record<string, unknown>, magic = 'PAR1'): Uint8Array {
  const writer = new ByteWriter()
  writer.appendBytes(ascii(magic))
  const start = writer.offset
  serializeTCompactProtocol(writer, footer)
  writer.appendUint32(writer.offset - start)
  writer.appendBytes(ascii(magic))
  return writer.getBytes().slice()
}
const plain = { field_1: 1, field_2: [{ field_4: 'root', field_5: 0 }], field_3: 0n, field_4: [] }

async function refuse(bytes: Uint8Array, hasKeyMetadata: boolean): Promise<number> {
  let requests = 0
  const store = {
    readObject: async () => await Promise.reject(new Error('not read whole')),
    statObject: async () => await Promise.resolve({ sizeBytes: bytes.byteLength }),
    readRange: async (_uri: string, { start, end }: { start: number; end: number }) => {
      requests += 1
      return await Promise.resolve(bytes.slice(start, end))
    },
  }
  const file = dataFile('s3://b/f', { fileSizeBytes: bytes.byteLength, hasKeyMetadata })
  await refuseEncryptedFiles([file], { store, paths: createTablePaths(new Map()) }, signal)
  return requests
}

test('[TM11] [H81] a plain file with key metadata is read', async () => {
  expect(await refuse(parquet(plain), true)).toBeGreaterThan(0)
})

test.each([
  ['an encrypted footer', parquet(plain, 'PARE'), 'Parquet encryption'],
  [
    'encrypted columns under a plain footer',
    parquet({ ...plain, field_8: { field_1: {} } }),
    'Parquet encryption',
  ],
  ['an encrypted stream', ascii('AGS1 and cipher text'), 'encryption'],
])('[TM11] [H81] %s is refused', async (_name, bytes, feature) => {
  await expect(refuse(bytes, true)).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED', details: { feature } })
})

test('a file without key metadata costs no request', async () => {
  expect(await refuse(parquet(plain, 'PARE'), false)).toBe(0)
})
