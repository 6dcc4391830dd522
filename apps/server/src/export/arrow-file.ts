// An Arrow IPC file: the batches as the engine encoded them, byte for byte, between the magic and a footer. The receipt is
// metadata of the footer's schema, which comes last, so a file that was cut has neither.
import { Schema } from 'apache-arrow'
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file'
import { FILE_RECEIPT_KEY } from '@lake/core/flight/receipt.ts'
import { END_OF_STREAM } from '../engine/arrow-messages.ts'
import type { ResultSource } from './result-source.ts'

const MAGIC = new TextEncoder().encode('ARROW1')
/** The magic at the start is padded to eight bytes. */
const START = Uint8Array.of(...MAGIC, 0, 0)

/** Length of a message's metadata with its prefix of eight bytes; the body follows. */
function metadataLength(message: Uint8Array): number {
  return 8 + new DataView(message.buffer, message.byteOffset).getInt32(4, true)
}

export async function* writeArrowFile(source: ResultSource): AsyncGenerator<Uint8Array> {
  const blocks: FileBlock[] = []
  yield START
  yield source.schemaMessage
  let offset = START.length + source.schemaMessage.length
  for await (const { bytes } of source.rows) {
    const length = metadataLength(bytes)
    blocks.push(new FileBlock(length, bytes.length - length, offset))
    offset += bytes.length
    yield bytes
  }
  yield END_OF_STREAM
  const { fields, metadata, metadataVersion } = source.schema
  const receipt = JSON.stringify(source.receipt())
  const schema = new Schema(
    fields,
    new Map([...metadata, [FILE_RECEIPT_KEY, receipt]]),
    undefined,
    metadataVersion,
  )
  const footer = Footer.encode(new Footer(schema, metadataVersion, blocks, []))
  yield footer
  const end = new Uint8Array(4 + MAGIC.length)
  new DataView(end.buffer).setInt32(0, footer.length, true)
  end.set(MAGIC, 4)
  yield end
}
