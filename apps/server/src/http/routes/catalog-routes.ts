// Browsing: the namespaces, the tables of one, and one table's page.
import type { NamespacesResponse } from '@lake/core/api/contract.ts'
import type { HttpServices } from '../http-services.ts'
import type { RouteTable } from '../route-table.ts'
import { namespaceParameter, textParameter } from '../validate.ts'

export function addCatalogRoutes(routes: RouteTable, services: HttpServices): void {
  routes.add('namespaces', ({ response, principal }) => {
    const namespaces = services.authorizer.namespacesOf(principal).map((levels) => [...levels])
    response.json({ namespaces } satisfies NamespacesResponse)
  })

  routes.add('tables', async ({ request, response, signal }) => {
    response.json(await services.browser.listTables(namespaceParameter(request), signal))
  })

  routes.add('table', async ({ request, response, signal }) => {
    const ident = { namespace: namespaceParameter(request), table: textParameter(request, 'table') }
    response.json(await services.browser.describeTable(ident, signal))
  })

  routes.add('verifyStorageAccess', async ({ request, response, signal }) => {
    const ident = { namespace: namespaceParameter(request), table: textParameter(request, 'table') }
    response.json(await services.verifyStorageAccess(ident, signal))
  })
}
