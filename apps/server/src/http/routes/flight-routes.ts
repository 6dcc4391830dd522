// Statements: analyze, plan to a ticket, redeem it for rows, stop it.
import {
  analyzeRequest,
  cancelFlightInfoRequest,
  doGetRequest,
  flightInfoRequest,
  pollRequest,
} from '@lake/core/api/contract.ts'
import { exportRequest } from '@lake/core/api/export-contract.ts'
import { AppError } from '@lake/core/errors.ts'
import { cutSlowReader, sendArrowPart, sendArrowStream } from '../arrow-response.ts'
import type { HttpServices } from '../http-services.ts'
import { LIMITS } from '../../limits.ts'
import { errorCodeOf } from '../../observability/error-code.ts'
import type { OverloadGate } from '../overload-gate.ts'
import { tooMany, type RouteCall, type RouteTable } from '../route-table.ts'
import { isPartTicket } from '../../statements/result-reader.ts'
import type { StatementService } from '../../statements/statement-service.ts'
import { validBody } from '../validate.ts'

export function addFlightRoutes(
  routes: RouteTable,
  services: HttpServices,
  gate: Pick<OverloadGate, 'turnToReading'>,
): void {
  const { flight, estimate } = services
  routes.add('analyze', async ({ request, response, principal, signal }) => {
    const { sql } = validBody(request, analyzeRequest)
    response.json(await flight.analyze(sql, principal, signal))
  })

  routes.add('estimate', async ({ request, response, principal, signal }) => {
    const body = validBody(request, flightInfoRequest)
    response.json(await estimate(body, principal, signal))
  })

  routes.add('flightInfo', async (call) => {
    const body = validBody(call.request, flightInfoRequest)
    const planning = flight.getFlightInfo(body, call.principal, call.signal)
    call.response.json(await audited(planning, body.sql, call, services))
  })

  routes.add('doGet', async ({ request, response, principal, requestId, signal }) => {
    const { ticket, isPreview = false } = validBody(request, doGetRequest)
    // A ticket of a result's endpoint is for a part that is there already.
    if (isPartTicket(ticket)) {
      if (isPreview) throw new AppError('INVALID_REQUEST', 'A part of a finished result has no preview')
      if (!gate.turnToReading(request)) throw tooMany()
      sendArrowPart(response, await statementsOf(services).readPart(ticket, principal, signal))
      return
    }
    await sendArrowStream(response, flight.doGet({ ticket, isPreview }, principal, requestId, signal), signal)
  })

  routes.add('export', async ({ request, response, principal, requestId, signal }) => {
    const body = validBody(request, exportRequest)
    await sendArrowStream(response, flight.export(body, principal, requestId, signal), signal)
  })

  routes.add('cancelFlightInfo', async ({ request, response, principal, signal }) => {
    const body = validBody(request, cancelFlightInfoRequest)
    const status =
      'ticket' in body
        ? await flight.cancelFlightInfo(body.ticket, principal, body.verb)
        : await statementsOf(services).cancel(body.statementId, principal, signal)
    response.json({ status })
  })

  routes.add('pollFlightInfo', async (call) => {
    const body = validBody(call.request, pollRequest)
    const polling = statementsOf(services).poll(body, call.principal, call.signal)
    const sql = 'descriptor' in body ? undefined : body.sql
    call.response.json(sql === undefined ? await polling : await audited(polling, sql, call, services))
  })

  routes.add('statements', async ({ response, principal }) => {
    const list = await statementsOf(services).list(principal)
    cutSlowReader(response, LIMITS.statementsListedBytesMax)
    response.json(list)
  })
}

/** A statement that is refused is in the audit log as one that runs is. */
async function audited<T>(
  planning: Promise<T>,
  sql: string,
  { principal, requestId }: RouteCall,
  { audit }: HttpServices,
): Promise<T> {
  try {
    return await planning
  } catch (error) {
    const nothing = { statementId: null, tables: [], rowCount: 0, bytesRead: 0, elapsedMs: null }
    audit.statement({ requestId, principal, sql, ...nothing, outcome: errorCodeOf(error) })
    throw error
  }
}

function statementsOf({ statements }: HttpServices): StatementService {
  if (statements) return statements
  throw new AppError('NO_SUCH_ROUTE', 'No statements run in the background here: LAKE_STATE_URL is not set')
}
