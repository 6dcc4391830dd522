// Calls the routes of core/api/contract.ts. Every answer is checked by its schema; every failure is an ApiError.
// Holds no state and no credential: the session is the browser's cookie.
import {
  API_PREFIX,
  cancelFlightInfoResponse,
  estimateResponse,
  flightInfoResponse,
  NAMESPACE_SEPARATOR,
  namespacesResponse,
  REQUEST_HEADER,
  ROUTES,
  sessionResponse,
  statementsResponse,
  tableResponse,
  tablesResponse,
  verifyStorageAccessResponse,
  type CancelFlightInfoRequest,
  type DoGetRequest,
  type FlightInfoRequest,
  type PollRequest,
  type RouteName,
} from '@lake/core/api/contract.ts'
import {
  tableFilesResponse,
  tableManifestsResponse,
  tableStatisticsResponse,
  type TableFilesQuery,
  type TableManifestsQuery,
} from '@lake/core/api/table-contents.ts'
import type { ExportRequest } from '@lake/core/api/export-contract.ts'
import { pollInfo } from '@lake/core/statements/poll-info.ts'
import { API_TIMEOUT_MS, CANCEL_TIMEOUT_MS, CONTENTS_TIMEOUT_MS } from '../limits.ts'
import { waitForSignIn } from './session-gate.ts'
import { ApiError, errorOfResponse, toApiError } from './api-error.ts'
import type { TableName } from './table-name.ts'

interface CallOptions {
  params?: Readonly<Record<string, string>>
  /** Of the query string; undefined is left out. */
  query?: Readonly<Record<string, string | number | undefined>>
  body?: unknown
  timeoutMs?: number
}

const namespaceParam = (levels: readonly string[]): string => levels.join(NAMESPACE_SEPARATOR)

/** Path of a route with its `:params` filled in, each encoded as one segment. */
function routePath(name: RouteName, params: Readonly<Record<string, string>> = {}): string {
  const path = ROUTES[name].path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))
  return API_PREFIX + path
}

function queryText(query: CallOptions['query'] = {}): string {
  const set = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  )
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`
}

async function sendOnce(name: RouteName, options: CallOptions, signal: AbortSignal): Promise<Response> {
  const { timeoutMs, body } = options
  const headers: Record<string, string> = { [REQUEST_HEADER.name]: REQUEST_HEADER.value }
  if (body !== undefined) headers['content-type'] = 'application/json'
  return await fetch(routePath(name, options.params) + queryText(options.query), {
    method: ROUTES[name].method,
    signal: timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    credentials: 'same-origin',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Where the session has ended, waits until the person has signed in again and asks once more. */
async function send(name: RouteName, options: CallOptions, signal: AbortSignal): Promise<Response> {
  let response = await sendOnce(name, options, signal)
  if (response.status === 401 && ROUTES[name].requires !== 'nothing') {
    await response.body?.cancel()
    await waitForSignIn(signal)
    response = await sendOnce(name, options, signal)
  }
  if (!response.ok) throw await errorOfResponse(response)
  return response
}

/** What is needed of a contract's schema. */
interface Schema<T> {
  safeParse: (value: unknown) => { success: true; data: T } | { success: false; error: unknown }
}

async function call<T>(
  name: RouteName,
  schema: Schema<T>,
  options: CallOptions,
  signal: AbortSignal,
): Promise<T> {
  try {
    const response = await send(name, { timeoutMs: API_TIMEOUT_MS, ...options }, signal)
    const parsed = schema.safeParse(await response.json())
    if (parsed.success) return parsed.data
    throw new ApiError(
      'UNEXPECTED_RESPONSE',
      `The answer of ${ROUTES[name].path} does not fit its contract.`,
      {
        cause: parsed.error,
      },
    )
  } catch (error) {
    if (signal.aborted) throw error
    throw toApiError(error)
  }
}

export const getSession = (signal: AbortSignal) => call('session', sessionResponse, {}, signal)

/** Signs in by an API token; the answer sets the session's cookie. */
export const postSignIn = (token: string, signal: AbortSignal) =>
  call('signIn', sessionResponse, { body: { token } }, signal)

export const deleteSession = (signal: AbortSignal) => call('signOut', sessionResponse, {}, signal)

export const getNamespaces = (signal: AbortSignal) => call('namespaces', namespacesResponse, {}, signal)

export const getTables = (namespace: readonly string[], signal: AbortSignal) =>
  call('tables', tablesResponse, { params: { namespace: namespaceParam(namespace) } }, signal)

export const getTable = (namespace: readonly string[], table: string, signal: AbortSignal) =>
  call('table', tableResponse, { params: { namespace: namespaceParam(namespace), table } }, signal)

/** What is read of the manifests of a snapshot. */
const getContents = async <T>(
  route: 'tableFiles' | 'tableManifests' | 'tableStatistics',
  schema: Schema<T>,
  { namespace, table }: TableName,
  query: NonNullable<CallOptions['query']>,
  signal: AbortSignal,
): Promise<T> => {
  const params = { namespace: namespaceParam(namespace), table }
  return await call(route, schema, { params, query, timeoutMs: CONTENTS_TIMEOUT_MS }, signal)
}

export const getTableFiles = (name: TableName, query: Partial<TableFilesQuery>, signal: AbortSignal) =>
  getContents('tableFiles', tableFilesResponse, name, query, signal)

export const getTableManifests = (
  name: TableName,
  query: Partial<TableManifestsQuery>,
  signal: AbortSignal,
) => getContents('tableManifests', tableManifestsResponse, name, query, signal)

/** @param snapshot an id; undefined: the current one */
export const getTableStatistics = (name: TableName, snapshot: string | undefined, signal: AbortSignal) =>
  getContents('tableStatistics', tableStatisticsResponse, name, { snapshot }, signal)

export const postVerifyStorageAccess = (namespace: readonly string[], table: string, signal: AbortSignal) =>
  call(
    'verifyStorageAccess',
    verifyStorageAccessResponse,
    { params: { namespace: namespaceParam(namespace), table } },
    signal,
  )

export const postEstimate = (body: FlightInfoRequest, signal: AbortSignal) =>
  call('estimate', estimateResponse, { body }, signal)

export const postFlightInfo = (body: FlightInfoRequest, signal: AbortSignal) =>
  call('flightInfo', flightInfoResponse, { body }, signal)

/** Redeems a ticket. The caller reads the body to its closing message; aborting `signal` closes the stream. */
export async function postDoGet(body: DoGetRequest, signal: AbortSignal): Promise<Response> {
  try {
    return await send('doGet', { body }, signal)
  } catch (error) {
    if (signal.aborted) throw error
    throw toApiError(error)
  }
}

/** Redeems a ticket for a file. The caller reads the body to its closing message; aborting `signal` closes the stream. */
export async function postExport(body: ExportRequest, signal: AbortSignal): Promise<Response> {
  try {
    return await send('export', { body }, signal)
  } catch (error) {
    if (signal.aborted) throw error
    throw toApiError(error)
  }
}

/** Submits a background statement, or asks how one is. */
export const postPoll = (body: PollRequest, signal: AbortSignal) =>
  call('pollFlightInfo', pollInfo, { body }, signal)

export const getStatements = (signal: AbortSignal) => call('statements', statementsResponse, {}, signal)

export const postCancel = (body: CancelFlightInfoRequest, signal: AbortSignal) =>
  call('cancelFlightInfo', cancelFlightInfoResponse, { body, timeoutMs: CANCEL_TIMEOUT_MS }, signal)
