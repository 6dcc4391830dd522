// The HTTP contract: each route's method, path and bodies. Both sides build on it; docs/http-api.md describes it.
import * as z from 'zod'
import { int64String, requestedVersion, tablePin, tableReceipt } from '../flight/receipt.ts'
import { pollDescriptor, statementSummary } from '../statements/poll-info.ts'

export const API_PREFIX = '/api/v1'

/** Levels of a namespace in a path segment: joined by U+001F, then percent-encoded as one segment. */
export const NAMESPACE_SEPARATOR = '\u001f'

const namespaceLevels = z.array(z.string().min(1)).min(1).max(32)

export const errorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    requestId: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
})
export type ErrorBody = z.infer<typeof errorBody>

export const sessionResponse = z.object({
  /** Name of who is signed in; null where nobody is, or nobody can (then the server listens on loopback only). */
  principal: z.string().nullable(),
  /** True while nobody is signed in and nothing else is answered. */
  isSignInRequired: z.boolean(),
  /** How to sign in: by an API token, or at the identity provider (`GET /sign-in`). None where nobody can. */
  signInMethods: z.array(z.enum(['oidc', 'token'])),
  /** When the session of a browser ends unless it is used; null without one. */
  expiresAtMs: z.number().nullable(),
  /** null while sign-in is required. */
  version: z.string().nullable(),
  discovery: z.enum(['exact', 'list']),
  /** Whether statements can run in the background. */
  hasBackground: z.boolean(),
})
export type SessionResponse = z.infer<typeof sessionResponse>

export const signInRequest = z.object({ token: z.string().min(1).max(1_024) })

/**
 * Sent with every request that changes something under a session's cookie. A form or an image of another site cannot
 * send a header of its own, and a script of another site must ask first, which is refused.
 */
export const REQUEST_HEADER = { name: 'x-requested-with', value: 'lake-workbench' } as const

export const namespacesResponse = z.object({ namespaces: z.array(namespaceLevels) })
export type NamespacesResponse = z.infer<typeof namespacesResponse>

export const tablesResponse = z.object({
  namespace: namespaceLevels,
  /** Sorted by name. */
  tables: z.array(z.string()),
  /** True when the catalog has more tables than are listed at most. */
  isTruncated: z.boolean(),
})
export type TablesResponse = z.infer<typeof tablesResponse>

/** A column of a table page; nested types list their parts in `children`. */
export interface ColumnNode {
  id: number
  name: string
  /** Iceberg's spelling: `long`, `decimal(18, 2)`, `struct`, `list`, `map`. */
  type: string
  isRequired: boolean
  doc: string | null
  /** What rows have that were written before the column was added; null: NULL. */
  initialDefault: string | null
  /** What writers put where nothing is given; null: nothing. */
  writeDefault: string | null
  children: ColumnNode[]
}
export const columnNode: z.ZodType<ColumnNode> = z.lazy(() =>
  z.object({
    id: z.number().int(),
    name: z.string(),
    type: z.string(),
    isRequired: z.boolean(),
    doc: z.string().nullable(),
    initialDefault: z.string().nullable(),
    writeDefault: z.string().nullable(),
    children: z.array(columnNode),
  }),
)

const partitionField = z.object({
  name: z.string(),
  transform: z.string(),
  source: z.string(),
  fieldId: z.number(),
})
const sortField = z.object({
  source: z.string(),
  transform: z.string(),
  direction: z.string(),
  nullOrder: z.string(),
})

export const snapshotInfo = z.object({
  snapshotId: int64String,
  parentSnapshotId: int64String.nullable(),
  sequenceNumber: int64String,
  committedAtMs: z.number(),
  operation: z.string().nullable(),
  schemaId: z.number().int().nullable(),
  summary: z.record(z.string(), z.string()),
})
export type SnapshotInfo = z.infer<typeof snapshotInfo>

export const tableResponse = z.object({
  namespace: namespaceLevels,
  table: z.string(),
  tableUuid: z.string().nullable(),
  formatVersion: z.number().int(),
  location: z.string(),
  lastUpdatedMs: z.number(),
  currentSnapshotId: int64String.nullable(),
  currentSchemaId: z.number().int(),
  schemas: z.array(
    z.object({
      schemaId: z.number().int(),
      columns: z.array(columnNode),
      /** Columns that tell rows apart, as the writers promise. */
      identifierFieldIds: z.array(z.number().int()),
    }),
  ),
  defaultSpecId: z.number().int(),
  partitionSpecs: z.array(z.object({ specId: z.number().int(), fields: z.array(partitionField) })),
  defaultSortOrderId: z.number().int(),
  sortOrders: z.array(z.object({ orderId: z.number().int(), fields: z.array(sortField) })),
  /** Newest first. */
  snapshots: z.array(snapshotInfo),
  refs: z.array(z.object({ name: z.string(), kind: z.enum(['branch', 'tag']), snapshotId: int64String })),
  properties: z.record(z.string(), z.string()),
  /** Whether statistics files say how many values of some columns are distinct. */
  hasDistinctCounts: z.boolean(),
  metadataAgeMs: z.number().nonnegative(),
  isStale: z.boolean(),
})
export type TableResponse = z.infer<typeof tableResponse>

