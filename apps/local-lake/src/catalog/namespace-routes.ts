// The namespace calls of the REST protocol.
import type { Request, Router } from 'express'
import { CatalogError } from './catalog-error.ts'
import { asArray, asObject, asString, asStringMap, parseJson } from './json.ts'
import type { JsonObject } from './json.ts'
import { namespaceFromJson, parseNamespace } from './names.ts'
import { takePage } from './pages.ts'
import type { PageRequest } from './pages.ts'
import { sendJson } from './rest-response.ts'
import type { RestOptions } from './rest-options.ts'

export function addNamespaceRoutes(router: Router, { catalog, corpus }: RestOptions): void {
  router.get('/namespaces', (request, response) => {
    const parentText = queryText(request, 'parent') ?? ''
    const parent = parentText === '' ? [] : parseNamespace(parentText)
    const isTop = parent.length === 0
    const ofCorpus = isTop ? (corpus?.namespaces() ?? []).map((name) => [name]) : []
    const own = corpus?.has(parent) === true ? [] : catalog.listNamespaces(parent)
    const all = [...own, ...ofCorpus].sort((a, b) => ((a.at(-1) ?? '') < (b.at(-1) ?? '') ? -1 : 1))
    const page = takePage(all, (levels) => levels.at(-1) ?? '', pageRequest(request))
    sendJson(response, { namespaces: [...page.items], 'next-page-token': page.nextPageToken ?? null })
  })
  router.post('/namespaces', (request, response) => {
    const body = readBody(request)
    const namespace = namespaceFromJson(body['namespace'])
    const properties = asStringMap(body['properties'], 'properties')
    if (corpus?.has(namespace) === true) throw CatalogError.alreadyExists('Namespace already exists')
    catalog.createNamespace(namespace, properties)
    sendJson(response, { namespace, properties })
  })
  router.get('/namespaces/:namespace', (request, response) => {
    const namespace = parseNamespace(request.params.namespace)
    const properties = corpus?.has(namespace) === true ? {} : catalog.namespaceProperties(namespace)
    if (request.method === 'HEAD') response.status(204).end()
    else sendJson(response, { namespace, properties })
  })
  router.delete('/namespaces/:namespace', (request, response) => {
    catalog.dropNamespace(writableNamespace(request, corpus))
    response.status(204).end()
  })
  router.post('/namespaces/:namespace/properties', (request, response) => {
    const body = readBody(request)
    const removals = asArray(body['removals'] ?? [], 'removals').map((key) => asString(key, 'removal'))
    const updates = asStringMap(body['updates'], 'updates')
    sendJson(response, catalog.updateNamespace(writableNamespace(request, corpus), removals, updates))
  })
}

/** The namespace of the path. @throws CatalogError 403 for one that only serves test tables */
export function writableNamespace(
  request: Request<{ namespace: string }>,
  corpus: RestOptions['corpus'],
): string[] {
  const namespace = parseNamespace(request.params.namespace)
  if (corpus?.has(namespace) === true)
    throw new CatalogError(403, 'ForbiddenException', `Namespace is read-only: ${namespace.join('.')}`)
  return namespace
}

export function readBody(request: Request): JsonObject {
  return asObject(parseJson(typeof request.body === 'string' ? request.body : ''), 'body')
}

export function queryText(request: Request, name: string): string | undefined {
  const value = request.query[name]
  if (value === undefined || typeof value === 'string') return value
  throw CatalogError.badRequest(`The parameter ${name} is given twice`)
}

export function pageRequest(request: Request): PageRequest {
  const size = queryText(request, 'pageSize')
  if (size !== undefined && !/^[1-9]\d{0,8}$/.test(size))
    throw CatalogError.badRequest('pageSize must be a whole number above 0')
  return {
    pageToken: queryText(request, 'pageToken'),
    pageSize: size === undefined ? undefined : Number(size),
  }
}
