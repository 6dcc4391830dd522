// `/livez` and `/readyz`: for whoever runs the server, without credentials. Readiness asks the engine, so its answer is
// shared and kept for a moment: a flood of probes costs no more than one.
import { Router } from 'express'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { LIMITS } from '../limits.ts'
import { disconnectSignal } from './arrow-response.ts'
import type { HttpServices } from './http-services.ts'

export function createProbes({ findProblems }: Pick<HttpServices, 'findProblems'>): Router {
  const router = Router()
  const flights = createSingleFlight<readonly string[]>()
  let known: { readonly problems: readonly string[]; readonly atMs: number } | undefined

  const look = async (): Promise<readonly string[]> => {
    const problems = await findProblems()
    known = { problems, atMs: performance.now() }
    return problems
  }

  router.get('/livez', (_request, response) => {
    response.type('text').send('ok\n')
  })
  router.get('/readyz', async (_request, response) => {
    const isFresh = known && performance.now() - known.atMs < LIMITS.readinessFreshMs
    const problems =
      known && isFresh ? known.problems : await flights.run('', look, disconnectSignal(response))
    response
      .status(problems.length === 0 ? 200 : 503)
      .type('text')
      .send(problems.length === 0 ? 'ok\n' : `${problems.join('\n')}\n`)
  })
  return router
}
