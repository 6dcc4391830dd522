// Statements: analyze, plan to a ticket, redeem it for rows, stop it.
import { analyzeRequest, flightInfoRequest, ticketRequest } from '@lake/core/api/contract.ts'
import { sendArrowStream } from '../arrow-response.ts'
import type { HttpServices } from '../http-services.ts'
import type { RouteTable } from '../route-table.ts'
import { validBody } from '../validate.ts'

export function addFlightRoutes(routes: RouteTable, { flight, estimate }: HttpServices): void {
  routes.add('analyze', async ({ request, response, principal, signal }) => {
    const { sql } = validBody(request, analyzeRequest)
    response.json(await flight.analyze(sql, principal, signal))
  })

  routes.add('estimate', async ({ request, response, principal, signal }) => {
    const body = validBody(request, flightInfoRequest)
    response.json(await estimate(body, principal, signal))
  })

  routes.add('flightInfo', async ({ request, response, principal, signal }) => {
    const body = validBody(request, flightInfoRequest)
    response.json(await flight.getFlightInfo(body, principal, signal))
  })

  routes.add('doGet', async ({ request, response, principal, requestId, signal }) => {
    const { ticket } = validBody(request, ticketRequest)
    await sendArrowStream(response, flight.doGet(ticket, principal, requestId, signal), signal)
  })

  routes.add('cancelFlightInfo', async ({ request, response, principal }) => {
    const { ticket } = validBody(request, ticketRequest)
    response.json({ status: await flight.cancelFlightInfo(ticket, principal) })
  })
}
