// Browsing: the session, the namespaces, the tables of one, and one table's page.
import { Router } from 'express'
import { ROUTES, type NamespacesResponse, type SessionResponse } from '@lake/core/api/contract.ts'
import { disconnectSignal } from '../arrow-response.ts'
import type { HttpServices } from '../http-services.ts'
import { namespaceParameter, textParameter } from '../validate.ts'

export function createCatalogRoutes(services: HttpServices): Router {
  const router = Router()

  router.get(ROUTES.session.path, (_request, response) => {
    const body: SessionResponse = {
      principal: null,
      version: services.version,
      discovery: services.discovery,
    }
    response.json(body)
  })

  router.get(ROUTES.namespaces.path, (_request, response) => {
    const body: NamespacesResponse = {
      namespaces: services.authorizer.namespaces.map((levels) => [...levels]),
    }
    response.json(body)
  })

  router.get(ROUTES.tables.path, async (request, response) => {
    const namespace = namespaceParameter(request)
    services.authorizer.authorizeNamespace(namespace)
    response.json(await services.browser.listTables(namespace, disconnectSignal(response)))
  })

  router.get(ROUTES.table.path, async (request, response) => {
    const namespace = namespaceParameter(request)
    const table = textParameter(request, 'table')
    services.authorizer.authorizeTable(namespace, table)
    response.json(await services.browser.describeTable({ namespace, table }, disconnectSignal(response)))
  })

  router.post(ROUTES.verifyStorageAccess.path, async (request, response) => {
    const namespace = namespaceParameter(request)
    const table = textParameter(request, 'table')
    services.authorizer.authorizeTable(namespace, table)
    response.json(await services.verifyStorageAccess({ namespace, table }, disconnectSignal(response)))
  })

  return router
}
