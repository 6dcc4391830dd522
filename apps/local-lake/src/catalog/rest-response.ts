// JSON answers of the catalog, with 64-bit integers written digit by digit.
import type { Response } from 'express'
import { formatJson } from './json.ts'
import type { Json } from './json.ts'

export function sendJson(response: Response, body: Json, status = 200): void {
  sendText(response, formatJson(body), status)
}

/** Sends a body that is JSON already. */
export function sendText(response: Response, body: string, status = 200): void {
  response.status(status).type('application/json').send(body)
}
