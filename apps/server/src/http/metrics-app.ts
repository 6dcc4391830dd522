// `/metrics` on an address of its own, so that who may scrape need not be who may query.
import express, { type Express } from 'express'
import type { Metrics } from '../observability/metrics.ts'

export function createMetricsApp(metrics: Metrics): Express {
  const app = express()
  app.disable('x-powered-by')
  app.get('/metrics', async (_request, response) => {
    const { text, contentType } = await metrics.render()
    response.type(contentType).send(text)
  })
  return app
}
