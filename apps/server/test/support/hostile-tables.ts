// Tables of hostile-tables.test.ts: each is one that reads well, of which one thing was made to break, exhaust or mislead
// whoever reads it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { container, encodeLong, SYNC } from '../../src/metadata/test/avro-file.ts'
import { encodePuffin, encodeVector } from '../../src/metadata/test/deletion-vector-file.ts'
import { optional, parquetFiles } from './generated-stack.ts'
import type { GeneratedTable } from './generated-tables.ts'

export interface HostileTable extends GeneratedTable {
  /** Of a statement that reads a column. */
  readonly code: string | undefined
  /** Of one that counts, where the manifests are enough for it. */
  readonly countCode?: string | undefined
  /** True where it is counted, and its files are listed, too. Not where that takes days, as any statement may, or much time here. */
  readonly isCounted?: boolean
}

const ROWS = 'SELECT i AS id, i::VARCHAR AS s FROM range(9) t(i)'
const FIELDS = [optional(1, 'id', 'long'), optional(2, 's', 'string')]
const write = parquetFiles([ROWS, '{id: 1, s: 2}'])
const LIST = 'metadata/snap-1.avro'
const MANIFEST = 'metadata/m0.avro'
const DATA = 'f0.parquet'

const changed =
  (name: string, change: (bytes: Buffer) => Uint8Array) =>
  (folder: string): void => {
    writeFileSync(join(folder, name), change(readFileSync(join(folder, name))))
  }
/** The footer of a Parquet file, replaced. */
const withFooter =
  (change: (footer: Buffer) => Uint8Array) =>
  (bytes: Buffer): Uint8Array => {
    const start = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
    const footer = change(bytes.subarray(start, -8))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(footer.length)
    return Buffer.concat([bytes.subarray(0, start), footer, length, Buffer.from('PAR1')])
  }
const broken = (
  name: string,
  file: string,
  change: (bytes: Buffer) => Uint8Array,
  more: Partial<HostileTable> = {},
): HostileTable => ({
  name,
  fields: FIELDS,
  write,
  damage: changed(file, change),
  code: 'TABLE_CORRUPT',
  countCode: file === DATA ? undefined : 'TABLE_CORRUPT',
  ...more,
})
const record = (...fields: readonly unknown[]): unknown => ({ type: 'record', name: 'r', fields })
const nested = (depth: number): unknown => {
  let type: unknown = 'int'
  for (let level = 0; level < depth; level += 1) type = { type: 'array', items: type }
  return type
}
/** A block of Avro that inflates to 300 MB. */
const bomb = (schema: unknown): Buffer => {
  const packed = deflateRawSync(Buffer.alloc(300 * 1_048_576))
  const head = container(schema, { codec: 'deflate' })
  return Buffer.concat([head, encodeLong(1_000), encodeLong(packed.length), packed, SYNC])
}
/** 2^16 runs of 65,536 positions, in less than a megabyte. */
function vectorBomb(): Uint8Array {
  const count = 65_536
  const view = new DataView(new ArrayBuffer(12 + 4 + count / 8 + count * 14))
  view.setBigUint64(0, 1n, true)
  view.setUint32(12, 12_347 + (count - 1) * 65_536, true)
  new Uint8Array(view.buffer).fill(0xff, 16, 16 + count / 8)
  let at = 16 + count / 8
  for (let key = 0; key < count; key += 1, at += 4) view.setUint32(at, key + 0xffff0000, true)
  at += count * 4
  for (let key = 0; key < count; key += 1, at += 6) {
    view.setUint16(at, 1, true)
    view.setUint16(at + 4, 0xffff, true)
  }
  return new Uint8Array(view.buffer)
}