/** What happened at one step of the way that queries take to the table's files; steps after a failed one are left out. */
export const storageCheck = z.object({
  step: z.enum(['catalog', 'manifest-list', 'manifest', 'data-file']),
  /** null: it worked; an error code otherwise. */
  code: z.string().nullable(),
  message: z.string().nullable(),
  /** The file that was read, as the table's metadata has it; null for the catalog. */
  path: z.string().nullable(),
  details: z.record(z.string(), z.unknown()).nullable(),
  elapsedMs: z.number().nonnegative(),
})
export type StorageCheck = z.infer<typeof storageCheck>

export const verifyStorageAccessResponse = z.object({
  isAccessible: z.boolean(),
  checks: z.array(storageCheck),
})
export type VerifyStorageAccessResponse = z.infer<typeof verifyStorageAccessResponse>

/** Longest SQL text accepted, in UTF-16 code units. */
export const SQL_LENGTH_MAX = 262_144

const sqlText = z
  .string()
  .min(1, 'a statement is wanted')
  .max(SQL_LENGTH_MAX, `a statement may have ${SQL_LENGTH_MAX.toLocaleString('en-US')} characters at most`)

/** A snapshot chosen by the caller for every mention of a table in the statement that has no `AT (…)`. */
export const requestedPin = tablePin
  .pick({ namespace: true, table: true })
  .extend({ snapshotId: int64String })
export type RequestedPin = z.infer<typeof requestedPin>

export const analyzeRequest = z.object({ sql: sqlText })
export const analyzeResponse = z.object({
  /** Tables named by the statement, in order of appearance, with UTF-16 offsets of the whole name. */
  tables: z.array(
    z.object({
      namespace: namespaceLevels,
      table: z.string(),
      startOffset: z.number().int(),
      endOffset: z.number().int(),
      /** Of a metadata table, whose `table` is the one that it tells of. */
      metadataTable: z.string().optional(),
      /** What `AT (…)` asks for; pins of a request do not apply there. */
      requested: requestedVersion.optional(),
    }),
  ),
})
export type AnalyzeResponse = z.infer<typeof analyzeResponse>

export const flightInfoRequest = z.object({ sql: sqlText, pins: z.array(requestedPin).max(64).optional() })
export type FlightInfoRequest = z.infer<typeof flightInfoRequest>

/** A finished background statement of the same text and pins, whose result is the answer to this one too. */
export const keptResult = z.object({
  /** To poll with. */
  statementId: z.string(),
  rowCount: z.number().int().nonnegative(),
  endedAtMs: z.number(),
  expiresAtMs: z.number(),
})
export type KeptResult = z.infer<typeof keptResult>

export const flightInfoResponse = z.object({
  statementId: z.string(),
  /** Columns of the result, in order; names may repeat. `type` is DuckDB's spelling. */
  schema: z.array(z.object({ name: z.string(), type: z.string() })),
  ticket: z.string(),
  expiresAtMs: z.number(),
  tables: z.array(tableReceipt),
  /** Absent where there is none. Where it cannot be read after all, the ticket runs the statement. */
  kept: keptResult.optional(),
})
export type FlightInfoResponse = z.infer<typeof flightInfoResponse>

/** What running a statement would read of one table, from metadata alone. */
export const tableEstimate = tableReceipt.extend({
  /** Rows of the planned files, deleted ones included; a LIMIT may end the reading before. */
  rowsMax: z.number().int().nonnegative(),
  /** Of the needed columns and the delete files, as they are stored. */
  bytesNeeded: z.number().int().nonnegative(),
  /** True where a manifest does not say the sizes of columns, so that whole files are counted. */
  isUpperBound: z.boolean(),
  columnsTotal: z.number().int().nonnegative(),
  /** Needed columns, largest first; null bytes: not known. */
  columns: z.array(z.object({ name: z.string(), bytes: z.number().int().nonnegative().nullable() })),
  /** Columns that the table is partitioned by and that no filter of the statement restricts. */
  unfilteredPartitionColumns: z.array(z.string()),
})
export type TableEstimate = z.infer<typeof tableEstimate>

export const estimateResponse = z.object({
  tables: z.array(tableEstimate),
  bytesNeeded: z.number().int().nonnegative(),
  /** Above it the statement is refused: `LAKE_SCAN_BYTES_MAX`. */
  bytesMax: z.number().int().nonnegative(),
  /** Rows after which reading ends; null where all planned files are read. */
  rowsLimit: z.number().int().nonnegative().nullable(),
})
export type EstimateResponse = z.infer<typeof estimateResponse>

/** A ticket to redeem. */
export const ticketRequest = z.object({ ticket: z.string().min(1).max(1_048_576) })

