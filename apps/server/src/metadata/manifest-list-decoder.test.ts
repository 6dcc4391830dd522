import { describe, expect, test } from 'vitest'
import { decodeManifestList } from './manifest-list-decoder.ts'
import { encodeRecords } from './test/avro-file.ts'
import { optional } from './test/manifest-sketch.ts'

const signal = new AbortController().signal

describe('manifest lists', () => {
  const listSchema = (fields: readonly unknown[]) => ({
    type: 'record',
    name: 'manifest_file',
    fields: [
      { name: 'manifest_path', type: 'string', 'field-id': 500 },
      { name: 'manifest_length', type: 'long', 'field-id': 501 },
      ...fields,
    ],
  })
  const summary = {
    type: 'record',
    name: 'r508',
    fields: [
      { name: 'contains_null', type: 'boolean', 'field-id': 509 },
      optional('bytes', 'lower_bound', 510),
    ],
  }
  const line = { manifest_path: 's3://b/m', manifest_length: 5n }

  test('[H11] [H27] of version 1 have unknown counts and sequence number 0', async () => {
    const [decoded] = await decodeManifestList(encodeRecords(listSchema([]), [line]), 'list', signal)
    expect(decoded).toMatchObject({
      path: 's3://b/m',
      partitionSpecId: 0,
      content: 'data',
      sequenceNumber: 0n,
      addedFilesCount: undefined,
      existingFilesCount: undefined,
      partitions: undefined,
    })
  })

  test('have former names of counts, and summaries', async () => {
    const bytes = encodeRecords(
      listSchema([
        optional('int', 'added_data_files_count'),
        optional({ type: 'array', items: summary }, 'partitions', 507),
      ]),
      [
        {
          ...line,
          added_data_files_count: 4,
          partitions: [{ contains_null: true, lower_bound: Buffer.from([1]) }],
        },
      ],
    )
    const [decoded] = await decodeManifestList(bytes, 'list', signal)
    expect(decoded?.addedFilesCount).toBe(4)
    expect(decoded?.partitions).toEqual([
      { containsNull: true, containsNan: undefined, lowerBound: Uint8Array.of(1), upperBound: undefined },
    ])
  })

  test('without a path are corrupt, with unknown content unsupported', async () => {
    const pathless = encodeRecords({ type: 'record', name: 'm', fields: [{ name: 'x', type: 'int' }] }, [
      { x: 1 },
    ])
    await expect(decodeManifestList(pathless, 'list', signal)).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
    const odd = encodeRecords(listSchema([{ name: 'content', type: 'int', 'field-id': 517 }]), [
      { ...line, content: 2 },
    ])
    await expect(decodeManifestList(odd, 'list', signal)).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED' })
  })
})
