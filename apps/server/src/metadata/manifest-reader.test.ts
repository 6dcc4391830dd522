import avsc from 'avsc'
import { expect, test } from 'vitest'
import type { Snapshot } from '@lake/core/iceberg/table-metadata.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { createTablePaths } from '../storage/table-paths.ts'
import { readSnapshotManifests } from './manifest-reader.ts'
import { container } from './test/avro-file.ts'

const snapshot: Snapshot = {
  snapshotId: 5n,
  parentSnapshotId: undefined,
  sequenceNumber: 0n,
  timestampMs: 1,
  manifestList: undefined,
  manifests: ['/old/m1.avro', 's3://b/m2.avro', 's3://b/m3.avro'],
  summary: {},
  schemaId: undefined,
  firstRowId: undefined,
}
const schema = {
  type: 'record',
  name: 'manifest_entry',
  fields: [{ name: 'status', type: 'int', 'field-id': 0 }],
}

/** An empty manifest with further entries in its header. */
function manifestWith(header: Readonly<Record<string, string>>): Uint8Array {
  const bytes = container(schema, {})
  const text = (value: string): Buffer => avsc.Type.forSchema('string').toBuffer(value)
  const pairs = Object.entries(header).flatMap(([key, value]) => [text(key), text(value)])
  // After the magic stands how many pairs follow: two, as one byte.
  const count = avsc.Type.forSchema('long').toBuffer(2 + Object.keys(header).length)
  return Buffer.concat([bytes.subarray(0, 4), count, ...pairs, bytes.subarray(5)])
}

test('[H10] a snapshot of version 1 without a list has the manifests that it names, with the specs of their headers', async () => {
  const objects = new Map([
    ['s3://lake/m1.avro', manifestWith({ 'partition-spec-id': '3' })],
    ['s3://b/m2.avro', manifestWith({})],
    ['s3://b/m3.avro', manifestWith({ 'partition-spec-id': '0', 'format-version': '1' })],
  ])
  const store = {
    readObject: async (uri: string) => await Promise.resolve(objects.get(uri)),
  } as unknown as ObjectStore
  const paths = createTablePaths(new Map([['/old/', 's3://lake/']]))
  const manifests = await readSnapshotManifests({ store, paths }, snapshot, new AbortController().signal)
  expect(manifests.map(({ path, partitionSpecId }) => [path, partitionSpecId])).toEqual([
    ['/old/m1.avro', 3],
    ['s3://b/m2.avro', 0],
    ['s3://b/m3.avro', 0],
  ])
  for (const manifest of manifests) {
    expect(manifest).toMatchObject({
      content: 'data',
      sequenceNumber: 0n,
      addedSnapshotId: 5n,
      addedFilesCount: undefined,
      existingFilesCount: undefined,
    })
  }
})

test.each(['three', '', '-1', '1e1', '99999999999'])(
  '[H10] one whose header has the spec %j is corrupt: none is guessed',
  async (specId) => {
    const manifest = manifestWith({ 'partition-spec-id': specId })
    const store = { readObject: async () => await Promise.resolve(manifest) } as unknown as ObjectStore
    const source = { store, paths: createTablePaths(new Map()) }
    const named = { ...snapshot, manifests: ['s3://b/m1.avro'] }
    await expect(readSnapshotManifests(source, named, new AbortController().signal)).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
      message: expect.stringContaining('s3://b/m1.avro') as string,
    })
  },
)
