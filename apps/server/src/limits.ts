// Every bound of the server, with its unit in the name. Those that a deployment may change are set in config.ts.

const SECOND = 1_000
const MIB = 1_048_576

export const LIMITS = {
  // Catalog client
  catalogCallTimeoutMs: 20 * SECOND,
  /** Then the question is asked by GET. */
  catalogHeadTimeoutMs: 2 * SECOND,
  catalogBodyBytesMax: 128 * MIB,
  catalogConnectionsMax: 32,
  catalogPagesMax: 200,
  catalogTablesListedMax: 10_000,
  catalogListFreshMs: 30 * SECOND,
  catalogClientLifetimeMs: 900 * SECOND,
  /** How long people are told to wait where the catalog asks for it, at least and at most. */
  catalogRetryAfterMs: SECOND,
  catalogRetryAfterMsMax: 60 * SECOND,
  secretResolveTimeoutMs: 10 * SECOND,

  /** Larger answers for a table are parsed in a worker thread. */
  tableParsedInlineBytesMax: MIB / 4,
  /** Values taken over from the worker at once: some 5 ms of work. */
  parsedPieceValuesMax: 30_000,

  /** One metadata file of a table, as it is stored and decompressed. */
  metadataFileBytesMax: 128 * MIB,
  /** Metadata files are immutable, so the content of these is kept. */
  metadataFilesCachedMax: 64,

  /** A table that was sent whole is asked for conditionally for so long; then it is sent whole again. */
  tableRevalidatedForMs: 300 * SECOND,

  // Snapshot cache
  snapshotFreshMs: 5 * SECOND,
  snapshotStaleIfErrorMs: 60 * SECOND,
  snapshotsCachedMax: 10_000,
  snapshotLoadsPendingMax: 64,

  // Object storage
  storageRequestTimeoutMs: 30 * SECOND,
  storageConnectionsMax: 64,
  /** Vended credentials that end sooner than this are asked for anew. */
  storageCredentialsMarginMs: 300 * SECOND,
  /** A request that the catalog signed is repeated for so long, where it allows that. */
  signedRequestFreshMs: 30 * SECOND,
  signedRequestsCachedMax: 1_000,
  storageRequestsWaitingMax: 4_096,
  /** A failed read is tried once more, after this long. */
  storageRetryDelayMs: 100,
  storageErrorBodyBytesMax: 16_384,
  /** Objects per store whose ETag is remembered, so that a replaced object is noticed. */
  storageEtagsMax: 100_000,
  /**
   * Gaps up to this size between wanted ranges of a file are fetched rather than paid for with another request, while
   * they are together at most this share of the wanted bytes: more where many files queue for requests. Gaps beyond the
   * share are fetched too while there would be more requests than `rangesPerFileMax`.
   */
  rangeGapBytesMax: 65_536,
  rangeGapShareMax: 0.1,
  rangeGapShareOfManyFilesMax: 0.5,
  rangesPerFileMax: 24,
  /** A joined range grows no larger than this, so that a failure repeats little. */
  rangeJoinedBytesMax: 16 * MIB,
  manifestListBytesMax: 256 * MIB,
  manifestBytesMax: 256 * MIB,
  /** Decoded size of one Avro block, against decompression bombs. */
  avroBlockBytesMax: 256 * MIB,
  /** Decoded size of all blocks of one Avro file. */
  avroDecodedBytesMax: 2_048 * MIB,
  avroSchemasCachedMax: 64,
  /** Records and items of no bytes at all, such as NULL in a list of nothing else, of one file. */
  avroEmptyItemsMax: 1_000_000,
  /** Avro data files are read whole; these bound one, as it is stored and decoded. */
  avroDataFileBytesMax: 128 * MIB,
  avroDataDecodedBytesMax: 256 * MIB,
  avroDataRowGroupRows: 16_384,
  manifestsPerSnapshotMax: 1_000_000,
  entriesPerManifestMax: 2_000_000,
  parquetFooterBytesMax: 64 * MIB,
  /** Read at most from the end of a Parquet file in the hope that it holds the footer: of a table's first files, later. */
  parquetFooterGuessBytes: 65_536,
  parquetFooterGuessBytesMax: MIB,
  footerGuessTablesMax: 1_000,
  /** Structs, and values of all kinds, of one footer or page header. */
  thriftStructsMax: 4_194_304,
  thriftValuesMax: 16_777_216,
  parquetSchemaDepthMax: 64,
  parquetSchemaElementsMax: 100_000,
  /** Joined ranges of one excerpt that are in flight together: with their size, the memory that an excerpt takes. */
  excerptRangesAtOnceMax: 4,
  /** An excerpt up to this size is put together in memory and written at once. */
  excerptBufferedBytesMax: MIB,
  bloomFilterBytesMax: MIB,
  /** Text of one variant value, and its levels of nesting. */
  variantCharsMax: 16 * MIB,
  variantDepthMax: 256,
  /** Threads that decode pages (row groups with variants, large position delete files), and the heap of each. */
  pageThreadsMax: 2,
  pageTasksWaitingMax: 4_096,
  pageThreadHeapMib: 2_048,
  /** Of a column chunk that is decoded here rather than by the engine; as many are held as files are fetched at once. */
  rawColumnValuesMax: 4_000_000,
  rawChunkBytesMax: 128 * MIB,
  /** Of a column chunk that is written anew for the engine. */
  madeChunkBytesMax: 256 * MIB,
  /** Rows of a data file that are taken on its manifest's word where nothing but that is read, and of a row group then. */
  madeRowsMax: 1_000_000_000,
  madeRowGroupRows: 1_048_576,
  /** Rows that are counted by a footer alone: of one row group, and row groups. Beyond them the engine makes the rows. */
  countedRowGroupRows: 2 ** 30,
  countedRowGroupsMax: 4_096,
  /** One column of one row group of a position delete file, packed or not; one deletion vector. */
  deleteChunkBytesMax: 256 * MIB,
  /** Of a Puffin file: its footer, and its deletion vectors that are held at once. */
  puffinFooterBytesMax: 16 * MIB,
  deletionVectorsBytesMax: 512 * MIB,
  /** Rows of one row group of a position delete file; up to so many, in so many bytes, are decoded without a thread. */
  deleteGroupRowsMax: 33_554_432,
  deletesInlineRowsMax: 16_384,
  deletesInlineBytesMax: MIB,
  /** Of all position delete files and deletion vectors of one table in one statement; each takes two bytes or so. */
  deletedPositionsMax: 100_000_000,
  deleteFilesReadAtOnceMax: 8,
  /** Bytes waiting to be written to the chunk cache; what does not fit is not cached. */
  cacheWritesPendingBytesMax: 64 * MIB,
  /** Entries of the chunk cache that are kept in memory too, and how large one may be. */
  cacheMemoryBytesMax: 32 * MIB,
  cacheMemoryEntryBytesMax: 65_536,

  // Planning
  planningDeadlineMs: 30 * SECOND,
  manifestsReadAtOnceMax: 8,
  /** What a statement would read is asked while it is typed, so it gives way to what runs. */
  estimateDeadlineMs: 10 * SECOND,
  estimatesAtOnceMax: 2,
  estimatesWaitingMax: 16,
  tablesPerStatementMax: 64,
  sqlTreeDepthMax: 1_000,

  /** One row of a metadata table, and all rows of one, as JSON on the engine's scratch disk. */
  metadataRowBytesMax: 16 * MIB,
  metadataRowsBytesMax: 1_024 * MIB,
  /** Partitions that are summed up in memory for a metadata table. */
  metadataPartitionsMax: 500_000,

  // Pages of tables
  /** Files of one snapshot that are listed, sorted and paged: some 400 bytes each. */
  filesListedMax: 250_000,
  /** Rows (files, manifests, columns) that are kept of each kind of list: two of the longest. */
  contentRowsKeptMax: 500_000,
  contentsReadAtOnceMax: 2,
  contentsWaitingMax: 16,
  contentsDeadlineMs: 120 * SECOND,
  /** Columns that are told the statistics of, and letters of a bound that are sent. */
  statisticsColumnsMax: 2_000,
  boundCharsMax: 256,

  // Running
  /** Of one statement; object storage bounds the requests of all. */
  filesFetchedAtOnceMax: 8,
  /** Files of the first wave of a row-wise statement; later waves grow up to the second figure. */
  waveFilesFirst: 2,
  waveFilesMax: 16,
  /** Files that a preview opens at most, to find one that has a row which is not deleted by position. */
  previewFilesMax: 16,
  /** Equality deletes that every wave may be compared with. */
  waveEqualityDeletesMax: 500_000,
  statementDeadlineMs: 600 * SECOND,
  /** A statement of which no batch is taken by its reader for this long is ended. */
  readerStallMs: 120 * SECOND,
  batchRowsMax: 16_384,
  batchBytesMax: 16 * MIB,
  engineQueueMax: 64,
  engineQueueWaitMs: 60 * SECOND,
  /** A batch with its padding and metadata, as it comes from an engine process. */
  engineFrameBytesMax: 64 * MIB,
  engineInterruptGraceMs: 500,
  engineThreadsMax: 4,
  engineSpillBytesMax: 8_192 * MIB,
  /** Heap of JavaScript in an engine process. */
  engineHeapMib: 512,
  /**
   * Memory that an engine process may map: so many times the engine's own limit, which does not count everything, and for
   * the program and its threads. What is beyond fails there, by a code or by the end of the process.
   */
  engineDataShareMax: 2,
  engineDataBytes: 2_048 * MIB,
  engineThreadDataBytes: 16 * MIB,
  engineOpenFilesMax: 16_384,
  /** Of one file that it writes, where it may spill nothing. */
  engineFileBytesMin: MIB,
  engineStartMs: 30 * SECOND,
  engineResetMs: 5 * SECOND,
  /** Statements that one database serves, one after the other, before it is opened anew whatever they did. */
  engineRenewalsMax: 200,
  analysisDeadlineMs: 5 * SECOND,
  analysisQueueWaitMs: 20 * SECOND,
  /** Whatever was let in may wait: a statement that is refused half-way has cost what it did for nothing. */
  analysisQueueMax: 512,
  /** The second is started when the first is taken by a statement that is long to read. */
  analysisProcessesMax: 2,
  analysisMemoryBytesMax: 512 * MIB,
  cancelWaitMs: 2 * SECOND,
  progressEveryMs: 200,

  // Export
  exportDeadlineMs: 3_600 * SECOND,
  /** Bytes of a file that are sent together. */
  exportChunkBytes: 262_144,
  exportThreadHeapMib: 1_024,
  /** Of a row group of an exported Parquet file: what is held until it is written. */
  exportRowGroupRowsMax: 131_072,
  exportRowGroupBytesMax: 64 * MIB,
  exportRowGroupCellsMax: 4_000_000,
  /** Of the Excel file format. */
  xlsxRowsMax: 1_048_576,
  xlsxColumnsMax: 16_384,
  xlsxCellCharsMax: 32_767,
  /** Digits that a spreadsheet shows of a number. */
  xlsxNumberDigitsMax: 15,

  // Flight
  ticketLifetimeMs: 15 * 60 * SECOND,

  // Access
  principalsMax: 10_000,
  principalNameCharsMax: 200,
  principalsFileBytesMax: 8 * MIB,
  /** How soon a change of the principals file is in force. */
  principalsLookedAtEveryMs: SECOND,
  /** Of an `Authorization` header. */
  bearerCharsMax: 8_192,
  /** Of a `Cookie` header. */
  cookieCharsMax: 16_384,
  sessionLifetimeMs: 12 * 3_600 * SECOND,
  sessionIdleMs: 2 * 3_600 * SECOND,
  /** A cookie that is older is sealed anew when it is used. */
  sessionRenewedAfterMs: 300 * SECOND,
  /** Sessions that were signed out before their end, whose ids are remembered. */
  sessionsEndedMax: 100_000,
  /** From the way to the identity provider to the way back. */
  signInAttemptMs: 600 * SECOND,
  signInAttemptsSpentMax: 100_000,
  oidcCallTimeoutMs: 10 * SECOND,
  oidcMetadataFreshMs: 900 * SECOND,
  oidcClockToleranceMs: 30 * SECOND,
  oidcGrantsMax: 10_000,
  /** Principals and addresses whose requests, statements and bytes are counted. */
  quotaUsagesMax: 20_000,
  statementRetryAfterMs: 2 * SECOND,
  /** How often replicas tell each other of sign-outs and bytes, and how late or by how wrong a clock a row may be written. */
  replicasEveryMs: 2 * SECOND,
  replicaOverlapMs: 300 * SECOND,
  /** How long sessions go on while it cannot be told which of them were signed out elsewhere. */
  endedSessionsStaleMs: 60 * SECOND,
  /** A sign-out is answered after so long, though other replicas may not know of it yet. */
  signOutWaitMs: 2 * SECOND,
  /** Of the audit log, waiting to be written; what does not fit is lost and counted. */
  auditWaitingCharsMax: 8 * MIB,
  /** How long the end of the server waits for the rest of it to be written. */
  auditEndMs: 2 * SECOND,
  /** Of the log, waiting for whoever reads it; what does not fit is dropped and counted. */
  logWaitingBytesMax: 8 * MIB,

  // Background statements
  /** Of one call to the store of statements. */
  stateCallTimeoutMs: 10 * SECOND,
  stateConnectionsMax: 8,
  /** Waiting, running or being cancelled, of one principal and of all. */
  statementsOpenOfPrincipalMax: 50,
  statementsOpenMax: 1_000,
  /** Those that have ended among them, of one principal. */
  statementsKeptOfPrincipalMax: 2_000,
  statementsListedMax: 200,
  /** Of a list, as it is stored; it may pass this by one statement. */
  statementsListedBytesMax: 4 * MIB,
  submitRetryAfterMs: 5 * SECOND,
  /** A worker that has not renewed its claim for so long loses it. */
  claimLeaseMs: 15 * SECOND,
  heartbeatEveryMs: SECOND,
  claimEveryMs: SECOND,
  attemptsMax: 4,
  /** After a first attempt that may heal; doubles with each. */
  attemptDelayMs: 2 * SECOND,
  /** So long a worker leaves a statement that it cannot open to others, with other keys. */
  unreadableForMs: 600 * SECOND,
  /** Where it has not met it for so long, another one had it: it begins anew. */
  unreadableGapMs: 60 * SECOND,
  backgroundDeadlineMs: 4 * 3_600 * SECOND,
  /** How long a poll may wait for news, how often it looks, and how many may wait at once; others are answered at once. */
  pollWaitMsMax: 20 * SECOND,
  pollEveryMs: 250,
  pollsWaitingMax: 256,
  /** How long planning a statement that somebody waits for may look for a kept result of it. */
  keptLookUpMs: 250,

  // Results of background statements
  /** A part is closed once it has so many bytes or rows; it may pass this by one batch. */
  resultPartBytes: 8 * MIB,
  resultPartRows: 262_144,
  resultPartBytesMax: 72 * MIB,
  resultBytesMax: 8_192 * MIB,
  resultPartsMax: 2_048,
  resultManifestBytesMax: 8 * MIB,
  resultLifetimeMs: 72 * 3_600 * SECOND,
  resultRequestTimeoutMs: 60 * SECOND,
  retentionEveryMs: 600 * SECOND,
  /** How long an attempt without a result may remove what it wrote; retention removes the rest. */
  attemptRemovalMs: 5 * SECOND,
  objectsRemovedAtOnceMax: 24,
  /** Objects that no manifest names are left for so long: their statement may still be running. */
  resultOrphanMs: 3_600 * SECOND,
  statementsRemovedAtOnceMax: 500,

  // HTTP
  readinessTimeoutMs: 2 * SECOND,
  readinessFreshMs: SECOND,
  requestBodyBytesMax: 2 * MIB,
  /** Requests that are handled at once, waiting polls among them: with the bodies, the memory they take. */
  requestsAtOnceMax: 768,
  /** Of these, statements that are being analysed; those that run are as many as engine processes and their queue. */
  planningAtOnceMax: 64,
  /** And those that are answered by a part of a result that is kept, of which each may take tens of MB. */
  readingAtOnceMax: 32,
  /** And those that list what is kept, of which each may take some MB. */
  listingAtOnceMax: 32,
  /** An answer that is whole in memory has a place until it is taken, and its reader this long beside its bytes by this rate. */
  wholeAnswerWaitMs: 30 * SECOND,
  wholeAnswerBytesPerSecondMin: 64 * 1_024,
  /** Of each kind of places, what the requests of one client take at most. */
  placesOfClientShareMax: 0.5,
  requestRetryAfterMs: SECOND,
  /** When to come back where something that the server needs is away, and does not say. */
  outageRetryAfterMs: 5 * SECOND,
  /** Refusals that are sent at once; beyond them, and where somebody comes back too soon, the request waits for so long first. */
  refusalsPerSecondMax: 100,
  requestHeldMs: SECOND,
  /** Requests that wait so; beyond them each is refused at once. */
  requestsHeldMax: 1_024,
  /** A body that is too large is read off up to here, so that its refusal arrives; then the connection is cut. */
  requestBodyReadBytesMax: 8 * MIB,
  /** How long the rest of a body is thrown away after the request was refused. */
  unreadBodyMs: SECOND,
  connectionsMax: 20_000,
  /** Connections that the system has taken and that wait for the server to take them. */
  connectionsWaitingMax: 511,
  headersBytesMax: 16_384,
  /** From the first byte of a request: to the end of its headers, and of its body. */
  headersTimeoutMs: 10 * SECOND,
  requestTimeoutMs: 60 * SECOND,
  /** Longer than a proxy before it keeps a connection, so that it is the proxy that closes. */
  keepAliveMs: 75 * SECOND,
  /** A connection whose reader takes nothing of an answer that is there: longer than `readerStallMs`, which says why. */
  connectionStallMs: 150 * SECOND,
  connectionsCheckedEveryMs: 5 * SECOND,
} as const