export const doGetRequest = ticketRequest.extend({
  /** To see what a table is like: the reading ends after one row group, and the receipt says that the answer is a part. */
  isPreview: z.boolean().optional(),
})
export type DoGetRequest = z.infer<typeof doGetRequest>

/** A background statement to begin: from SQL text, or from a ticket, whose pins it then keeps. */
export const submitRequest = z
  .object({
    sql: sqlText.optional(),
    pins: z.array(requestedPin).max(64).optional(),
    ticket: z.string().min(1).max(1_048_576).optional(),
    /** Submitting again with the same key gives the same statement. */
    idempotencyKey: z.string().min(1).max(128).optional(),
    /** Whether a finished result of the same statement at the same snapshots may answer; it may where this is absent. */
    isReuseAllowed: z.boolean().optional(),
  })
  .refine(({ sql, ticket, pins }) => (sql === undefined) !== (ticket === undefined) && !(ticket && pins), {
    message: 'needs either sql (with pins) or ticket',
  })
export type SubmitRequest = z.infer<typeof submitRequest>

export const pollRequest = z.union([
  z.object({
    descriptor: pollDescriptor,
    /** How long to wait for news; the server waits no longer than 20 s. */
    waitMs: z.number().int().nonnegative().optional(),
  }),
  submitRequest,
])
export type PollRequest = z.infer<typeof pollRequest>

export const statementsResponse = z.object({ statements: z.array(statementSummary) })
export type StatementsResponse = z.infer<typeof statementsResponse>

/** Work to stop: what streams for a ticket, or a background statement. */
export const cancelFlightInfoRequest = z.union([
  /** `verb`: which of the ticket's runs; all where it is absent. */
  ticketRequest.extend({ verb: z.enum(['do-get', 'export']).optional() }),
  z.object({ statementId: z.string().min(1).max(64) }),
])
export type CancelFlightInfoRequest = z.infer<typeof cancelFlightInfoRequest>

export const cancelFlightInfoResponse = z.object({
  /** `cancelled`: the work has ended. `notCancellable`: nothing runs for this ticket. */
  status: z.enum(['cancelled', 'cancelling', 'notCancellable']),
})
export type CancelFlightInfoResponse = z.infer<typeof cancelFlightInfoResponse>

/**
 * What is checked of a caller before a route's handler begins, beyond the credentials.
 * `nothing`: anybody is answered. `principal`: being signed in is enough, and the answer holds only what is granted.
 * `namespace`, `table`: the one in the path is granted. `statement`: planning authorizes every table of the SQL in the
 * body before it loads anything. `ticket`: what is sealed in the body opens for the principal that it was sealed for.
 */
export type RouteRequirement = 'nothing' | 'principal' | 'namespace' | 'table' | 'statement' | 'ticket'

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly requires: RouteRequirement
}

/** Every route under API_PREFIX. `:namespace` holds levels joined by NAMESPACE_SEPARATOR. */
export const ROUTES = {
  session: { method: 'GET', path: '/session', requires: 'nothing' },
  signIn: { method: 'POST', path: '/session', requires: 'nothing' },
  signOut: { method: 'DELETE', path: '/session', requires: 'nothing' },
  beginSignIn: { method: 'GET', path: '/sign-in', requires: 'nothing' },
  finishSignIn: { method: 'GET', path: '/sign-in/callback', requires: 'nothing' },
  namespaces: { method: 'GET', path: '/namespaces', requires: 'principal' },
  tables: { method: 'GET', path: '/namespaces/:namespace/tables', requires: 'namespace' },
  table: { method: 'GET', path: '/namespaces/:namespace/tables/:table', requires: 'table' },
  tableFiles: { method: 'GET', path: '/namespaces/:namespace/tables/:table/files', requires: 'table' },
  tableManifests: {
    method: 'GET',
    path: '/namespaces/:namespace/tables/:table/manifests',
    requires: 'table',
  },
  tableStatistics: {
    method: 'GET',
    path: '/namespaces/:namespace/tables/:table/statistics',
    requires: 'table',
  },
  verifyStorageAccess: {
    method: 'POST',
    path: '/namespaces/:namespace/tables/:table/verify-storage-access',
    requires: 'table',
  },
  analyze: { method: 'POST', path: '/analyze', requires: 'statement' },
  estimate: { method: 'POST', path: '/estimate', requires: 'statement' },
  flightInfo: { method: 'POST', path: '/flight-info', requires: 'statement' },
  doGet: { method: 'POST', path: '/do-get', requires: 'ticket' },
  export: { method: 'POST', path: '/export', requires: 'ticket' },
  pollFlightInfo: { method: 'POST', path: '/poll-flight-info', requires: 'ticket' },
  statements: { method: 'GET', path: '/statements', requires: 'principal' },
  cancelFlightInfo: { method: 'POST', path: '/cancel-flight-info', requires: 'ticket' },
} as const satisfies Record<string, Route>
export type RouteName = keyof typeof ROUTES
