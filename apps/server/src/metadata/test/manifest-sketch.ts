// Manifests in a few words for tests of decoding, as avsc encodes them.
import { mapByFieldId } from './avro-file.ts'

export const optional = (type: unknown, name: string, id?: number) => ({
  name,
  type: ['null', type],
  default: null,
  ...(id === undefined ? {} : { 'field-id': id }),
})
/** The order of fields is not that of the spec, on purpose. */
export const entrySchema = (partitionFields: readonly unknown[] = [], extra: readonly unknown[] = []) => ({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    {
      name: 'data_file',
      'field-id': 2,
      type: {
        type: 'record',
        name: 'r2',
        fields: [
          optional('long', 'first_row_id', 142),
          { name: 'record_count', type: 'long', 'field-id': 103 },
          { name: 'renamed_path', type: 'string', 'field-id': 100 },
          { name: 'unheard_of', type: 'string', 'field-id': 9999 },
          { name: 'file_format', type: 'string', 'field-id': 101 },
          {
            name: 'partition',
            'field-id': 102,
            type: { type: 'record', name: 'r102', fields: partitionFields },
          },
          { name: 'file_size_in_bytes', type: 'long', 'field-id': 104 },
          mapByFieldId('value_counts', 109, 'long'),
          mapByFieldId('lower_bounds', 125, 'bytes'),
          ...extra,
        ],
      },
    },
    optional('long', 'sequence_number', 3),
    optional('long', 'snapshot_id', 1),
    { name: 'status', type: 'int', 'field-id': 0 },
  ],
})

export interface EntrySketch {
  readonly status?: number
  readonly sequence?: bigint | null
  readonly file?: Readonly<Record<string, unknown>>
}

export const entry = ({ status = 1, sequence = null, file = {} }: EntrySketch) => ({
  status,
  snapshot_id: null,
  sequence_number: sequence,
  data_file: {
    first_row_id: null,
    record_count: 10n,
    renamed_path: 's3://b/f.parquet',
    unheard_of: 'x',
    file_format: 'PARQUET',
    partition: {},
    file_size_in_bytes: 100n,
    value_counts: null,
    lower_bounds: null,
    ...file,
  },
})
