// Statements: analyze, plan to a ticket, redeem it for rows, stop it.
import { Router } from 'express'
import { analyzeRequest, flightInfoRequest, ROUTES, ticketRequest } from '@lake/core/api/contract.ts'
import { disconnectSignal, sendArrowStream } from '../arrow-response.ts'
import type { HttpServices } from '../http-services.ts'
import { requestIdOf } from '../request-id.ts'
import { validBody } from '../validate.ts'

/** Nobody is signed in while no authentication is configured. */
const PRINCIPAL = null

export function createFlightRoutes({ flight, estimate }: HttpServices): Router {
  const router = Router()

  router.post(ROUTES.analyze.path, async (request, response) => {
    const { sql } = validBody(request, analyzeRequest)
    response.json(await flight.analyze(sql, disconnectSignal(response)))
  })

  router.post(ROUTES.estimate.path, async (request, response) => {
    const body = validBody(request, flightInfoRequest)
    response.json(await estimate(body, disconnectSignal(response)))
  })

  router.post(ROUTES.flightInfo.path, async (request, response) => {
    const body = validBody(request, flightInfoRequest)
    response.json(await flight.getFlightInfo(body, PRINCIPAL, disconnectSignal(response)))
  })

  router.post(ROUTES.doGet.path, async (request, response) => {
    const { ticket } = validBody(request, ticketRequest)
    const signal = disconnectSignal(response)
    await sendArrowStream(response, flight.doGet(ticket, PRINCIPAL, requestIdOf(response), signal), signal)
  })

  router.post(ROUTES.cancelFlightInfo.path, async (request, response) => {
    const { ticket } = validBody(request, ticketRequest)
    response.json({ status: await flight.cancelFlightInfo(ticket, PRINCIPAL) })
  })

  return router
}
