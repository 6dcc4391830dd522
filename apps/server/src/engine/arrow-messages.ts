// Messages of ours in an Arrow stream: zero-row record batches with custom metadata, and the stream's end.
// Needs no engine: whoever writes the response uses it, also when a statement failed before its schema was known. Whoever
// stores a stream in pieces tells them apart here.
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import { batchMessage, type BatchMessage } from '@lake/core/api/wire.ts'
import {
  DataType,
  makeData,
  Message,
  RecordBatch,
  RecordBatchReader,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  type Data,
} from 'apache-arrow'
import { schemaLength } from './schema-length.ts'

/** Continuation marker and length 0: what ends every Arrow stream. */
export const END_OF_STREAM: Uint8Array = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)

const schemas = new WeakMap<Uint8Array, Schema>()

function schemaOf(schemaMessage: Uint8Array): Schema {
  const known = schemas.get(schemaMessage)
  if (known) return known
  const reader = RecordBatchReader.from(Buffer.concat([schemaMessage, END_OF_STREAM]))
  reader.open({ autoDestroy: false })
  schemas.set(schemaMessage, reader.schema)
  return reader.schema
}

/** No rows of a type, with every nested part that a reader expects. */
function emptyData(type: DataType): Data {
  const children = (type.children ?? []).map((child) => emptyData(child.type))
  const isListLike = DataType.isList(type) || DataType.isMap(type) || DataType.isFixedSizeList(type)
  const nested = isListLike ? { child: children[0] } : { children }
  return makeData({ type, length: 0, nullCount: 0, ...nested } as never)
}

/** A record batch message of zero rows that carries `message`; stands after the rows it speaks of. */
export function encodeMessageBatch(schemaMessage: Uint8Array, message: BatchMessage): Uint8Array {
  const schema = schemaOf(schemaMessage)
  const data = makeData({
    type: new Struct(schema.fields),
    length: 0,
    nullCount: 0,
    children: schema.fields.map((field) => emptyData(field.type)),
  })
  const metadata = new Map([[BATCH_METADATA_KEY, JSON.stringify(message)]])
  const batch = new RecordBatch(schema, data, metadata)
  const stream = RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true)
  return stream.slice(schemaLength(stream), stream.length - END_OF_STREAM.length)
}

/** What one encapsulated message of a stream of `runQuery` is. */
export type StreamMessage =
  | { readonly kind: 'schema' }
  | { readonly kind: 'rows'; readonly rowCount: number }
  | { readonly kind: 'message'; readonly message: BatchMessage }
  | { readonly kind: 'end' }

/** Looks at the header of one whole message; its rows are not decoded. */
export function decodeMessage(bytes: Uint8Array): StreamMessage {
  const headerLength = schemaLength(bytes) - 8
  if (headerLength === 0) return { kind: 'end' }
  const decoded = Message.decode(bytes.subarray(8, 8 + headerLength))
  if (decoded.isSchema()) return { kind: 'schema' }
  const text = decoded.metadata.get(BATCH_METADATA_KEY)
  if (text !== undefined) return { kind: 'message', message: batchMessage.parse(JSON.parse(text)) }
  return { kind: 'rows', rowCount: (decoded.header() as { length: number }).length }
}

/**
 * The encapsulated messages of a whole stream, the schema first, without its end.
 * @throws Error for what is no whole stream
 */
export function splitMessages(stream: Uint8Array): Uint8Array[] {
  const messages: Uint8Array[] = []
  for (let start = 0; start + 8 <= stream.byteLength;) {
    const headerEnd = start + schemaLength(stream.subarray(start))
    if (headerEnd === start + 8) return messages
    const { bodyLength } = Message.decode(stream.subarray(start + 8, headerEnd))
    const end = headerEnd + bodyLength
    if (end > stream.byteLength) break
    messages.push(stream.subarray(start, end))
    start = end
  }
  throw new Error('an Arrow stream without its end')
}

function encodeSchema(schema: Schema): Uint8Array {
  const writer = new RecordBatchStreamWriter({ autoDestroy: false })
  writer.reset(undefined, schema)
  writer.finish()
  const stream = writer.toUint8Array(true)
  return stream.slice(0, stream.length - END_OF_STREAM.length)
}

/** Schema message without columns, for a stream that fails before its columns are known. */
export const EMPTY_SCHEMA_MESSAGE: Uint8Array = encodeSchema(new Schema([]))
