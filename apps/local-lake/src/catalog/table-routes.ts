// The table calls of the REST protocol. A HEAD runs the GET route's checks and answers 204.
import type { Request, Response, Router } from 'express'
import type { LoadedTable } from './catalog.ts'
import { CatalogError } from './catalog-error.ts'
import { asObject, asObjects, asString } from './json.ts'
import type { Json } from './json.ts'
import { checkName, namespaceFromJson, parseNamespace } from './names.ts'
import { pageRequest, queryText, readBody, writableNamespace } from './namespace-routes.ts'
import { takePage } from './pages.ts'
import type { RestOptions } from './rest-options.ts'
import { sendJson, sendText } from './rest-response.ts'
import { storageCredentials, tableEtag, tableResponse, withReferencedSnapshots } from './table-response.ts'

type TableRequest = Request<{ namespace: string; table: string }>

export function addTableRoutes(router: Router, options: RestOptions): void {
  const { catalog, corpus } = options
  router.get('/namespaces/:namespace/tables', (request, response) => {
    const namespace = parseNamespace(request.params.namespace)
    const names =
      corpus?.has(namespace) === true ? corpus.listTables(namespace) : catalog.listTables(namespace)
    const page = takePage(names, (name) => name, pageRequest(request))
    const identifiers = page.items.map((name) => ({ namespace, name }))
    sendJson(response, { identifiers, 'next-page-token': page.nextPageToken ?? null })
  })
  router.post('/namespaces/:namespace/tables', async (request, response) => {
    const body = readBody(request)
    const name = checkName(asString(body['name'], 'name'), 'table')
    const table = await catalog.createTable(writableNamespace(request, corpus), name, body)
    sendTable(request, response, table, options)
  })
  router.post('/namespaces/:namespace/register', async (request, response) => {
    const body = readBody(request)
    if (body['overwrite'] === true)
      throw CatalogError.unsupported('Registering over a table is not done here')
    const name = checkName(asString(body['name'], 'name'), 'table')
    const metadataLocation = asString(body['metadata-location'], 'metadata-location')
    const table = await catalog.registerTable(writableNamespace(request, corpus), name, metadataLocation)
    sendTable(request, response, table, options)
  })
  router.post('/tables/rename', (request, response) => {
    const body = readBody(request)
    const [source, destination] = [tableIdent(body['source']), tableIdent(body['destination'])]
    if (corpus?.has(source[0]) === true || corpus?.has(destination[0]) === true)
      throw new CatalogError(403, 'ForbiddenException', 'The namespace is read-only')
    catalog.renameTable(source, destination)
    response.status(204).end()
  })
  addOneTableRoutes(router, options)
}

function addOneTableRoutes(router: Router, options: RestOptions): void {
  const { catalog, corpus, access } = options
  const path = '/namespaces/:namespace/tables/:table'
  const load = async (request: TableRequest): Promise<LoadedTable> => {
    const namespace = parseNamespace(request.params.namespace)
    const name = checkName(request.params.table, 'table')
    return corpus?.has(namespace) === true
      ? corpus.loadTable(namespace, name)
      : catalog.loadTable(namespace, name)
  }
  router.get(path, async (request, response) => {
    const mode = queryText(request, 'snapshots') ?? 'all'
    if (mode !== 'all' && mode !== 'refs') throw CatalogError.badRequest('snapshots must be all or refs')
    const table = await load(request)
    const etag = tableEtag(table, mode)
    response.setHeader('etag', etag)
    if (request.method === 'HEAD') response.status(204).end()
    else if (request.headers['if-none-match'] === etag) response.status(304).end()
    else if (mode === 'refs' && table.isWritable)
      sendTable(request, response, withReferencedSnapshots(table), options)
    else sendTable(request, response, table, options)
  })
  router.post(path, async (request, response) => {
    const body = readBody(request)
    const namespace = writableNamespace(request, corpus)
    const name = checkName(request.params.table, 'table')
    const requirements = asObjects(body['requirements'] ?? [], 'requirements')
    const updates = asObjects(body['updates'] ?? [], 'updates')
    const table = await catalog.commitTable(namespace, name, { requirements, updates })
    response.setHeader('etag', tableEtag(table, 'all'))
    sendTable(request, response, table, options)
  })
  router.delete(path, async (request, response) => {
    const isPurge = queryText(request, 'purgeRequested')?.toLowerCase() === 'true'
    const name = checkName(request.params.table, 'table')
    await catalog.dropTable(writableNamespace(request, corpus), name, isPurge)
    response.status(204).end()
  })
  router.get(`${path}/credentials`, async (request, response) => {
    sendJson(response, { 'storage-credentials': storageCredentials(await load(request), access) })
  })
  router.post(`${path}/metrics`, async (request, response) => {
    await load(request)
    response.status(204).end()
  })
}

/** Credentials are vended only to those who ask, as the protocol has it. */
function sendTable(
  request: Request<{ namespace: string }>,
  response: Response,
  table: LoadedTable,
  options: RestOptions,
): void {
  const asked = (request.get('x-iceberg-access-delegation') ?? '').split(',').map((mode) => mode.trim())
  sendText(response, tableResponse(table, options.access, asked.includes('vended-credentials')))
}

function tableIdent(value: Json | undefined): [namespace: string[], name: string] {
  const ident = asObject(value, 'table identifier')
  return [namespaceFromJson(ident['namespace']), checkName(asString(ident['name'], 'name'), 'table')]
}
