// Browsing: the namespaces, the tables of one, and one table's page with what it holds.
import type { Request } from 'express'
import type { NamespacesResponse } from '@lake/core/api/contract.ts'
import { tableFilesQuery, tableManifestsQuery, tableStatisticsQuery } from '@lake/core/api/table-contents.ts'
import type { TableIdent } from '../../catalog/rest-catalog.ts'
import type { HttpServices } from '../http-services.ts'
import type { RouteTable } from '../route-table.ts'
import { namespaceParameter, textParameter, validQuery } from '../validate.ts'

export function addCatalogRoutes(routes: RouteTable, services: HttpServices): void {
  routes.add('namespaces', ({ response, principal }) => {
    const namespaces = services.authorizer.namespacesOf(principal).map((levels) => [...levels])
    response.json({ namespaces } satisfies NamespacesResponse)
  })

  routes.add('tables', async ({ request, response, signal }) => {
    response.json(await services.browser.listTables(namespaceParameter(request), signal))
  })

  routes.add('table', async ({ request, response, signal }) => {
    response.json(await services.browser.describeTable(identOf(request), signal))
  })

  routes.add('tableFiles', async ({ request, response, signal }) => {
    const query = validQuery(request, tableFilesQuery)
    response.json(await services.contents.listFiles(identOf(request), query, signal))
  })

  routes.add('tableManifests', async ({ request, response, signal }) => {
    const query = validQuery(request, tableManifestsQuery)
    response.json(await services.contents.listManifests(identOf(request), query, signal))
  })

  routes.add('tableStatistics', async ({ request, response, signal }) => {
    const { snapshot } = validQuery(request, tableStatisticsQuery)
    response.json(await services.contents.describeColumns(identOf(request), snapshot, signal))
  })

  routes.add('verifyStorageAccess', async ({ request, response, signal }) => {
    response.json(await services.verifyStorageAccess(identOf(request), signal))
  })
}

/** The table that the path names. */
function identOf(request: Request): TableIdent {
  return { namespace: namespaceParameter(request), table: textParameter(request, 'table') }
}
