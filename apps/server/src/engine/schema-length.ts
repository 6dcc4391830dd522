// Where the schema ends in an Arrow stream. Of its own, so that an engine process does not load what reads messages.

/** Length of the schema message that a stream begins with: 8 bytes of prefix and the metadata; it has no body. */
export function schemaLength(stream: Uint8Array): number {
  return 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true)
}
