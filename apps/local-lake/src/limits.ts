// Every bound of the local lake, with its unit in the name. Small on purpose: it serves one machine.

const SECOND = 1_000
const MIB = 1_048_576

export const LIMITS = {
  // Catalog
  catalogBodyBytesMax: 64 * MIB,
  pageSizeMax: 1_000,
  previousMetadataMax: 100,
  credentialLifetimeMs: 3_600 * SECOND,

  // S3 store
  clockSkewMs: 900 * SECOND,
  presignedLifetimeMaxMs: 7 * 24 * 3_600 * SECOND,
  listKeysMax: 1_000,
  xmlBodyBytesMax: 2 * MIB,
  objectKeyBytesMax: 1_024,
  objectPutBytesMax: 5 * 1_024 * MIB,
  uploadPartsMax: 10_000,
  /** Largest chunk of an aws-chunked body that is held in memory; the SDKs send 64 KiB to 1 MiB. */
  awsChunkBytesMax: 32 * MIB,
  awsChunkHeaderBytesMax: 16_384,

  // Writer
  manifestBytesMax: 64 * MIB,
  commitAttemptsMax: 5,
  filesWrittenAtOnceMax: 2,
  boundLengthMax: 16,
} as const