export const HOSTILE_TABLES: readonly HostileTable[] = [
  broken('list_cut', LIST, (bytes) => bytes.subarray(0, bytes.length - 20)),
  broken('list_of_html', LIST, () => Buffer.from('<html><script>alert(1)</script></html>')),
  broken('list_empty', LIST, () => Buffer.alloc(0)),
  broken('list_of_a_schema_that_holds_itself', LIST, () => container(record({ name: 'a', type: 'r' }), {})),
  broken('list_of_a_schema_without_end', LIST, () =>
    container(record({ name: 'a', type: nested(2_000) }), {}),
  ),
  broken('list_that_swells', LIST, () => bomb(record({ name: 'a', type: 'bytes' }))),
  broken('list_of_nothing_very_often', LIST, () =>
    container(record({ name: 'a', type: { type: 'array', items: 'null' } }), {
      blocks: [{ count: 1, data: Buffer.concat([encodeLong(2 ** 40), encodeLong(0)]) }],
    }),
  ),
  broken('list_that_is_a_manifest', LIST, (bytes) =>
    bytes.length > 0
      ? container(record({ name: 'status', type: 'int', 'field-id': 0 }), {
          blocks: [{ count: 1, data: encodeLong(1) }],
        })
      : bytes,
  ),
  broken('manifest_cut', MANIFEST, (bytes) => bytes.subarray(0, 700)),
  broken('manifest_that_swells', MANIFEST, () => bomb(record({ name: 'a', type: 'bytes' })), {
    isCounted: false,
  }),
  broken(
    'manifest_of_an_unknown_codec',
    MANIFEST,
    () =>
      container(record({ name: 'a', type: 'int' }), {
        codec: 'lzo',
        blocks: [{ count: 1, data: encodeLong(1) }],
      }),
    {
      code: 'TABLE_UNSUPPORTED',
      countCode: 'TABLE_UNSUPPORTED',
    },
  ),
  broken('data_of_text', DATA, () => Buffer.from('id,s\n1,2\n3,4\n5,6\n')),
  broken('data_empty', DATA, () => Buffer.alloc(0)),
  broken('data_cut', DATA, (bytes) => bytes.subarray(0, bytes.length - 30)),
  broken('footer_longer_than_the_file', DATA, (bytes) => {
    bytes.writeUInt32LE(0x7fffffff, bytes.length - 8)
    return bytes
  }),
  // One list of 2^31 items in another, again and again.
  broken(
    'footer_of_endless_lists',
    DATA,
    withFooter(() =>
      Buffer.concat([
        Buffer.from([0x19]),
        ...Array.from({ length: 20 }, () => Buffer.from([0xf9, 0xff, 0xff, 0xff, 0xff, 0x07])),
      ]),
    ),
  ),
  broken(
    'footer_of_an_endless_integer',
    DATA,
    withFooter(() => Buffer.concat([Buffer.from([0x16]), Buffer.alloc(1_000_000, 0xff)])),
  ),
  broken(
    'footer_of_structs_in_structs',
    DATA,
    withFooter(() => Buffer.alloc(1_000_000, 0x1c)),
  ),
  broken(
    'pages_of_zeros',
    DATA,
    (bytes) => bytes.fill(0, 4, bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)),
    { code: 'TABLE_CORRUPT' },
  ),
  broken('pages_of_noise', DATA, (bytes) => {
    const end = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
    for (let at = 4; at < end; at += 1) bytes[at] = (at * 2_654_435_761) >>> 24
    return bytes
  }),
  {
    name: 'vector_that_swells',
    isCounted: true,
    fields: FIELDS,
    write: async (folder, duck) => {
      const files = await write(folder, duck)
      const { bytes, places } = encodePuffin([encodeVector(vectorBomb())])
      writeFileSync(join(folder, 'v.puffin'), bytes)
      return [
        ...files,
        {
          name: 'v.puffin',
          format: 'puffin',
          rowCount: 1,
          content: 'position-deletes',
          sequenceNumber: 2,
          referencedFile: DATA,
          contentOffset: places[0]!.offset,
          contentSizeBytes: places[0]!.sizeBytes,
        },
      ]
    },
    code: 'TABLE_CORRUPT',
    countCode: 'TABLE_CORRUPT',
  },
  ...(
    [
      ['path_of_this_machine', 'file:///etc/passwd', 'TABLE_UNSUPPORTED'],
      ['path_of_another_bucket', 's3://another-bucket/secret.parquet', 'STORAGE'],
      ['path_upwards', 's3://corpus/generated/../../secret.parquet', 'STORAGE'],
      ['path_of_the_metadata_service', 'http://169.254.169.254/latest/meta-data', 'TABLE_UNSUPPORTED'],
      ['path_without_a_bucket', 's3:///x', 'TABLE_CORRUPT'],
      ['path_of_a_megabyte', `s3://corpus/${'x'.repeat(1_000_000)}`, 'TABLE_CORRUPT'],
      ['path_with_a_newline', 's3://corpus/a\r\nx-amz-acl: public-read', 'STORAGE'],
    ] as const
  ).map(([name, path, code]): HostileTable => ({
    name,
    fields: FIELDS,
    write: async (folder, duck) => (await write(folder, duck)).map((file) => ({ ...file, path })),
    code,
    countCode: code === 'STORAGE' ? undefined : code,
  })),
  {
    name: 'rows_without_number',
    fields: FIELDS,
    write: async (folder, duck) =>
      (await write(folder, duck)).map((file) => ({ ...file, rowCount: 2 ** 52 })),
    code: undefined,
  },
  {
    name: 'names_of_markup',
    isCounted: true,
    fields: [
      optional(1, '<img src=x onerror=alert(1)>', 'long'),
      optional(2, '\u202Egnp.exe"; DROP TABLE x; --', 'string'),
    ],
    write,
    code: undefined,
  },
  {
    name: 'spec_of_no_column',
    isCounted: true,
    fields: FIELDS,
    specs: [
      {
        specId: 0,
        fields: [{ sourceIds: [99], fieldId: 1000, name: 'p', transform: 'bucket[3]', avroType: 'int' }],
      },
    ],
    write,
    code: undefined,
  },
  {
    name: 'type_of_no_size',
    fields: [optional(1, 'id', 'decimal(38, 40)')],
    write,
    code: 'TABLE_UNSUPPORTED',
    countCode: 'TABLE_UNSUPPORTED',
  },
  {
    name: 'type_without_end',
    fields: [
      optional(
        1,
        'id',
        Array.from({ length: 200 }).reduce<unknown>(
          (type, _, id) => ({ type: 'list', 'element-id': id + 2, element: type, 'element-required': false }),
          'long',
        ),
      ),
    ],
    write,
    code: 'TABLE_CORRUPT',
    countCode: 'TABLE_CORRUPT',
  },
]
